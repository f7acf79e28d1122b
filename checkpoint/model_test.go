package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

func vocabulary(entities, relations []string) *kg.Vocabulary {
	names := func(list []string) kg.Dictionary {
		var in kg.Interner
		for _, name := range list {
			in.Intern([]byte(name))
		}
		return kg.Dictionary{Names: in.Names()}
	}
	return &kg.Vocabulary{Entities: names(entities), Relations: names(relations)}
}

func toyGraph() *kg.Graph {
	v := vocabulary([]string{"ada", "bob", "cy"}, []string{"knows", "likes"})
	return kg.Build(v, []kg.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 2, Tail: 2}})
}

func configs() map[string]gnn.Spec {
	return map[string]gnn.Spec{
		"nbfnet":        {Config: gnn.Config{Kind: gnn.NBFNet, Message: "distmult", Aggregate: "pna", Width: 4, Layers: 2, Dependent: true}},
		"concat":        {Config: gnn.Config{Kind: gnn.NBFNet, Message: "transe", Aggregate: "sum", Width: 3, Layers: 3, ConcatHidden: true}},
		"compgcn":       {Config: gnn.Config{Kind: gnn.CompGCN, Message: "sub", Width: 4, Layers: 2}},
		"rgcn":          {Config: gnn.Config{Kind: gnn.RGCN, Width: 4, Layers: 2, Bases: 3}},
		"rgcn, 1 basis": {Config: gnn.Config{Kind: gnn.RGCN, Width: 1, Layers: 1, Bases: 1}},
		"alternating":   {Config: gnn.Config{Kind: gnn.Alternating, Message: "distmult", Aggregate: "pna", Width: 4, Layers: 2}, Adjustments: gnn.Adjustments{Threshold: 0.1}},
		"ultra":         {Config: gnn.Config{Kind: gnn.Ultra, Message: "distmult", Aggregate: "sum", Width: 4, Layers: 2, Direction: gnn.TailToHead}, Adjustments: gnn.Adjustments{Threshold: 0.5, InputOdds: 1.5, Negation: -0.5}},
	}
}

func toyModel(t testing.TB, c gnn.Spec, seed uint64) (*gnn.Model, Card) {
	m, err := c.New(plain.New(), 4, seed)
	if err != nil {
		t.Fatal(err)
	}
	return m, Card{
		Config: c, Graph: Describe(toyGraph(), "toy"), Seed: math.MaxUint64, Step: 12, Version: "v0.1", Commit: "abc", Device: "plain",
		Training: json.RawMessage(`{"steps":20}`), Metrics: map[string]float64{"valid_mrr": 0.25}, From: "another",
	}
}

func valuesOfSlab(m *gnn.Model, s gnn.Slab) []float32 {
	values, _ := download(m.Device(), s)
	return values
}

func TestModelRoundTrip(t *testing.T) {
	for name, c := range configs() {
		path := filepath.Join(t.TempDir(), "m.safetensors")
		m, card := toyModel(t, c, 7)
		if err := Save(path, m, card, Single); err != nil {
			t.Fatal(err)
		}
		back, got, err := Load(path, plain.New())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if card.Stored = (Precision{Network: F32}); !reflect.DeepEqual(got, card) {
			t.Errorf("%s: card %+v became %+v", name, card, got)
		}
		if !slices.Equal(valuesOfSlab(back, back.Parameters), valuesOfSlab(m, m.Parameters)) {
			t.Errorf("%s: the parameters changed", name)
		}
	}
}

func TestHalfPrecisionModel(t *testing.T) {
	m, card := toyModel(t, configs()["nbfnet"], 3)
	for as, tolerance := range map[DType]float64{F16: 1.0 / 2048, BF16: 1.0 / 256} {
		path := filepath.Join(t.TempDir(), "half.safetensors")
		if err := Save(path, m, card, Precision{Network: as}); err != nil {
			t.Fatal(err)
		}
		back, got, err := Load(path, plain.New())
		if err != nil || got.Stored != (Precision{Network: as}) {
			t.Fatalf("stored as %v: %v", got.Stored, err)
		}
		want := valuesOfSlab(m, m.Parameters)
		for i, x := range valuesOfSlab(back, back.Parameters) {
			if d := math.Abs(float64(x - want[i])); d > tolerance*math.Abs(float64(want[i]))+1e-7 {
				t.Fatalf("%s: value %d is %g, was %g", as, i, x, want[i])
			}
		}
	}
}

func TestStateRoundTrip(t *testing.T) {
	for _, averages := range []bool{false, true} {
		checkStateRoundTrip(t, averages)
	}
}

