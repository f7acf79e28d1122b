//go:build !linux

package mapped

// Forget does nothing where the system takes no such advice, or the file is not mapped.
func Forget([]byte) {}
