package train

import (
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/cut"
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/plan"
)

// A graph that is too large to pass over is trained on as links of it are predicted (package cut): every query on the cut around what
// it starts from, with degrees and relation vectors of the whole graph. Neither host nor device ever holds the graph in another
// form than kg's, so that memory and time of a step do not grow with it.
//
// Each query has a cut of its own. One that all queries of a batch share would take the device as long for the same number of
// entities, as every query passes over all of them, and leave a query a share of what it is answered on (docs/lab/cuts.md).

// cutting cuts batches of a graph.
type cutting struct {
	cutter *cut.Cutter
	config Config
}

// newCutting gives nil for a graph that is trained on as a whole.
func newCutting(c Config, g *kg.Graph) *cutting {
	size := neural.CutSize(c.Cut, g)
	if size == 0 {
		return nil
	}
	return &cutting{cut.New(g, size), c}
}

func (f *feed) isCut(graph int) bool { return graph < len(f.cutting) && f.cutting[graph] != nil }

// prepareCut prepares queries that run on cuts, a piece each. Of a team's pieces a rank makes its share, but all are weighed beside each
// other.
func (f *feed) prepareCut(ctx context.Context, b *batch, queries []dataset.Query) error {
	var answers, known [][]int32
	for i, q := range queries {
		if err := ctx.Err(); err != nil {
			return err
		}
		piece, err := f.cutting[b.graph].piece(b, q)
		if err != nil {
			return err
		}
		d := newDropout(piece.cut.Topology, f.cutting[b.graph].config)
		d.seed += uint64(i) << 32 // what is drawn for one says nothing of the others
		if err := f.hide(ctx, piece, d); err != nil {
			return err
		}
		b.pieces = append(b.pieces, piece)
		answers = append(answers, piece.answers.Row(0))
		if piece.known.Len() > 0 {
			known = append(known, piece.known.Row(0))
		}
	}
	all := &batch{answers: kernel.NewLists(answers), known: kernel.NewLists(known)}
	for i, w := range queryWeights(all, f.config) {
		b.pieces[i].weights = []float32{w}
	}
	b.share(f.team.Rank(), f.team.Size())
	return nil
}

// inAnyCase is how many answers of a query its cut has, however far they are: a query without any would teach nothing but refusals.
const inAnyCase = 16

// piece is a query on its cut.
func (c *cutting) piece(b *batch, q dataset.Query) (*batch, error) {
	program := plan.Compile(q.Expr, plan.Options{})
	var heads []kg.Entity
	for _, in := range program.Code {
		if in.Op == plan.Entity {
			heads = append(heads, in.Entity)
		}
	}
	made, err := c.cutter.AroundAll(heads, q.Easy[:min(len(q.Easy), inAnyCase)]...)
	if err != nil {
		return nil, err
	}
	for i := range program.Code {
		if in := &program.Code[i]; in.Op == plan.Entity {
			node, _ := made.Place(in.Entity)
			in.Entity = kg.Entity(node)
		}
	}
	var answers []int32
	for _, e := range q.Easy {
		if node, found := made.Place(e); found {
			answers = append(answers, node)
		}
	}
	return &batch{step: b.step, graph: b.graph, size: 1, cut: made, programs: []*plan.Program{program}, answers: kernel.NewLists([][]int32{answers})}, nil
}

// place is a graph on the device as training runs on it.
type place struct {
	graph *gnn.Graph // nil where it is cut
	whole *gnn.Whole // what its parts share; nil where it is not
	cut   int        // entities of a cut; 0 where it is not
}

// putOn puts a graph on the device, or what its parts share.
func putOn(ctx context.Context, m *gnn.Model, c Config, g *kg.Graph, topology *kernel.Graph) (p place, err error) {
	if p.cut = neural.CutSize(c.Cut, g); p.cut > 0 {
		p.whole, err = m.NewWhole(ctx, neural.Meetings(g))
	} else {
		p.graph, err = m.NewGraph(ctx, topology)
	}
	return p, err
}

func (p place) free() {
	if p.graph != nil {
		p.graph.Free()
	}
	if p.whole != nil {
		p.whole.Free()
	}
}

// readyPiece is a query whose cut is ready for the device.
type readyPiece struct {
	*batch
	ready gnn.Prepared
	err   error
}

// piecesGradients adds the gradients of queries on their cuts: while the device is at one, other cores make the next ready.
func (l *learner) piecesGradients(ctx context.Context, pieces []*batch) (loss float64, err error) {
	workers := parallel.Ahead(l.device.Memory() == 0)
	made := parallel.Start(ctx, workers, 2*workers, slices.Values(pieces), func(int) func(context.Context, *batch) readyPiece {
		return func(_ context.Context, piece *batch) readyPiece {
			ready, err := l.model.Prepare(piece.cut.Topology)
			return readyPiece{piece, ready, err}
		}
	})
	defer made.Close()
	for p, more := made.Next(); more; p, more = made.Next() {
		one, err := l.pieceGradients(ctx, p)
		if err != nil {
			return 0, err
		}
		loss += one
	}
	return loss, ctx.Err()
}

// pieceGradients adds the gradient of a query on its cut.
func (l *learner) pieceGradients(ctx context.Context, p readyPiece) (loss float64, err error) {
	if p.err != nil {
		return 0, p.err
	}
	graph, err := l.places[p.graph].whole.Put(ctx, p.ready)
	if err != nil {
		return 0, err
	}
	defer graph.Free()
	return l.addGradients(ctx, graph, p.batch)
}