func checkStateRoundTrip(t *testing.T, averages bool) {
	dir := t.TempDir()
	m, card := toyModel(t, configs()["nbfnet"], 3)
	s := State{Card: card, Record: json.RawMessage(`{"best":1}`), Model: m, First: m.NewSlab(), Second: m.NewSlab()}
	m.Device().Fill(s.First.Values, 0.5)
	m.Device().Fill(s.Second.Values, 1e-30)
	if averages {
		s.Average = m.NewSlab()
		m.Device().Fill(s.Average.Values, 0.25)
	}
	for _, name := range []string{"a", "b"} {
		if err := s.Save(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := os.ReadFile(filepath.Join(dir, "a"))
	if b, _ := os.ReadFile(filepath.Join(dir, "b")); !bytes.Equal(a, b) {
		t.Error("the same state gave different bytes")
	}
	back, err := LoadState(filepath.Join(dir, "a"), plain.New())
	if err != nil {
		t.Fatal(err)
	}
	if card.Stored = (Precision{Network: F32}); !reflect.DeepEqual(back.Card, card) || string(back.Record) != `{"best":1}` {
		t.Errorf("read %+v, %s", back.Card, back.Record)
	}
	if len(back.parts()) != len(s.parts()) {
		t.Fatalf("%d parts came back of %d", len(back.parts()), len(s.parts()))
	}
	for i, part := range s.parts() {
		if !slices.Equal(valuesOfSlab(m, part.slab), valuesOfSlab(back.Model, back.parts()[i].slab)) {
			t.Errorf("%s changed", part.prefix)
		}
	}
	if _, _, err := Load(filepath.Join(dir, "a"), plain.New()); kg.KindOf(err) != kg.Invalid {
		t.Errorf("a state taken for a model: %v", err)
	}
	if err := Save(filepath.Join(dir, "m"), m, card, Single); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadState(filepath.Join(dir, "m"), plain.New()); kg.KindOf(err) != kg.Invalid {
		t.Errorf("a model taken for a state: %v", err)
	}
}

// edit rewrites a saved model.
func edit(t *testing.T, change func(*tensorFile)) []byte {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	m, card := toyModel(t, configs()["nbfnet"], 3)
	if err := Save(path, m, card, Single); err != nil {
		t.Fatal(err)
	}
	tensors, err := readFile(path)
	if err != nil {
		t.Fatal(err)
	}
	change(tensors)
	data, err := tensors.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestLoadRefuses(t *testing.T) {
	for want, change := range map[string]func(*tensorFile){
		"no model of this program":                       func(f *tensorFile) { f.Metadata["format"] = "pt" },
		`"config" in its metadata`:                       func(f *tensorFile) { f.Metadata["config"] = "{" },
		`"seed" in its metadata`:                         func(f *tensorFile) { f.Metadata["seed"] = "-1" },
		`unknown gnn "mlp"`:                              func(f *tensorFile) { f.Metadata["config"] = `{"gnn":"mlp","layers":1}` },
		"tensors for 1000000000 layers":                  replaceConfig(`"layers":2`, `"layers":1000000000`),
		"has shape [4 4], expected [4 1000000000]":       replaceConfig(`"dim":4`, `"dim":1000000000`),
		`"query.weight" has shape [4 4], expected [6 4]`: func(f *tensorFile) { f.Metadata["relations"] = `["a","b","c"]` },
		`tensor "layers.0.layer_norm.bias" of shape`:     func(f *tensorFile) { rename(f, "layers.0.layer_norm.bias", "other") },
		"has shape [1 4], expected [4]":                  func(f *tensorFile) { reshape(f, "layers.0.layer_norm.bias", 1, 4) },
		`"mlp.2.bias" holds NaN`:                         func(f *tensorFile) { poison(f, "mlp.2.bias") },
	} {
		_, _, err := LoadBytes(edit(t, change), "m.safetensors", plain.New())
		if kg.KindOf(err) != kg.Invalid || !strings.Contains(fmt.Sprint(err), want) || !strings.HasPrefix(err.Error(), "m.safetensors: ") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, _, err := Load("no/such/file", plain.New()); kg.KindOf(err) != kg.NotFound {
		t.Errorf("a missing file: %v", err)
	}
}

func replaceConfig(old, new string) func(*tensorFile) {
	return func(f *tensorFile) { f.Metadata["config"] = strings.Replace(f.Metadata["config"], old, new, 1) }
}

func find(f *tensorFile, name string) *storedTensor {
	return &f.List[slices.IndexFunc(f.List, func(t storedTensor) bool { return t.Name == name })]
}

func rename(f *tensorFile, name, to string)            { find(f, name).Name = to }
func reshape(f *tensorFile, name string, shape ...int) { find(f, name).Shape = shape }
func poison(f *tensorFile, name string)                { find(f, name).Values[0] = float32(math.NaN()) }

func TestModelWithNaNIsNotSaved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	m, card := toyModel(t, configs()["nbfnet"], 3)
	m.Device().Fill(m.Parameters.Of("mlp.2.bias"), float32(math.Inf(1)))
	if err := Save(path, m, card, Single); err == nil || !strings.Contains(err.Error(), "mlp.2.bias") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file was written")
	}
}

// A file that Load would refuse is not written in the first place.
func TestModelOfAnImpossibleConfigIsNotSaved(t *testing.T) {
	m, card := toyModel(t, configs()["nbfnet"], 7)
	card.Config.Negation = -1
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := Save(path, m, card, Single); err == nil || !strings.Contains(err.Error(), "not written") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is there")
	}
}

func TestAnotherGraphIsRefusedByName(t *testing.T) {
	_, card := toyModel(t, configs()["nbfnet"], 3)
	for name, c := range map[string]struct {
		v               *kg.Vocabulary
		want            string
		relationsDiffer bool
	}{
		"more relations": {vocabulary([]string{"ada", "bob", "cy"}, []string{"knows", "likes", "owns"}), "it has 6 relations where the model's has 4", true},
		"other relation": {vocabulary([]string{"ada", "bob", "cy"}, []string{"knows", "owns"}), `its relation 1 is "owns" where the model's is "likes"`, true},
		"more entities":  {vocabulary([]string{"ada", "bob", "cy", "di"}, []string{"knows", "likes"}), "it has 4 entities where the model's has 3", false},
		"other names":    {vocabulary([]string{"ada", "cy", "bob"}, []string{"knows", "likes"}), "names of its entities", false},
	} {
		err := card.CheckGraph(c.v, "film.nt")
		if kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `"toy"`) || !strings.Contains(err.Error(), `"film.nt"`) {
			t.Errorf("%s: error %v", name, err)
		}
		if err := card.CheckRelations(c.v, "film.nt"); (err != nil) != c.relationsDiffer {
			t.Errorf("%s: relations alone: %v", name, err)
		}
	}
	if err := card.CheckGraph(toyGraph().Vocabulary, "copy"); err != nil {
		t.Errorf("the same graph: %v", err)
	}
	card.Config = configs()["ultra"]
	if err := errors.Join(card.CheckGraph(vocabulary(nil, nil), "any"), card.CheckRelations(vocabulary(nil, nil), "any")); err != nil {
		t.Errorf("a foundation model: %v", err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	if _, err := Find(dir); kg.KindOf(err) != kg.NotFound {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := Find(filepath.Join(dir, "none")); kg.KindOf(err) != kg.NotFound {
		t.Errorf("a missing file: %v", err)
	}
	for _, name := range []string{LastFile, BestFile} {
		path := filepath.Join(dir, name)
		if err := WriteFile(path, nil); err != nil {
			t.Fatal(err)
		}
		for _, given := range []string{dir, path} {
			if got, err := Find(given); got != path || err != nil {
				t.Errorf("%s: found %s, %v", given, got, err)
			}
		}
	}
}

func TestWriteFileReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, text := range []string{"one", "other"} {
		if err := WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("read %q, wrote %q", got, text)
		}
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("%d files are left", len(files))
	}
	if err := WriteFile(filepath.Join(path, "below"), nil); err == nil || !strings.Contains(err.Error(), "below") {
		t.Errorf("a file below a file: %v", err)
	}
}

func TestSweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "odd [name]*")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".last.safetensors.0a1b2c3d.tmp", ".other.0a1b2c3d.tmp", "last.safetensors"} {
		if err := WriteFile(filepath.Join(dir, name), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := Sweep(dir, LastFile, StateFile); err != nil {
		t.Fatal(err)
	}
	var left []string
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		left = append(left, f.Name())
	}
	if want := []string{".other.0a1b2c3d.tmp", "last.safetensors"}; !slices.Equal(left, want) {
		t.Errorf("left: %v, want %v", left, want)
	}
}

// Messages name a graph, and count several.
func TestGraphInWords(t *testing.T) {
	for want, g := range map[string]Graph{
		`"rings" (5 entities, 2 relations, vocabulary abc)`: {Name: "rings", Vocabulary: "abc", Entities: 5, Relations: []string{"next"}},
		`"rings" (5 entities, 7 facts)`:                     {Name: "rings", Entities: 5, Facts: 7},
		"3 graphs (50 entities, 70 facts)":                  {Name: "rings, chains, trees", Entities: 50, Facts: 70},
	} {
		if got := g.String(); got != want {
			t.Errorf("%s, expected %s", got, want)
		}
	}
}
