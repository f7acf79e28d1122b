package checkpoint

import "math"

// DType is how the values of a tensor are stored; in memory they are always float32.
type DType string

// The types that are read and written. The halves are for storing a finished model in half the space, bytes for tables
// in a quarter of it (bytes.go).
const (
	F32  DType = "F32"
	F16  DType = "F16"
	BF16 DType = "BF16"
	I8   DType = "I8"
)

// size is the bytes of one value, 0 for a type that is not known here.
func (t DType) size() int {
	switch t {
	case F32:
		return 4
	case F16, BF16:
		return 2
	case I8:
		return 1
	}
	return 0
}

// toBF16 keeps the upper half of a float32, rounded to nearest, ties to even.
func toBF16(x float32) uint16 {
	b := math.Float32bits(x)
	if x != x {
		return uint16(b>>16) | 0x40 // the part of a NaN that is kept must not become zero, which is infinity
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

func fromBF16(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// toF16 rounds to nearest, ties to even; what is too large becomes infinity.
func toF16(x float32) uint16 {
	b := math.Float32bits(x)
	sign, b := uint16(b>>16&0x8000), b&0x7fffffff
	switch {
	case b > 0x7f800000: // NaN
		return sign | 0x7e00
	case b >= 0x47800000: // from 65536 on; 65520 to 65536 is rounded up below
		return sign | 0x7c00
	case b < 0x38800000: // below 2^-14: subnormal, in units of 2^-24
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(b))*(1<<24)))
	}
	b -= (127 - 15) << 23 // the exponent's new bias
	return sign | uint16((b+0xfff+b>>13&1)>>13)
}

func fromF16(h uint16) float32 {
	sign, exponent, fraction := uint32(h&0x8000)<<16, uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exponent {
	case 0:
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)/(1<<24)))
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
