package coverage

import (
	"context"
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
)

// Options say what sets are calibrated on.
type Options struct {
	Graph    *kg.Graph
	Model    *neural.Model
	Held     []kg.Triple // true facts that the graph does not state; without them a tenth of its own are hidden
	Facts    int         // to ask for, each from both ends; 0 is what some seconds allow for
	Seed     uint64
	Progress func(done, total int) // may be nil
}

// Rows are counted by what they cost, as in links/fit.
const (
	work          = 150e9 // about 20 seconds of a core with AVX-512
	entityAsEdges = 64
	mostFacts     = 1500
	fewestFacts   = 60
	share         = 0.1
)

func (o Options) facts() int {
	if o.Facts > 0 {
		return o.Facts
	}
	network, entities, edges := o.Model.Network.Config, float64(o.Graph.NumEntities()), float64(o.Graph.NumEdges())
	if cut := float64(o.Model.CutOf(o.Graph)); cut > 0 {
		edges, entities = min(edges, 2*edges*cut/entities), cut
	}
	rows := work / (float64(network.Layers*network.Width) * (edges + entityAsEdges*entities))
	return max(fewestFacts, min(mostFacts, int(rows/2)))
}

// Calibrate asks for hidden facts and gives their scores, by relation.
func Calibrate(ctx context.Context, o Options) (*Scores, error) {
	held := o.Held
	var p *neural.Predictor
	var err error
	if len(held) > 0 {
		p, err = o.Model.On(ctx, o.Graph, "the graph")
	} else {
		held = eval.HideEach(o.Graph, share, o.Seed)
		p, err = o.Model.OnRest(ctx, o.Graph, held)
	}
	if err != nil {
		return nil, err
	}
	defer p.Close()
	s := &Scores{Of: map[kg.Relation][]float32{}}
	err = eachRow(ctx, p, draw(held, o.facts(), o.Seed), o.Progress, func(t kg.Triple, odds links.Odds, e links.Evidence) {
		s.add(t, newRow(odds, e, false))
	})
	return s, err
}

func (s *Scores) add(t kg.Triple, r row) {
	s.Of[t.Relation] = append(s.Of[t.Relation], r.score(t.Tail))
}

// draw are so many facts, read from both ends.
func draw(held []kg.Triple, most int, seed uint64) (asked []kg.Triple) {
	random := rand.New(rand.NewPCG(seed, 0xc0ffe))
	for _, i := range random.Perm(len(held))[:min(most, len(held))] {
		asked = append(asked, held[i], held[i].Inverse())
	}
	return asked
}

// together is how many rows are asked for at once.
const together = 64

// eachRow gives the rows of the heads of facts. Numbers and dates are not asked for.
func eachRow(ctx context.Context, p *neural.Predictor, asked []kg.Triple, progress func(done, total int), use func(kg.Triple, links.Odds, links.Evidence)) error {
	domains, ranges := links.NewDomains(p.Graph), links.NewRanges(p.Graph, false)
	for from := 0; from < len(asked); from += together {
		some := asked[from:min(from+together, len(asked))]
		pairs, stated := make([]links.Pair, len(some)), make([][]kg.Entity, len(some))
		for i, t := range some {
			pairs[i] = links.Pair{Head: t.Head, Relation: t.Relation}
			stated[i] = p.Graph.Tails(t.Head, t.Relation)
		}
		err := links.EachOdds(ctx, p, domains, ranges, pairs, stated, func(i int, odds links.Odds, e links.Evidence) {
			use(some[i], odds, e)
		})
		if err != nil {
			return err
		}
		if progress != nil {
			progress(from+len(some), len(asked))
		}
	}
	return nil
}
