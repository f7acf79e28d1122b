package explain

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// Of paths by the same relations the weightiest is shown and the others are counted; other relations, or the same in
// another direction, are another reason.
func TestReasonsDiffer(t *testing.T) {
	splits, err := read.Stream(t.Context(), strings.NewReader("a\tcauses\tcough\nb\tcauses\tcough\na\tcauses\trash\nb\tcauses\trash\na\tbinds\tg\nb\tbinds\tg\nb\ttreats\td\n"), "x.tsv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := splits.Train
	id := func(name string) int32 { return int32(g.Entities.Find(name)[0]) }
	walk := func(weight float32, through, relation string) gnn.Path {
		r := int32(kg.Forward(g.Relations.Find(relation)[0]))
		treats := int32(kg.Forward(g.Relations.Find("treats")[0]))
		return gnn.Path{Weight: 3 * weight, Steps: []gnn.PathStep{
			{From: id("a"), To: id(through), Edge: kernel.Edge{Head: id("a"), Relation: r, Tail: id(through)}, Weight: weight},
			{From: id(through), To: id("b"), Edge: kernel.Edge{Head: id("b"), Relation: r, Tail: id(through)}, Weight: weight},
			{From: id("b"), To: id("d"), Edge: kernel.Edge{Head: id("b"), Relation: treats, Tail: id("d")}, Weight: weight},
		}}
	}
	found := []gnn.Path{walk(1, "cough", "causes"), walk(0.9, "rash", "causes"), walk(0.5, "g", "binds"), walk(0.1, "g", "binds")}
	paths, facts := reasonsThatDiffer(g, found, 5)
	if len(paths) != 2 || paths[0].Alike != 1 || paths[0].Edges[0].Tail != "cough" || paths[1].Alike != 0 || paths[1].Edges[0].Relation != "binds" || len(facts) != 6 {
		t.Errorf("%+v, %d facts", paths, len(facts))
	}
	if text := paths[0].AlikeText(); text != "and 1 more path by the same relations" {
		t.Error(text)
	}
	if only, _ := reasonsThatDiffer(g, found, 1); len(only) != 1 || only[0].Alike != 1 {
		t.Errorf("%+v", only)
	}
}
