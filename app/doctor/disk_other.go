//go:build !linux && !darwin

package doctor

// freeBytes is not known on this system.
func freeBytes(string) (uint64, bool) { return 0, false }

// writable is not known on this system; the first start tells.
func writable(string) bool { return true }
