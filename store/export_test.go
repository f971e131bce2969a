package store

import "dw/internal/testpg"

// Postgres is the server that all tests of this package share, inside and out.
var Postgres testpg.Shared
