package fit

import (
	"context"
	"time"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// How much Quick does: rows are counted by what they cost, not by the clock, so that a fit is the same for a graph and a model on
// every machine without a GPU, busy or not, and on every one with. A unit of work is an edge's message in one place of a layer's width; an entity's
// update is worth some messages (PNA's Linear; sums need half of that).
type effort struct {
	work float64
	most int // rows, where they cost next to nothing
}

var (
	byCPU = effort{90e9, 1200}      // about twelve seconds of two cores with AVX-512 at most, on a graph of 15,000 entities half of it
	byGPU = effort{20 * 90e9, 2000} // a second or two
)

const (
	entityAsEdges = 64
	fewestRows    = 32  // that a map is worth fitting to; on a graph where these take twice the work they are looked at
	usualRows     = 400 // beyond them rows gain less (docs/lab/reliability.md), so that they may take a fifth of the work
	rowsOfEach    = 60  // relation, where there are many: each has to be learned
)

// rows is how many are looked at for a network on a graph, or on cuts of so many of its entities.
func (f effort) rows(g *kg.Graph, cut int, network gnn.Config) (int, error) {
	entities, edges := float64(g.NumEntities()), float64(g.NumEdges())
	if cut > 0 {
		edges = min(edges, 2*edges*float64(cut)/entities) // the entities around one are those with the most
		entities = float64(cut)
	}
	rows := f.work / max(1, float64(network.Layers*network.Width)*(edges+entityAsEdges*entities))
	if rows < fewestRows/2 {
		return 0, kg.Errorf(kg.TooLarge, "calibrate", "the graph is too large for a quick fit of probabilities: run lacuna calibrate")
	}
	rows = min(rows, max(usualRows, rowsOfEach*float64(g.Relations.Names.Len()), rows/5))
	return min(max(int(rows), fewestRows), f.most), nil
}

// Quick fits a map while somebody waits for the first answer: to all of the rows that it looks at, as many as the graph
// and the network allow for unless opts say how many, so that none are left to measure on and the report has no reliability. A machine that is
// too slow or too busy to do that within a time, unless this is 0 or less, looks at fewer, and the report says so.
func Quick(ctx context.Context, opts Options, within time.Duration) (links.Map, *Report, error) {
	var err error
	if opts.Rows == 0 {
		effort := byCPU
		if opts.Model.Network.Device().Memory() > 0 {
			effort = byGPU
		}
		if opts.Rows, err = effort.rows(opts.Graph, opts.Model.CutOf(opts.Graph), opts.Model.Network.Config); err != nil {
			return nil, nil, err
		}
	}
	if opts, err = opts.withDefaults(); err != nil {
		return nil, nil, err
	}
	if held := opts.heldOut(); held < fewest { // no row need be looked at
		return nil, nil, kg.Errorf(kg.Invalid, "calibrate", "too few facts to fit probabilities: %d can be held out, at least %d are needed", held, fewest)
	}
	opts.Time = within
	s, err := opts.look(ctx)
	if err == nil {
		err = s.enough()
	}
	if err != nil {
		return nil, nil, err
	}
	return s.all().fit(s.missing), s.report(opts), nil
}

// and are the links of both.
func (o observations) and(others observations) observations {
	return observations{o.rows + others.rows, append(o.links, others.links...), append(o.both, others.both...), append(o.asked, others.asked...)}
}

// enough refuses to fit to next to nothing.
func (s seen) enough() error {
	if facts := s.all().facts(); facts < fewest {
		return kg.Errorf(kg.Invalid, "calibrate", "too few held-out facts were found to fit probabilities: %d, at least %d are needed; the graph is too small, the time too short, or its facts do not predict each other", facts, fewest)
	}
	return nil
}
