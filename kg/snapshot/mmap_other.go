//go:build !unix

package snapshot

import (
	"io"
	"os"
)

// mapFile reads the file into memory where mapping it is not to be had. The
// memory is made of words so that numbers in it are aligned.
func mapFile(f *os.File, size int) (data []byte, release func() error, err error) {
	data = bytesOf(make([]uint64, (size+7)/8))[:size]
	_, err = io.ReadFull(f, data)
	return data, func() error { return nil }, err
}
