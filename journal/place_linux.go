package journal

import (
	"os"
	"syscall"
)

// placeOf tells a file from a copy of it: copies have another number or another time of change, which nobody can set.
func placeOf(file *os.File) (p place, err error) {
	info, err := file.Stat()
	if err != nil {
		return p, err
	}
	if of, ok := info.Sys().(*syscall.Stat_t); ok {
		p = place{of.Ino, of.Ctim.Nano()}
	}
	return p, nil
}
