package checkpoint

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/factor"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

// bytesFile is a file by hand: scales first, then the bytes 127, -127, 1, -128.
func bytesFile(header string, scales ...float32) []byte {
	data := rawFile("{"+header+"}", 0)
	for _, scale := range scales {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(scale))
	}
	return append(data, 127, 0x81, 1, 0x80)
}

// table and scales are entries of a header.
func bytesHeader(shape, scalesName, scalesShape string) string {
	return fmt.Sprintf(`"t":{"dtype":"I8","shape":%s,"data_offsets":[8,12]},%q:{"dtype":"F32","shape":%s,"data_offsets":[0,8]}`, shape, scalesName, scalesShape)
}

func TestDecodeBytes(t *testing.T) {
	got, err := decode(bytesFile(bytesHeader("[2,2]", "t.scales", "[2]"), 0.5, 0.25), "m.safetensors")
	if want := []storedTensor{{"t", I8, []int{2, 2}, []float32{63.5, -63.5, 0.25, -32}}}; err != nil || !reflect.DeepEqual(got.List, want) {
		t.Errorf("%v became %v (%v)", want, got, err)
	}
}

func TestDecodeRefusesBytes(t *testing.T) {
	nan, infinity := float32(math.NaN()), float32(math.Inf(1))
	sound := bytesHeader("[2,2]", "t.scales", "[2]")
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"no scales":        {bytesFile(bytesHeader("[2,2]", "scales", "[2]"), 1, 1), `tensor "t" is of bytes (I8) and its scales, tensor "t.scales"`},
		"scales of a cell": {bytesFile(bytesHeader("[2,2]", "t.scales", "[2,1]"), 1, 1), `"t.scales" has shape [2 1] and type F32, expected shape [2] and F32`},
		"other rows":       {bytesFile(bytesHeader("[4,1]", "t.scales", "[2]"), 1, 1), `has shape [2] and type F32, expected shape [4]`},
		"no table":         {bytesFile(bytesHeader("[4]", "t.scales", "[2]"), 1, 1), `"t" of bytes (I8) has shape [4], expected rows and columns`},
		"scales of bytes": {rawFile(`{"t":{"dtype":"I8","shape":[1,1],"data_offsets":[0,1]},"t.scales":{"dtype":"I8","shape":[1],"data_offsets":[1,2]}}`, 2),
			`"t.scales" has shape [1] and type I8`},
		"NaN":      {bytesFile(sound, 1, nan), `"t.scales" holds NaN`},
		"infinity": {bytesFile(sound, infinity, 1), `"t.scales" holds +Inf`},
		"negative": {bytesFile(sound, -0.5, 1), `"t.scales" holds -0.5`},
		"overflow": {bytesFile(sound, 1, 1e37), `"t.scales" holds 1e+37, expected a scale of 0 or more, and finite numbers by it`},
	} {
		_, err := decode(c.data, "m.safetensors")
		if kg.KindOf(err) != kg.Invalid || !strings.Contains(fmt.Sprint(err), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", name, err, c.want)
		}
	}
}

// byBytes encodes a table as bytes and reads it back.
func byBytes(t *testing.T, values []float32, rows int) (data []byte, back []float32) {
	t.Helper()
	file := &tensorFile{List: []storedTensor{{"t", I8, []int{rows, len(values) / rows}, values}}}
	data, err := file.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := decode(data, "x")
	if err != nil || len(got.List) != 1 {
		t.Fatalf("%v: %v", got, err)
	}
	return data, got.List[0].Values
}

// Numbers come back within half a scale, which is the row's largest number over 127; and what came back is stored as the
// very same bytes.
func TestBytesAreNear(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const rows, width = 200, 24
	values := make([]float32, rows*width)
	for i := range values {
		values[i] = float32(math.Ldexp(random.NormFloat64(), i/width-rows/2)) // each row of another size
	}
	data, back := byBytes(t, values, rows)
	for i := range rows {
		row := values[i*width : (i+1)*width]
		scale := float64(max(slices.Max(row), -slices.Min(row))) / 127
		for j, x := range row {
			if off := math.Abs(float64(x) - float64(back[i*width+j])); off > scale/2*(1+1e-4) { // the scale has 17 bits
				t.Fatalf("%g became %g in a row of scale %g", x, back[i*width+j], scale)
			}
		}
	}
	if again, _ := byBytes(t, back, rows); !slices.Equal(again, data) {
		t.Error("what was read from bytes is written as others")
	}
}

