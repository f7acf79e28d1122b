// Package checkpoint keeps trained models in files: safetensors, which Python and
// most other tools open, with a Card in the metadata that says which network it is,
// which graph it belongs to and how it was trained. Beside a model in training lies
// a State, from which training goes on bit for bit.
//
// In the flow it stands between train, which writes, and everything that answers with
// a model: eval, ask, the server.
package checkpoint

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// The format: length of the header (8 bytes, little-endian), header (JSON, padded with
// spaces so that the values are aligned), values, end to end in order of the header:
//
//	{"__metadata__": {…strings…}, "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …}
const (
	lengthBytes = 8
	alignment   = 8
	// maxHeader is the limit of the format's own library.
	maxHeader   = 100 << 20
	metadataKey = "__metadata__"
	// hashKey is where the metadata keeps the SHA-256 of the values, so that damage is
	// found. Files of others lack it and are read all the same.
	hashKey = "sha256"
)

// storedTensor is a named array, row-major.
type storedTensor struct {
	Name   string
	Type   DType // as which the file has it
	Shape  []int
	Values []float32
}

// tensorFile is the contents of a safetensors file.
type tensorFile struct {
	Metadata map[string]string
	List     []storedTensor // in the order of their values in the file
}

// entry is a tensor in the header.
type entry struct {
	DType   DType     `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
}

// Encode gives the bytes of a file. Equal contents give equal bytes.
func (t *tensorFile) Encode() ([]byte, error) {
	values, header, err := t.layOut()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(values)
	metadata := maps.Clone(t.Metadata)
	if metadata == nil {
		metadata = map[string]string{}
	}
	metadata[hashKey] = hex.EncodeToString(sum[:])
	header[metadataKey] = metadata
	text, err := json.Marshal(header) // which sorts the names
	if err != nil {
		return nil, err
	}
	for len(text)%alignment != 0 {
		text = append(text, ' ')
	}
	file := binary.LittleEndian.AppendUint64(make([]byte, 0, lengthBytes+len(text)+len(values)), uint64(len(text)))
	return append(append(file, text...), values...), nil
}

// layOut packs the values and describes where each tensor lies.
func (t *tensorFile) layOut() (values []byte, header map[string]any, err error) {
	list, err := withScales(t.List)
	if err != nil {
		return nil, nil, err
	}
	// The widest types come first, so that each value is aligned: others map the file into memory.
	slices.SortStableFunc(list, func(a, b storedTensor) int { return cmp.Compare(b.Type.size(), a.Type.size()) })
	header = make(map[string]any, len(list)+1)
	for _, tensor := range list {
		if tensor.Type.size() == 0 {
			return nil, nil, fmt.Errorf("checkpoint: unknown type %q of tensor %q, expected F32, F16, BF16 or I8", tensor.Type, tensor.Name)
		}
		if n, ok := elements(tensor.Shape); !ok || n != len(tensor.Values) {
			return nil, nil, fmt.Errorf("checkpoint: tensor %q has %d values, its shape is %v", tensor.Name, len(tensor.Values), tensor.Shape)
		}
		if _, twice := header[tensor.Name]; twice || tensor.Name == metadataKey {
			return nil, nil, fmt.Errorf("checkpoint: two tensors %q, or a reserved name", tensor.Name)
		}
		from := uint64(len(values))
		values = appendValues(values, tensor.Values, tensor.Type)
		shape := append([]int{}, tensor.Shape...) // never null in JSON
		header[tensor.Name] = entry{tensor.Type, shape, [2]uint64{from, uint64(len(values))}}
	}
	return values, header, nil
}

func appendValues(to []byte, values []float32, as DType) []byte {
	for _, x := range values {
		switch as {
		case F16:
			to = binary.LittleEndian.AppendUint16(to, toF16(x))
		case BF16:
			to = binary.LittleEndian.AppendUint16(to, toBF16(x))
		case I8:
			to = append(to, byte(int8(x)))
		default:
			to = binary.LittleEndian.AppendUint32(to, math.Float32bits(x))
		}
	}
	return to
}

func valuesOf(data []byte, as DType) []float32 {
	values := make([]float32, len(data)/as.size())
	for i := range values {
		switch as {
		case F16:
			values[i] = fromF16(binary.LittleEndian.Uint16(data[2*i:]))
		case BF16:
			values[i] = fromBF16(binary.LittleEndian.Uint16(data[2*i:]))
		case I8:
			values[i] = float32(int8(data[i]))
		default:
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
	}
	return values
}

// maxElements is beyond any file; an eighth of what an int holds leaves room for the size in bytes.
const maxElements = math.MaxInt / 8

// elements is the product of a shape; not ok where it is negative or beyond any file.
func elements(shape []int) (n int, ok bool) {
	n = 1
	for _, s := range shape {
		if s < 0 || s > 0 && n > maxElements/s {
			return 0, false
		}
		n *= s
	}
	return n, true
}
