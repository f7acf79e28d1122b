//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// claim marks a file as one that is being written, and says whether it is still there: until then it looked stale to others. The system takes the
// mark away with the process, however that ends. Where files cannot be locked they go without: nobody can tell then that they are stale, and they stay.
func claim(f *os.File) bool {
	for syscall.Flock(int(f.Fd()), syscall.LOCK_EX) == syscall.EINTR { // waits for one who is about to remove it
	}
	ours, err := f.Stat()
	named, gone := os.Stat(f.Name())
	return err == nil && gone == nil && os.SameFile(ours, named)
}

// giveName renames a file and closes it, in this order, as without the mark it looks stale.
func giveName(f *os.File, name string) error {
	return errors.Join(os.Rename(f.Name(), name), f.Close())
}

// removeStale removes a file that no process is writing.
func removeStale(name string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		os.Remove(name)
	}
}
