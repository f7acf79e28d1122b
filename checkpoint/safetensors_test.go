package checkpoint

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

func sampleTensors(as DType) *tensorFile {
	return &tensorFile{
		Metadata: map[string]string{"graph": "toy \"quoted\" ∃"},
		List: []storedTensor{
			{"b", as, []int{2, 3}, []float32{1, -2, 0.5, 0, 1024, -0.25}},
			{"a", as, []int{}, []float32{3}},
			{"none", as, []int{0, 4}, []float32{}},
			{"c", as, []int{2}, []float32{-8, 6}},
		},
	}
}

// find gives a tensor by name.
func (t *tensorFile) find(name string) (storedTensor, bool) {
	for _, tensor := range t.List {
		if tensor.Name == name {
			return tensor, true
		}
	}
	return storedTensor{}, false
}

func TestTensorsRoundTrip(t *testing.T) {
	for _, as := range []DType{F32, F16, BF16} {
		want := sampleTensors(as)
		data, err := want.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(data, "x")
		if err != nil {
			t.Fatal(err)
		}
		for _, tensor := range want.List { // empty tensors share their place with others
			if found, ok := got.find(tensor.Name); !ok || !reflect.DeepEqual(found, tensor) {
				t.Errorf("%s: %+v became %+v", as, tensor, found)
			}
		}
		if len(got.List) != len(want.List) || !reflect.DeepEqual(got.Metadata, want.Metadata) {
			t.Errorf("%s: got %+v, want %+v", as, got, want)
		}
		if start := 8 + binary.LittleEndian.Uint64(data); start%8 != 0 {
			t.Errorf("%s: values begin at byte %d, not aligned", as, start)
		}
	}
}

// Every half has its exact float32, which must come back as the same half.
func TestHalvesRoundTrip(t *testing.T) {
	for h := range 1 << 16 {
		for name, back := range map[string]uint16{"f16": toF16(fromF16(uint16(h))), "bf16": toBF16(fromBF16(uint16(h)))} {
			isNaN := name == "f16" && h&0x7fff > 0x7c00 || name == "bf16" && h&0x7fff > 0x7f80
			if !isNaN && back != uint16(h) {
				t.Fatalf("%s: %#04x became %#04x", name, h, back)
			}
		}
	}
}

// Rounding goes to the nearest half, ties to the even one, by exhaustive search around the value.
func TestHalvesRoundToNearest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	nearest := func(x float32, half uint16, from func(uint16) float32) bool {
		distance := func(h uint16) float64 { return math.Abs(float64(from(h)) - float64(x)) }
		for _, other := range []uint16{half - 1, half + 1} {
			if d := distance(other); d < distance(half) || d == distance(half) && half&1 == 1 {
				return false
			}
		}
		return true
	}
	for range 100_000 {
		x := float32(math.Ldexp(1+random.Float64(), random.IntN(36)-22))
		if random.IntN(4) == 0 { // make a tie
			x = math.Float32frombits(math.Float32bits(x)&^0xfff | 1<<12)
		}
		if x < 65504 && !nearest(x, toF16(x), fromF16) {
			t.Fatalf("f16 of %g is %g", x, fromF16(toF16(x)))
		}
		if !nearest(x, toBF16(x), fromBF16) {
			t.Fatalf("bf16 of %g is %g", x, fromBF16(toBF16(x)))
		}
	}
	for x, want := range map[float32]float32{65519: 65504, 65520: float32(math.Inf(1)), 1e9: float32(math.Inf(1)), -1e9: float32(math.Inf(-1)), 1e-9: 0} {
		if got := fromF16(toF16(x)); got != want {
			t.Errorf("f16 of %g is %g, want %g", x, got, want)
		}
	}
	if nan := float32(math.NaN()); fromF16(toF16(nan)) == fromF16(toF16(nan)) || fromBF16(toBF16(nan)) == fromBF16(toBF16(nan)) {
		t.Error("NaN did not survive")
	}
}

func rawFile(header string, values int) []byte {
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(data, header...), make([]byte, values)...)
}

