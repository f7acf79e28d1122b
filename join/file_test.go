package join

import (
	"context"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// counted notes what a model computes.
type counted struct {
	rowsOf
	pairs *[]links.Pair
}

// Tails implements links.Source.
func (c counted) Tails(ctx context.Context, heads []kg.Entity, relations []kg.Relation, part func(int, kernel.Device, kernel.Buffer, []kg.Entity) error) error {
	for i, h := range heads {
		*c.pairs = append(*c.pairs, links.Pair{Head: h, Relation: relations[i]})
	}
	return c.rowsOf.Tails(ctx, heads, relations, part)
}

// Where rows come from a file, those that it lacks are computed of the entities of the question alone. Of others its rows of the
// other ends are taken: an entity whose only link of a relation is the missing one is found all the same.
func TestRowsThatAFileLacks(t *testing.T) {
	g := kg.Build(fortyEntities(), []kg.Triple{{Head: 30, Relation: 0, Tail: 31}, {Head: 33, Relation: 0, Tail: 31}})
	model := rowsOf(func(h kg.Entity, r kg.Relation, tail kg.Entity) float32 {
		switch {
		case r == 0 && h == 30 && tail == 5:
			return 0.5
		case r == 0 && h == 33 && tail == 5:
			return 0.75
		case r == 0 && h == 12 && tail == 30:
			return 0.25
		}
		return 0
	})
	var computed []links.Pair
	source := counted{model, &computed}
	options := links.Options{Map: links.Map{{Logit: 1}}}
	path := filepath.Join(t.TempDir(), "rows.links")
	_, err := links.WriteFile(t.Context(), path, links.Writing{
		Rows: links.New(g, source, options), Pairs: links.StatedPairs(g, nil), Origin: links.Origin{Graph: links.GraphHash(g)},
	})
	if err != nil {
		t.Fatal(err)
	}
	file, err := links.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, test := range []struct {
		question string
		want     map[kg.Entity]float64
		computed []links.Pair
	}{
		{"?x : ∃y : #0(#30, x) ∧ #0(y, x)", map[kg.Entity]float64{31: 1, 5: 0.5 * 0.75}, nil},
		{"?x : ∃y : #0(#12, x) ∧ #0(x, y)", map[kg.Entity]float64{30: 0.25}, []links.Pair{{Head: 12, Relation: 0}}},
	} {
		computed = nil
		options.File = file
		search := New(links.New(g, source, options), parsed(t, test.question), Options{Follow: links.Follow{Most: 16}})
		found, err := search.All(t.Context(), -1)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range found {
			if math.Abs(a.Degree-test.want[a.Entities[0]]) > 0.001 {
				t.Errorf("%s: %v", test.question, a)
			}
		}
		if len(found) != len(test.want) || !reflect.DeepEqual(computed, test.computed) {
			t.Errorf("%s: %v, computed %v", test.question, found, computed)
		}
	}
}
