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
	if _, err := o.Chosen(t.Context(), "laureates", splits); err == nil || !strings.Contains(err.Error(), "needs validation") {
		t.Errorf("error %v", err)
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