func TestDecodeRefuses(t *testing.T) {
	whole, _ := sampleTensors(F32).Encode()
	damaged := append([]byte(nil), whole...)
	damaged[len(damaged)-2] ^= 1
	tensor := func(offsets, shape, dtype string) string {
		return fmt.Sprintf(`"t":{"dtype":%q,"shape":%s,"data_offsets":%s}`, dtype, shape, offsets)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":           {nil, "truncated"},
		"short":           {whole[:5], "truncated"},
		"in the header":   {whole[:40], "truncated"},
		"in the values":   {whole[:len(whole)-4], "truncated"},
		"damaged":         {damaged, "checksum"},
		"text":            {[]byte("hello, this is no model at all"), "something else"},
		"pickle":          {[]byte("\x80\x02}q\x00(X\x01\x00\x00\x00aq\x01K\x01u."), "something else"},
		"huge header":     {append(binary.LittleEndian.AppendUint64(nil, 1<<60), '{', '}'), "something else"},
		"no JSON":         {rawFile(`{"t":`, 0), "no JSON object"},
		"overlap":         {rawFile(`{`+tensor("[0,8]", "[2]", "F32")+`,"u":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}`, 12), "begins at byte 4"},
		"gap":             {rawFile(`{`+tensor("[4,8]", "[1]", "F32")+`}`, 8), "begins at byte 4"},
		"trailing":        {rawFile(`{`+tensor("[0,8]", "[2]", "F32")+`}`, 9), "1 bytes follow"},
		"wrong size":      {rawFile(`{`+tensor("[0,8]", "[3]", "F32")+`}`, 8), "shape [3]"},
		"backwards":       {rawFile(`{`+tensor("[8,0]", "[2]", "F32")+`}`, 8), "from byte 8 to 0"},
		"negative shape":  {rawFile(`{`+tensor("[0,8]", "[-2,-1]", "F32")+`}`, 8), "shape [-2 -1]"},
		"overflow":        {rawFile(`{`+tensor("[0,0]", "[4294967296,4294967296]", "F32")+`}`, 0), "shape"},
		"type":            {rawFile(`{`+tensor("[0,8]", "[1]", "I64")+`}`, 8), `type "I64"`},
		"unknown field":   {rawFile(`{"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}}`, 4), "unknown field"},
		"metadata":        {rawFile(`{"__metadata__":{"a":1}}`, 0), "metadata"},
		"beyond the file": {rawFile(`{`+tensor("[0,400]", "[100]", "F32")+`}`, 8), "truncated"},
	} {
		_, err := decode(c.data, "m.safetensors")
		if kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", name, err, c.want)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for name, tensors := range map[string]*tensorFile{
		"shape":                          {List: []storedTensor{{"a", F32, []int{2}, []float32{1}}}},
		"twice":                          {List: []storedTensor{{"a", F32, []int{1}, []float32{1}}, {"a", F32, []int{1}, []float32{1}}}},
		"reserved":                       {List: []storedTensor{{metadataKey, F32, []int{1}, []float32{1}}}},
		"type":                           sampleTensors("F8"),
		"no type":                        sampleTensors(""),
		"bytes that are no table":        {List: []storedTensor{{"a", I8, []int{2}, []float32{1, 2}}}},
		"bytes of another shape":         {List: []storedTensor{{"a", I8, []int{2, 1}, []float32{1}}}},
		"bytes of no finite number":      {List: []storedTensor{{"a", I8, []int{1, 1}, []float32{float32(math.NaN())}}}},
		"bytes with scales of that name": {List: []storedTensor{{"a", I8, []int{1, 1}, []float32{1}}, {"a.scales", F32, []int{1}, []float32{1}}}},
	} {
		if _, err := tensors.Encode(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A file of another writer, made from the description of the format (testdata/make_foreign.py).
func TestForeignFile(t *testing.T) {
	data, err := os.ReadFile("testdata/foreign.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	got, err := decode(data, "foreign")
	if err != nil {
		t.Fatal(err)
	}
	half, _ := got.find("half")
	whole, _ := got.find("whole")
	if !reflect.DeepEqual(half, storedTensor{"half", F16, []int{3}, []float32{1.5, -2, 65504}}) ||
		!reflect.DeepEqual(whole, storedTensor{"whole", F32, []int{2, 2}, []float32{1, 2, 3, 4.25}}) || got.Metadata["made"] != "by hand" {
		t.Errorf("read %+v", got)
	}
}

func FuzzDecode(f *testing.F) {
	for _, as := range []DType{F32, BF16} {
		data, _ := sampleTensors(as).Encode()
		f.Add(data)
	}
	f.Add(rawFile(`{"t":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8))
	f.Add(rawFile(`{"t":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]},"u":{"dtype":"F32","shape":[],"data_offsets":[4,8]}}`, 8))
	f.Add(bytesFile(`"t":{"dtype":"I8","shape":[2,2],"data_offsets":[8,12]},"t.scales":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`, 1, 0.5))
	f.Add([]byte("no model"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := decode(data, "fuzz")
		if err != nil {
			if kg.KindOf(err) != kg.Invalid {
				t.Fatalf("error %v is not the user's", err)
			}
			return
		}
		again, err := got.Encode()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		back, err := decode(again, "again")
		if err != nil || len(back.List) != len(got.List) {
			t.Fatalf("read %d tensors, then %v, %v", len(got.List), back, err)
		}
	})
}