func TestBytesOfExtremes(t *testing.T) {
	const largest = math.MaxFloat32
	for _, c := range []struct{ row, want []float32 }{
		{[]float32{0, 0}, []float32{0, 0}},
		{[]float32{1e-36, -1e-40}, []float32{0, 0}},
		{[]float32{127, -0.5}, []float32{127, 0}},
		{[]float32{-127, 1.5}, []float32{-127, 2}},
	} {
		if _, back := byBytes(t, c.row, 1); !slices.Equal(back, c.want) {
			t.Errorf("%v became %v, want %v", c.row, back, c.want)
		}
	}
	if _, back := byBytes(t, []float32{largest, -largest}, 1); !(back[0] > 0.999*largest && back[1] == -back[0]) {
		t.Errorf("the largest numbers became %v", back)
	}
}

// A model's tables at one byte a number, its vectors among them.
func TestModelOfBytes(t *testing.T) {
	m, card := toyModel(t, configs()["nbfnet"], 3)
	var err error
	if card.Factors, err = NewFactors(factor.New(3, 4, 50, 1), toyGraph().Vocabulary, factor.Blend{{Vectors: 1}}, factor.DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	sizes := map[Precision]int64{}
	for _, as := range []Precision{{}, Single, Half, {F16, I8}, Bytes} {
		path := filepath.Join(t.TempDir(), "m.safetensors")
		if err := Save(path, m, card, as); err != nil {
			t.Fatal(err)
		}
		again, back, err := Load(path, plain.New())
		if as == (Precision{}) {
			as = Single
		}
		if err != nil || back.Stored != as || back.Factors.Vectors.Rank != 50 || back.Factors.Names != card.Factors.Names {
			t.Fatalf("saved as %v, read %v of %+v (%v)", as, back.Stored, back.Factors, err)
		}
		for i, x := range card.Factors.Vectors.Entities { // of 0.001 and a few times that
			if off := math.Abs(float64(x - back.Factors.Vectors.Entities[i])); off > 2e-5 {
				t.Fatalf("%v: %g became %g", as, x, back.Factors.Vectors.Entities[i])
			}
		}
		checkNear(t, m, again, as.Network)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		sizes[as] = info.Size()
	}
	// 7 vectors of 100 numbers: a byte less for each, a scale more for each vector, and up to 200 bytes to describe the scales.
	if of := sizes[Precision{F16, I8}]; sizes[Half]-of < 700-7*4-200 {
		t.Errorf("%d bytes at half precision, %d with vectors of bytes", sizes[Half], of)
	}
}

// checkNear holds what was read of a network to what was written: a table of bytes is off by half a scale of its row at most.
func checkNear(t *testing.T, written, read *gnn.Model, as DType) {
	t.Helper()
	want, err := download(written.Device(), written.Parameters)
	got, err2 := download(read.Device(), read.Parameters)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for _, tensor := range written.Parameters.Tensors {
		width := tensor.Shape[len(tensor.Shape)-1]
		for from := tensor.Offset; from < tensor.Offset+tensor.Len(); from += width {
			row := want[from : from+width]
			off := map[DType]float32{F32: 0, F16: 1e-3, I8: 4e-3}[as] * max(slices.Max(row), -slices.Min(row))
			for i := from; i < from+width; i++ {
				if d := got[i] - want[i]; d > off || -d > off {
					t.Fatalf("%s of %s: %g became %g", as, tensor.Name, want[i], got[i])
				}
			}
		}
	}
}

// Values are aligned to their size also where types of several sizes lie in a file: readers map it into memory.
func TestValuesAreAligned(t *testing.T) {
	file := &tensorFile{List: []storedTensor{
		{"half", F16, []int{1}, []float32{1}}, {"bytes", I8, []int{1, 3}, []float32{1, 2, 3}}, {"whole", F32, []int{1}, []float32{1}},
	}}
	data, err := file.Encode()
	if err != nil {
		t.Fatal(err)
	}
	_, header, err := file.layOut()
	if err != nil || len(header) != 4 {
		t.Fatalf("%v: %v", header, err)
	}
	for name, e := range header {
		if e := e.(entry); e.Offsets[0]%uint64(e.DType.size()) != 0 {
			t.Errorf("%s of type %s begins at byte %d", name, e.DType, e.Offsets[0])
		}
	}
	if _, err := decode(data, "x"); err != nil {
		t.Error(err)
	}
}
