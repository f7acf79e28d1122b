package checkpoint

import (
	"fmt"
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// A table of bytes (I8) has a tensor beside it with a scale for each row: a number is its byte, -127 to 127, times the scale of
// its row. That is off by half a scale at most, 1/254 of the row's largest number.

// scalesSuffix is what the name of the scales has behind that of their table.
const scalesSuffix = ".scales"

// largestByte is of both signs: -128 is read, but not written.
const largestByte = 127

// withScales gives the tensors as a file has them: bytes and their scales for the tables that are to be stored as bytes.
func withScales(list []storedTensor) ([]storedTensor, error) {
	var stored []storedTensor
	for _, tensor := range list {
		if tensor.Type != I8 {
			stored = append(stored, tensor)
			continue
		}
		n, ok := elements(tensor.Shape)
		if !ok || n != len(tensor.Values) || len(tensor.Shape) != 2 || !finite(tensor.Values) {
			return nil, fmt.Errorf("checkpoint: tensor %q of shape %v and %d values is no table of finite numbers, which bytes are for", tensor.Name, tensor.Shape, len(tensor.Values))
		}
		bytes, scales := toBytes(tensor.Values, tensor.Shape[0], tensor.Shape[1])
		stored = append(stored,
			storedTensor{tensor.Name + scalesSuffix, F32, tensor.Shape[:1], scales},
			storedTensor{tensor.Name, I8, tensor.Shape, bytes})
	}
	return stored, nil
}

// toBytes gives the nearest bytes of a table, still as float32, and the scales of its rows.
func toBytes(values []float32, rows, width int) (bytes, scales []float32) {
	bytes, scales = make([]float32, len(values)), make([]float32, rows)
	for i := range scales {
		row := values[i*width : (i+1)*width]
		scales[i] = scaleOf(row)
		for j, x := range row {
			if scales[i] > 0 {
				bytes[i*width+j] = float32(math.RoundToEven(float64(x) / float64(scales[i])))
			}
		}
	}
	return bytes, scales
}

// scaleOf is the scale at which a row's largest number has the largest byte. It is cut to 17 bits, so that its products with
// bytes are exact: what was read from bytes is written as the same bytes. Rows that are too small for such a scale, below
// 1e-35, become 0.
func scaleOf(row []float32) float32 {
	largest := float32(0)
	for _, x := range row {
		largest = max(largest, x, -x)
	}
	if largest < 1e-35 {
		return 0
	}
	return math.Float32frombits(math.Float32bits(largest/largestByte) &^ 0x7f)
}

// withoutScales is the way back: tables of bytes become the numbers that they stand for, and their scales go.
func withoutScales(list []storedTensor, file string) ([]storedTensor, error) {
	byName := make(map[string]storedTensor, len(list))
	for _, tensor := range list {
		byName[tensor.Name] = tensor
	}
	done := map[string]bool{}
	for _, tensor := range list {
		if tensor.Type != I8 {
			continue
		}
		name := tensor.Name + scalesSuffix
		scales, ok := byName[name]
		if !ok {
			return nil, kg.Errorf(kg.Invalid, file, "tensor %q is of bytes (I8) and its scales, tensor %q, are missing", tensor.Name, name)
		}
		if err := fromBytes(tensor, scales, file); err != nil {
			return nil, err
		}
		done[name] = true
	}
	return slices.DeleteFunc(list, func(tensor storedTensor) bool { return done[tensor.Name] }), nil
}

// fromBytes multiplies the bytes of a table by the scales of its rows, in place.
func fromBytes(table, scales storedTensor, file string) error {
	if len(table.Shape) != 2 {
		return corrupt(file, "tensor %q of bytes (I8) has shape %v, expected rows and columns", table.Name, table.Shape)
	}
	rows, width := table.Shape[0], table.Shape[1]
	if scales.Type == I8 || !slices.Equal(scales.Shape, table.Shape[:1]) {
		return corrupt(file, "tensor %q has shape %v and type %s, expected shape [%d] and F32: a scale for each row of %q", scales.Name, scales.Shape, scales.Type, rows, table.Name)
	}
	for i, scale := range scales.Values {
		row := table.Values[i*width : (i+1)*width]
		for j := range row {
			row[j] *= scale
		}
		if !(scale >= 0) || !finite(row) {
			return corrupt(file, "tensor %q holds %v, expected a scale of 0 or more, and finite numbers by it", scales.Name, scale)
		}
	}
	return nil
}
