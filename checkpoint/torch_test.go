package checkpoint

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

// relationTypes is the number of rows of the relation model's tables.
const relationTypes = 4

// torchWriter writes files as PyTorch does, and as it does not.
type torchWriter struct {
	prefix     string // of the tensors' names
	order      string
	kind       string // of storages
	method     uint16
	header     string // opcodes before the value, such as those of an attack
	bare       bool   // the state dict itself, not {"model": …}
	tensors    []torchSource
	storages   map[string][]float32
	storageLen int    // claimed, instead of the real one
	omit       string // a storage that the file lacks
}

type torchSource struct {
	name          string
	key           string
	offset        int
	shape, stride []int
}

// newTorchWriter holds a network of ULTRA, each tensor in a storage of its own.
func newTorchWriter(t testing.TB, c gnn.Config) (*torchWriter, []float32) {
	t.Helper()
	table, err := c.Table(0)
	if err != nil {
		t.Fatal(err)
	}
	w := &torchWriter{order: "little", kind: "FloatStorage", storages: map[string][]float32{}}
	values := make([]float32, table.Len)
	for i := range values {
		values[i] = float32(i%97) / 16
	}
	for i, tensor := range table.Tensors {
		key := fmt.Sprint(i)
		w.storages[key] = slices.Clone(values[tensor.Offset : tensor.Offset+tensor.Len()])
		w.tensors = append(w.tensors, torchSource{tensor.Name, key, 0, tensor.Shape, rowMajor(tensor.Shape)})
	}
	return w, values
}

func rowMajor(shape []int) []int {
	stride, step := make([]int, len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		stride[i] = step
		step *= shape[i]
	}
	return stride
}

