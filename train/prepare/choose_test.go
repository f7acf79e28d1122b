package prepare

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// A graph without validation facts has some hidden, each of entities and a relation of which something is left.
func TestChosen(t *testing.T) {
	o, splits := options(t), laureates(t)
	for _, s := range []*kg.Splits{splits, {Train: splits.Train}} {
		g, err := o.Chosen(t.Context(), "laureates", s)
		if err != nil || !g.OnlyChosen || g.Queries != nil || g.Validate == nil {
			t.Errorf("graph %+v, %v", g, err)
		}
	}
	o.Validate = 0
	if _, err := o.Chosen(t.Context(), "laureates", splits); err == nil || !strings.Contains(err.Error(), "no validation") {
		t.Errorf("error %v", err)
	}
}

func TestHoldOut(t *testing.T) {
	whole := laureates(t).Train
	s, err := holdOut(t.Context(), whole, 1)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.Valid); n != whole.NumTriples()/10 || s.Train.NumTriples() != whole.NumTriples()-n {
		t.Errorf("%d of %d facts hidden, %d left", n, whole.NumTriples(), s.Train.NumTriples())
	}
	for _, fact := range s.Valid {
		relations, _ := s.Train.Edges(fact.Head)
		others, _ := s.Train.Edges(fact.Tail)
		if s.Train.Has(fact) || len(relations) == 0 || len(others) == 0 {
			t.Errorf("%v is still there, or nothing else is known of its entities", fact)
		}
	}
	again, err := holdOut(t.Context(), whole, 1)
	if err != nil || again.Valid[0] != s.Valid[0] {
		t.Errorf("another choice with the same seed, %v", err)
	}
}

// A graph that is trained on alone has facts held out where it holds out none, unless it is too small or not validated on.
func TestDrawnHoldsOut(t *testing.T) {
	o, whole := options(t), laureates(t).Train
	for name, o := range map[string]Options{"alone": o, "several": o.with(func(o *Options) { o.Several = true }), "unmeasured": o.with(func(o *Options) { o.Validate = 0 })} {
		g, _, err := o.Drawn(t.Context(), "laureates", &kg.Splits{Train: whole})
		if err != nil {
			t.Fatal(err)
		}
		if held := whole.NumTriples() - g.Facts.NumTriples(); (held > 0) != (name == "alone") || (g.Validate != nil) != (name == "alone") {
			t.Errorf("%s: %d facts held out, validator %v", name, held, g.Validate != nil)
		}
	}
}

func (o Options) with(change func(*Options)) Options { change(&o); return o }
