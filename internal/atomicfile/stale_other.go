//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package atomicfile

import (
	"errors"
	"os"
)

// claim and removeStale do nothing where a file in use cannot be told from one left behind.
func claim(*os.File) bool { return true }
func removeStale(string)  {}

// giveName closes a file and renames it.
func giveName(f *os.File, name string) error {
	return errors.Join(f.Close(), os.Rename(f.Name(), name))
}
