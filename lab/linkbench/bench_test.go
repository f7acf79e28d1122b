package linkbench

import (
	"testing"

	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/turing"
)

// Every figure is there, and what is warm makes no row again.
func TestRun(t *testing.T) {
	splits, err := read.Stream(t.Context(), turing.Facts(), "turing.tsv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	device, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	model, err := neural.OpenModel(neural.Turing, device)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	p, err := model.On(t.Context(), splits.Train, "the laureates")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r, err := Run(t.Context(), Options{
		Graph: splits.Train, Rows: 20, Questions: 2, Batch: 8, Seed: 1,
		Cold: func() links.Executor {
			return links.NewExecutor(links.New(p.Graph, p, links.Options{}), links.Follow{Most: 4})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Followed != 4 || r.Rows.Rows != 20 || !(r.Rows.MS > 0 && r.Rows.Links > 0) {
		t.Errorf("%+v, rows %+v", r, r.Rows)
	}
	if len(r.Shapes) != len(query.Shapes) || !(r.ColdMS > 0 && r.WarmMS > 0) {
		t.Errorf("%+v", r)
	}
	for _, s := range r.Shapes {
		if s.Questions != 2 || !(s.ColdMS > 0 && s.WarmMS > 0 && s.Rows >= 1) {
			t.Errorf("%+v", s)
		}
	}
	if m := r.Mix; m.Questions != 28 || !(m.Cold > 0 && m.Warm > m.Cold) || int(m.Rows*28+0.5) != m.Kept {
		t.Errorf("%+v", m)
	}
}
