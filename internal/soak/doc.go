// Package soak runs the built dw through forced refreshes and kills while people
// click, and counts what became of each click. Its test does nothing unless
// DW_SOAK says how much; see docs/soak.md and `make soak`.
package soak
