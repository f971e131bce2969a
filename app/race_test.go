//go:build race

package app_test

// underRace: the race detector makes the warehouse ten times as slow, so fewer
// tests run at once and each waits longer.
const underRace = true
