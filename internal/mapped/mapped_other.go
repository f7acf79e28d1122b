//go:build !unix

// Package mapped gives files as memory: mapped where the system can, else read whole.
package mapped

import (
	"io"
	"os"
	"unsafe"
)

// File reads the file into memory where mapping it is not to be had. The
// memory is made of words so that numbers in it are aligned.
func File(f *os.File, size int) (data []byte, release func() error, err error) {
	words := make([]uint64, (size+7)/8)
	data = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)[:size]
	_, err = io.ReadFull(f, data)
	return data, func() error { return nil }, err
}
