package mapped

import "syscall"

// Forget lets go of the pages of a mapped file; they are read again when they are needed.
func Forget(data []byte) {
	if len(data) > 0 {
		_ = syscall.Madvise(data, syscall.MADV_DONTNEED) // it is advice
	}
}
