//go:build !race

package app_test

const underRace = false