func pickleString(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

func pickleInt(n int) string {
	return "J" + string(binary.LittleEndian.AppendUint32(nil, uint32(n)))
}

func pickleTuple(list []int) string {
	text := "("
	for _, n := range list {
		text += pickleInt(n)
	}
	return text + "t"
}

func (w *torchWriter) pickle() string {
	const ordered = "ccollections\nOrderedDict\n)R"
	text := "\x80\x02" + w.header
	if !w.bare {
		text += "}(" + pickleString("model")
	}
	text += ordered + "("
	for _, s := range w.tensors {
		length := len(w.storages[s.key])
		if w.storageLen != 0 {
			length = w.storageLen
		}
		text += pickleString(w.prefix+s.name) + "ctorch._utils\n_rebuild_tensor_v2\n((" +
			pickleString("storage") + "ctorch\n" + w.kind + "\n" + pickleString(s.key) + pickleString("cpu") + pickleInt(length) + "tQ" +
			pickleInt(s.offset) + pickleTuple(s.shape) + pickleTuple(s.stride) + "\x89" + ordered + "tR"
	}
	text += "u"
	if !w.bare {
		text += pickleString("optimizer") + "}u"
	}
	return text + "."
}

func (w *torchWriter) file(t testing.TB) []byte { return w.fileOf(t, w.pickle()) }

func (w *torchWriter) fileOf(t testing.TB, pickle string) []byte {
	t.Helper()
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	add := func(name string, data []byte) {
		f, err := archive.CreateHeader(&zip.FileHeader{Name: "net/" + name, Method: w.method})
		if err == nil {
			_, err = f.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add("data.pkl", []byte(pickle))
	add("byteorder", []byte(w.order))
	for _, key := range slices.Sorted(maps.Keys(w.storages)) {
		if key != w.omit {
			add("data/"+key, appendValues(nil, w.storages[key], F32))
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// find gives the description of a tensor.
func (w *torchWriter) find(name string) *torchSource {
	i := slices.IndexFunc(w.tensors, func(s torchSource) bool { return s.name == name })
	return &w.tensors[i]
}

func smallUltra() gnn.Config {
	c := gnn.DefaultUltra()
	c.Width, c.Layers = 6, 2
	return c
}

func parametersOf(m *gnn.Model) []float32 {
	values := make([]float32, m.Parameters.Len)
	m.Device().Download(values, m.Parameters.Values)
	return values
}

// However a network lies in its file, its parameters come out as they went in.
func TestImportTorch(t *testing.T) {
	for name, arrange := range map[string]func(w *torchWriter){
		"links":      func(w *torchWriter) {},
		"queries":    func(w *torchWriter) { w.prefix = "model.model." },
		"state dict": func(w *torchWriter) { w.bare = true },
		"one storage, columns first": func(w *torchWriter) {
			shared := []float32{-1}
			for i := range w.tensors {
				s, values := &w.tensors[i], w.storages[w.tensors[i].key]
				delete(w.storages, s.key)
				s.key, s.offset = "all", len(shared)
				if len(s.shape) == 2 {
					values = transposed(values, s.shape[0], s.shape[1])
					s.stride = []int{1, s.shape[0]}
				}
				shared = append(shared, values...)
			}
			w.storages["all"] = shared
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, want := newTorchWriter(t, smallUltra())
			arrange(w)
			m, card, err := importTorchBytes(w.file(t), "net.pth", plain.New())
			if err != nil {
				t.Fatal(err)
			}
			if got := parametersOf(m); !slices.Equal(got, want) {
				t.Errorf("parameters %v, expected %v", got, want)
			}
			config := gnn.Spec{Config: smallUltra()}
			if w.prefix == "" {
				config.Threshold = linkThreshold
			}
			if card.Config != config || m.Spec() != config {
				t.Errorf("configuration %+v, expected %+v", card.Config, config)
			}
			if !strings.Contains(string(card.Training), `"imported_from":"net.pth"`) {
				t.Errorf("the card does not say where the model came from: %s", card.Training)
			}
		})
	}
}

func transposed(x []float32, rows, columns int) []float32 {
	y := make([]float32, 0, len(x))
	for c := range columns {
		for r := range rows {
			y = append(y, x[r*columns+c])
		}
	}
	return y
}

// What an import writes as its own file says what it is and holds the same numbers.
func TestImportTorchSaves(t *testing.T) {
	w, want := newTorchWriter(t, smallUltra())
	m, card, err := importTorchBytes(w.file(t), "net.pth", plain.New())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "net.safetensors")
	if err := Save(path, m, card, Single); err != nil {
		t.Fatal(err)
	}
	_, read, err := Load(path, plain.New())
	if err != nil {
		t.Fatal(err)
	}
	if read.Config != card.Config || read.Config.Direction != gnn.TailToHead || read.Config.Threshold != linkThreshold {
		t.Errorf("configuration %+v, expected %+v", read.Config, card.Config)
	}
	tensors, err := readFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tensors.slab(path, "", m.Parameters.Table)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("parameters %v, expected %v", got, want)
	}
}

func TestImportTorchRefuses(t *testing.T) {
	const weight = "entity_model.layers.1.linear.weight"
	for expected, change := range map[string]func(w *torchWriter){
		`"` + weight + `" has shape [12 6], expected [6 12]`: func(w *torchWriter) {
			w.find(weight).shape, w.find(weight).stride = []int{12, 6}, []int{6, 1}
		},
		`tensor "` + weight + `" of shape`: func(w *torchWriter) {
			w.tensors = slices.DeleteFunc(w.tensors, func(s torchSource) bool { return s.name == weight })
		},
		`"entity_model.query.weight" is no part`: func(w *torchWriter) {
			w.tensors = append(w.tensors, torchSource{"entity_model.query.weight", "0", 0, []int{1}, []int{1}})
		},
		"no network of ULTRA":                               func(w *torchWriter) { w.tensors = w.tensors[:2] },
		"does not begin with":                               func(w *torchWriter) { w.prefix = "model.model."; w.tensors = append(w.tensors, stray(w)) },
		"refused posix.system":                              func(w *torchWriter) { w.header = "cposix\nsystem\n" + pickleString("true") + "\x85R0" },
		"refused builtins.eval":                             func(w *torchWriter) { w.header = "cbuiltins\neval\n0" },
		"refused torch._utils._rebuild_parameter":           func(w *torchWriter) { w.header = "ctorch._utils\n_rebuild_parameter\n0" },
		"refused torch.HalfStorage":                         func(w *torchWriter) { w.kind = "HalfStorage" },
		`byte order "big"`:                                  func(w *torchWriter) { w.order = "big" },
		"compressed":                                        func(w *torchWriter) { w.method = zip.Deflate },
		"its storage has 24 bytes, expected 999 values":     func(w *torchWriter) { w.storageLen = 999 },
		"reaches beyond its storage":                        func(w *torchWriter) { w.find(weight).offset = 1 },
		"a tensor of shape [6 12] in a storage of 6 values": func(w *torchWriter) { w.find(weight).key, w.find(weight).stride = "1", []int{0, 0} },
		"expected a storage, an offset":                     func(w *torchWriter) { w.find(weight).stride = []int{1} },
		"holds NaN":                                         func(w *torchWriter) { w.storages["3"][1] = float32(math.NaN()) },
		"a network of":                                      shareEverything,
		"it lacks data/7":                                   func(w *torchWriter) { w.omit = "7" },
		"a storage with key ../0":                           func(w *torchWriter) { w.storages["../0"] = w.storages["0"]; w.tensors[0].key = "../0" },
	} {
		t.Run(expected, func(t *testing.T) {
			w, _ := newTorchWriter(t, smallUltra())
			change(w)
			refused(t, w.file(t), expected)
		})
	}
}

// stray is a tensor whose full name begins with another prefix.
func stray(w *torchWriter) torchSource {
	s := w.tensors[0]
	s.name = "x"
	w.prefix = ""
	for i := range w.tensors {
		w.tensors[i].name = "model.model." + w.tensors[i].name
	}
	return s
}

// shareEverything makes every tensor a view of one storage: a small file of a large network.
func shareEverything(w *torchWriter) {
	for i := range w.tensors {
		s := &w.tensors[i]
		for k := range s.shape {
			if s.shape[k] != relationTypes && s.shape[k] != 1 {
				s.shape[k] *= 8
			}
		}
		s.key, s.stride = "0", rowMajor(s.shape)
	}
	w.storages = map[string][]float32{"0": make([]float32, 96*96)}
}

func refused(t *testing.T, file []byte, expected string) {
	t.Helper()
	_, _, err := importTorchBytes(file, "net.pth", plain.New())
	switch {
	case err == nil:
		t.Errorf("accepted, expected an error with %q", expected)
	case kg.KindOf(err) != kg.Invalid || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "net.pth: "):
		t.Errorf("error %v, expected one line of kind Invalid that names the file", err)
	case !strings.Contains(err.Error(), expected):
		t.Errorf("error %v, expected %q", err, expected)
	}
}

func TestImportTorchRefusesOtherFiles(t *testing.T) {
	var plainZip bytes.Buffer
	archive := zip.NewWriter(&plainZip)
	f, _ := archive.Create("readme.txt")
	io.WriteString(f, "hello")
	archive.Close()
	w, _ := newTorchWriter(t, smallUltra())
	whole := w.file(t)
	for expected, file := range map[string][]byte{
		"truncated":                 {},
		"before 1.6":                []byte("\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."),
		"found something else":      []byte("head\trelation\ttail\n"),
		"without data.pkl":          plainZip.Bytes(),
		"holds a *pickle.List":      w.fileOf(t, "\x80\x02]."),
		`"model" is a string`:       w.fileOf(t, "\x80\x02}("+pickleString("model")+pickleString("x")+"u."),
		"the pickle ends":           w.fileOf(t, "\x80\x02}("),
		"x is a int64":              w.fileOf(t, "\x80\x02}("+pickleString("x")+pickleInt(1)+"u."),
		"a value that contains":     w.fileOf(t, "\x80\x02}q\x00("+pickleString("x")+"h\x00u."),
		"expected the name of a st": w.fileOf(t, "\x80\x02)Q."),
	} {
		t.Run(expected, func(t *testing.T) { refused(t, file, expected) })
	}
	for cut := 0; cut < len(whole); cut += 1 + len(whole)/200 {
		refused(t, whole[:cut], "truncated")
	}
	// Flipped bits of a value do not pass the archive's checksum.
	damaged := slices.Clone(whole)
	at := bytes.Index(damaged, appendValues(nil, w.storages["2"], F32))
	damaged[at+5] ^= 4
	refused(t, damaged, "checksum")
}

func TestImportTorchNamesMissingFile(t *testing.T) {
	_, _, err := ImportTorch(filepath.Join(t.TempDir(), "no.pth"), plain.New())
	if kg.KindOf(err) != kg.NotFound {
		t.Errorf("error %v, expected NotFound", err)
	}
}

// FuzzImportTorch reads files, or pickles within a sound file: it accepts or refuses in one line.
func FuzzImportTorch(f *testing.F) {
	w, _ := newTorchWriter(f, smallUltra())
	f.Add(w.file(f), false)
	f.Add([]byte(w.pickle()), true)
	w.prefix, w.bare = "model.model.", true
	f.Add([]byte(w.pickle()), true)
	f.Add([]byte("\x80\x02}."), true)
	f.Fuzz(func(t *testing.T, data []byte, isPickle bool) {
		if isPickle {
			data = w.fileOf(t, string(data))
		}
		m, _, err := importTorchBytes(data, "net.pth", plain.New())
		switch {
		case err == nil:
			if m.Parameters.Len*4 > len(data) {
				t.Errorf("%d parameters from %d bytes", m.Parameters.Len, len(data))
			}
		case kg.KindOf(err) != kg.Invalid || strings.Contains(err.Error(), "\n"):
			t.Errorf("error %q, expected one line of kind Invalid", err)
		}
	})
}
