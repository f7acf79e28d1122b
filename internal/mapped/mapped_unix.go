//go:build unix

// Package mapped gives files as memory: mapped where the system can, else read whole.
package mapped

import (
	"os"
	"syscall"
)

// File gives the first size bytes of a file as read-only memory, and the way
// to let go of it. Writing to the file while it is mapped would change the memory
// under its users, which is why such files are replaced by rename and never rewritten.
func File(f *os.File, size int) (data []byte, release func() error, err error) {
	data, err = syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return data, func() error { return syscall.Munmap(data) }, nil
}
