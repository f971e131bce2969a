// Package jobs makes things happen on time and outside: the Ticker fires stored
// deadlines, and the Runner takes queued effects to the deliverer of their
// kind. Both may repeat after a crash; each deadline is taken by
// compare-and-swap, and each deliverer must bear the same effect twice.
package jobs
