package store_test

func crashIfAsked() {}
