package prepare

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/train"
	"github.com/lacuna-kg/lacuna/turing"
)

// laureates is the embedded graph with every tenth fact held out for validation.
func laureates(t *testing.T) *kg.Splits {
	t.Helper()
	splits, err := read.Stream(t.Context(), turing.Facts(), "turing.tsv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var valid []kg.Triple
	for fact := range splits.Train.Triples() {
		if (fact.Head+fact.Tail)%10 == 0 {
			valid = append(valid, fact)
		}
	}
	rest, err := splits.Train.Without(t.Context(), valid)
	if err != nil {
		t.Fatal(err)
	}
	return &kg.Splits{Train: rest, Valid: valid}
}

func options(t *testing.T) Options {
	c := train.Default()
	c.Shapes, c.ValidationShapes = map[string]int{"1p": 2, "2i": 1}, []string{"1p"}
	return Options{Config: c, Device: plain.New(), Dir: t.TempDir(), Validate: 5}
}

// Validation queries are drawn into the training folder once, and a resumed run reads the same.
func TestDrawnValidationIsKept(t *testing.T) {
	o, splits := options(t), laureates(t)
	o.ValidateTrain = 3
	var stored [2][]byte
	for i := range stored {
		g, missing, err := o.Drawn(t.Context(), "laureates", splits)
		if err != nil || g.Queries == nil || g.Validate == nil || len(missing) > 0 {
			t.Fatalf("graph %+v, missing %v, %v", g, missing, err)
		}
		if stored[i], err = os.ReadFile(filepath.Join(o.Dir, validationFolder, dataset.Valid.String()+dataset.FileSuffix)); err != nil {
			t.Fatal(err)
		}
		o.Config.Seed = 77 // would draw others
	}
	if !slices.Equal(stored[0], stored[1]) {
		t.Error("the second run drew validation queries anew")
	}
}

// Single links are listed in full, however few of them a validation takes.
func TestValidationLinksAreListed(t *testing.T) {
	o, splits := options(t), laureates(t)
	if _, _, err := o.Drawn(t.Context(), "laureates", splits); err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Open(t.Context(), filepath.Join(o.Dir, validationFolder), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	asked := map[[2]int]bool{} // every held-out fact asks from both of its ends
	for _, f := range splits.Valid {
		asked[[2]int{int(f.Head), int(f.Relation)}] = true
		asked[[2]int{int(f.Tail), int(f.Relation.Inverse())}] = true
	}
	listed := 0
	for _, err := range set.Queries(t.Context(), dataset.Valid, "1p") {
		if err != nil {
			t.Fatal(err)
		}
		listed++
	}
	if listed != len(asked) {
		t.Errorf("%d links are listed, expected %d", listed, len(asked))
	}
}

func TestDrawnWithoutValidation(t *testing.T) {
	o, splits := options(t), laureates(t)
	o.Validate = 0
	g, _, err := o.Drawn(t.Context(), "laureates", splits)
	if err != nil || g.Validate != nil {
		t.Errorf("a validator for none: %+v, %v", g, err)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, validationFolder)); err == nil {
		t.Error("validation queries were drawn for nobody")
	}
}

// A shape that the graph cannot yield is named, and the others are drawn.
func TestMissingShapes(t *testing.T) {
	var names, relations kg.Interner
	for _, name := range []string{"a", "b", "c"} {
		names.Intern([]byte(name))
	}
	relations.Intern([]byte("R"))
	v := &kg.Vocabulary{Entities: kg.Dictionary{Names: names.Names()}, Relations: kg.Dictionary{Names: relations.Names()}}
	lone := &kg.Splits{Train: kg.Build(v, []kg.Triple{{Head: 0, Relation: 0, Tail: 1}})}
	o := options(t)
	g, missing, err := o.Drawn(t.Context(), "lone", lone)
	if err != nil || g.Queries == nil || !slices.Equal(missing, []string{"2i"}) {
		t.Errorf("missing %v of one fact, %v", missing, err)
	}
}

func TestWithParts(t *testing.T) {
	o, splits := options(t), laureates(t)
	o.Config.Parts, o.Config.PartEntities = 3, []int{10, 40}
	whole, _, err := o.Drawn(t.Context(), "laureates", splits)
	if err != nil {
		t.Fatal(err)
	}
	all, err := o.WithParts(t.Context(), []train.Graph{whole})
	if err != nil || len(all) < 2 {
		t.Fatalf("%d graphs, %v", len(all), err)
	}
	for _, part := range all[1:] {
		if part.PartOf != "laureates" || part.Validate != nil || part.Queries == nil || part.Facts.NumEntities() > 40 {
			t.Errorf("part %+v", part)
		}
	}
}

func TestWithWorlds(t *testing.T) {
	o, splits := options(t), laureates(t)
	o.Config.Worlds = 4
	own, _, err := o.Drawn(t.Context(), "laureates", splits)
	if err != nil {
		t.Fatal(err)
	}
	all, err := o.WithWorlds(t.Context(), []train.Graph{own})
	if err != nil || len(all) != 5 {
		t.Fatalf("%d graphs, expected 5: %v", len(all), err)
	}
	for _, g := range all[1:] {
		if !g.World || g.PartOf != "" || g.Queries == nil || g.Validate != nil {
			t.Errorf("world %+v", g)
		}
	}
}

// On cuts a model in training is measured by links, and stays as it was. One of nearly the whole graph does as well as that.
func TestValidationOnCuts(t *testing.T) {
	o, splits := options(t), laureates(t)
	g, _, err := o.Drawn(t.Context(), "laureates", splits)
	if err != nil {
		t.Fatal(err)
	}
	model, err := neural.OpenModel(neural.Foundation, o.Device.(kernel.Device))
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	m := model.Network
	m.Limits = gnn.DefaultLimits()
	topology, err := exec.Topology(splits.Train)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := m.NewGraph(t.Context(), topology)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Free()
	want, err := g.Validate(t.Context(), train.Trained{Model: m, Graph: whole})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := g.Validate(t.Context(), train.Trained{Model: m, Cut: splits.Train.NumEntities() - 1})
		if err != nil || math.Abs(got.MRR-want.MRR) > 0.1 || want.MRR == 0 || got.Details["1p_mrr"] != got.MRR {
			t.Errorf("%+v %v, on the whole graph %+v", got, err, want)
		}
		if m.Limits != gnn.DefaultLimits() {
			t.Errorf("limits %+v", m.Limits)
		}
	}
}
