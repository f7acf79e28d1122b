//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package atomicfile

import "os"

// claim and removeStale do nothing where a file in use cannot be told from one left behind.
func claim(*os.File)     {}
func removeStale(string) {}
