package links

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Source predicts: a model on the graph does (neural.Predictor).
type Source interface {
	// Tails gives the probability of every entity to be a tail of each head, by itself, along
	// its relation: part is called with those of some pairs in turn, (n, V) from number `from`
	// on, which it may change but not keep. One goroutine calls it at a time.
	Tails(ctx context.Context, heads []kg.Entity, relations []kg.Relation, part func(from int, probabilities []float32)) error
}

// Defaults of Options.
const (
	DefaultLeast = 1e-4
	DefaultBytes = 256 << 20
)

// Options say how rows are made and kept. The zero value is a good default.
type Options struct {
	Map Map
	// Least is the probability below which a link is left out of its row; 0 is DefaultLeast, negative leaves none out.
	Least float32
	Bytes int64 // the most that kept rows take; 0 is DefaultBytes
}

func (o Options) withDefaults() Options {
	if o.Map.isZero() {
		o.Map = Uncalibrated()
	}
	switch {
	case o.Least == 0:
		o.Least = DefaultLeast
	case o.Least < 0:
		o.Least = 0
	}
	if o.Bytes == 0 {
		o.Bytes = DefaultBytes
	}
	return o
}

// Rows gives the rows of a model on a graph. Any number of goroutines may ask.
//
// Rows belong to one snapshot of a graph, and a change of facts begins with none: a fact
// changes every row within the reach of the network's layers and, where aggregation scales
// by the mean degree of the graph (PNA), each row there is.
type Rows struct {
	graph     *kg.Graph
	source    Source // nil: what the graph states is all there is
	options   Options
	cache     *cache
	computing sync.Mutex
}

// New gives the rows of a graph. Source may be nil: then all links are stated ones.
func New(g *kg.Graph, source Source, o Options) *Rows {
	o = o.withDefaults()
	return &Rows{graph: g, source: source, options: o, cache: newCache(o.Bytes)}
}

// Graph is the graph whose rows they are.
func (r *Rows) Graph() *kg.Graph { return r.graph }

// Stats says what is kept, and how it was found.
func (r *Rows) Stats() Stats { return r.cache.statistics() }

// Get gives the row of each pair. Those that are not kept are computed together; nobody
// changes a row.
func (r *Rows) Get(ctx context.Context, pairs []Pair) ([]Row, error) {
	rows := make([]Row, len(pairs))
	if r.source == nil {
		for i, p := range pairs {
			rows[i].Stated = r.graph.Tails(p.Head, p.Relation)
		}
		return rows, nil
	}
	wanted := make([]int, len(pairs))
	for i := range wanted {
		wanted[i] = i
	}
	missing := r.cache.get(rows, pairs, wanted)
	if len(missing) == 0 {
		return rows, nil
	}
	r.computing.Lock()
	defer r.computing.Unlock()
	missing = r.cache.get(rows, pairs, missing) // another may have computed them meanwhile
	return rows, r.compute(ctx, rows, pairs, missing)
}

// compute makes the rows of some of the pairs, each once. Those of one relation stand
// together, as networks share what depends on the relation alone.
func (r *Rows) compute(ctx context.Context, rows []Row, pairs []Pair, missing []int) error {
	slices.SortFunc(missing, func(i, j int) int {
		return cmp.Or(cmp.Compare(pairs[i].Relation, pairs[j].Relation), cmp.Compare(pairs[i].Head, pairs[j].Head))
	})
	var distinct []Pair
	at := make([]int, len(missing)) // of a missing pair's row in made
	for k, i := range missing {
		if k == 0 || pairs[i] != distinct[len(distinct)-1] {
			distinct = append(distinct, pairs[i])
		}
		at[k] = len(distinct) - 1
	}
	made := make([]Row, len(distinct))
	if err := r.make(ctx, made, distinct); err != nil {
		return err
	}
	for k, i := range missing {
		rows[i] = made[at[k]]
	}
	return nil
}

// make computes rows and keeps them, part by part: what is there when the context ends stays.
func (r *Rows) make(ctx context.Context, made []Row, pairs []Pair) error {
	heads, relations := make([]kg.Entity, len(pairs)), make([]kg.Relation, len(pairs))
	for i, p := range pairs {
		heads[i], relations[i] = p.Head, p.Relation
	}
	entities := r.graph.NumEntities()
	return r.source.Tails(ctx, heads, relations, func(from int, probabilities []float32) {
		parallel.Each(context.WithoutCancel(ctx), len(probabilities)/entities, func(i int) {
			stated := r.graph.Tails(heads[from+i], relations[from+i])
			made[from+i] = r.options.Map.row(probabilities[i*entities:(i+1)*entities], stated, r.options.Least)
			r.cache.put(pairs[from+i], made[from+i])
		})
	})
}
