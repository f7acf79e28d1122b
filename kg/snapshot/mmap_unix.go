//go:build unix

package snapshot

import (
	"os"
	"syscall"
)

// mapFile gives the first size bytes of a file as read-only memory, and the way
// to let go of it. Writing to the file while it is mapped would change the graph
// under its users, which is why snapshots are replaced by rename and never rewritten.
func mapFile(f *os.File, size int) (data []byte, release func() error, err error) {
	data, err = syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return data, func() error { return syscall.Munmap(data) }, nil
}
