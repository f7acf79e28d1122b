package snapshot

import (
	"bytes"
	"encoding/binary"
	"unsafe"

	"github.com/lacuna-kg/lacuna/kg"
)

// number is an element of the flat arrays of a snapshot: one that is the same in
// memory and in the file on a little-endian machine, without padding or pointers.
type number interface {
	uint64 | kg.Slot | uint32 | kg.Entity | kg.Relation | kg.Triple
}

// sizeOf is the number of bytes an element takes in the file.
func sizeOf[T number]() int {
	var element T
	return int(unsafe.Sizeof(element))
}

// littleEndian tells whether this machine keeps numbers as the file does.
func littleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

// bytesOf gives numbers as they stand in the file: the memory itself on a
// little-endian machine, a converted copy on others.
func bytesOf[T number](numbers []T) []byte {
	if !littleEndian() {
		return encodeNumbers(numbers)
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), len(numbers)*sizeOf[T]())
}

// numbersOf is the way back. data must be aligned to 8 bytes, as every section
// of a mapped file is, and hold a whole number of elements.
func numbersOf[T number](data []byte) []T {
	if !littleEndian() {
		return decodeNumbers[T](data)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/sizeOf[T]())
}

func encodeNumbers[T number](numbers []T) []byte {
	var out bytes.Buffer
	// A buffer takes all that is written to it and the types of number are all of fixed size.
	_ = binary.Write(&out, binary.LittleEndian, numbers)
	return out.Bytes()
}

func decodeNumbers[T number](data []byte) []T {
	numbers := make([]T, len(data)/sizeOf[T]())
	_ = binary.Read(bytes.NewReader(data), binary.LittleEndian, numbers)
	return numbers
}
