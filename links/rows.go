package links

import (
	"context"
	"slices"
	"sync"

	"github.com/lacuna-kg/lacuna/internal/pace"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Source predicts: a model on the graph does (neural.Predictor).
type Source interface {
	// Tails gives the probability of every entity to be a tail of each head, by itself, along
	// its relation: part is called with those of some pairs in turn, (n, C) from number `from`
	// on, on the device that computed them, so that of a GPU's little has to come back. The columns are the entities given, ascending, or
	// every one where they are nil; what is no column is impossible. It may change but not keep them,
	// and has the device to itself. What is wrong with a part ends the call. One goroutine calls it at a time.
	Tails(ctx context.Context, heads []kg.Entity, relations []kg.Relation, part func(from int, device kernel.Device, probabilities kernel.Buffer, columns []kg.Entity) error) error
}

// Defaults of Options.
const (
	DefaultLeast = 1e-4
	DefaultBytes = 256 << 20
	BytesByGPU   = 2 << 30
)

// BytesOn is what kept rows take by default where they are computed by a device: by a GPU more, as eight times as many
// are followed and a machine that has one has memory.
func BytesOn(device kernel.Device) int64 {
	if device.Memory() > 0 {
		return BytesByGPU
	}
	return DefaultBytes
}

// Options say how rows are made and kept. The zero value is a good default.
type Options struct {
	Map Map
	// Least is the probability below which a link is left out of its row; 0 is DefaultLeast, negative leaves none out.
	Least float32
	Bytes int64 // the most that kept rows take; 0 is DefaultBytes
	// File has rows that were made beforehand, for the same graph and model (File.Fits); its map
	// and its bound hold for all rows. What it lacks is computed. It must outlive the rows; nil for none.
	File *File
	// Literals lets numbers and dates be predicted where a relation leads to them; see Ranges.
	Literals bool
}

func (o Options) withDefaults() Options {
	if o.File != nil {
		o.Map = o.File.Map
	}
	if o.Map == nil {
		o.Map = Uncalibrated()
	}
	switch {
	case o.File != nil:
		o.Least = o.File.Least
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
	domains   *Domains // nil where the map does not read them
	ranges    *Ranges
	cache     *cache
	computing sync.Mutex
	turned    turnedRows
	literal   func() *Rows // see WithLiterals
	exact     func() *Rows // see Exact
}

// New gives the rows of a graph. Source may be nil: then all links are stated ones.
func New(g *kg.Graph, source Source, o Options) *Rows {
	o = o.withDefaults()
	r := &Rows{graph: g, source: source, options: o, cache: newCache(o.Bytes), ranges: NewRanges(g, o.Literals)}
	r.literal = sync.OnceValue(func() *Rows { return New(g, source, o.withLiterals()) })
	r.exact = sync.OnceValue(func() *Rows { return New(g, source, o.withoutFile()) })
	if o.Map.readsDomains() {
		r.domains = NewDomains(g)
	}
	return r
}

// withLiterals are options, defaults filled in, that predict numbers and dates.
func (o Options) withLiterals() Options {
	if o.File != nil && !o.File.Literals { // what it lacks is all that is asked for
		o = o.withoutFile()
	}
	o.Literals = true
	if o.Least == 0 {
		o.Least = -1 // which is what it was
	}
	return o
}

// withoutFile are options, defaults filled in, for rows that are computed as those of the file were.
func (o Options) withoutFile() Options {
	o.File = nil
	if o.Least == 0 {
		o.Least = -1 // which is what it was
	}
	return o
}

// WithLiterals are the same rows with numbers and dates among the tails that are predicted, kept apart from these.
func (r *Rows) WithLiterals() *Rows {
	if r.options.Literals || !r.ranges.surveyed().literals {
		return r
	}
	return r.literal()
}

// Ranges say what can be a tail of a predicted link.
func (r *Rows) Ranges() *Ranges { return r.ranges }

// Graph is the graph whose rows they are.
func (r *Rows) Graph() *kg.Graph { return r.graph }

// Least is the probability below which links are left out, negative where none are.
func (r *Rows) Least() float32 { return r.options.Least }

// Stats says what is kept, and how it was found.
func (r *Rows) Stats() Stats { return r.cache.statistics() }

// Get gives the row of each pair. Those that are not kept are computed together; nobody
// changes a row.
func (r *Rows) Get(ctx context.Context, pairs []Pair) ([]Row, error) {
	rows, missing := r.kept(pairs)
	slices.SortFunc(missing, func(i, j int) int { return pairs[i].compare(pairs[j]) })
	for some := range slices.Chunk(missing, r.portion(ctx, len(missing))) {
		if err := r.make(ctx, rows, pairs, some); err != nil {
			return nil, err
		}
		pace.Rest(ctx)
	}
	return rows, nil
}

// make computes rows that were not kept, unless another has done so meanwhile.
func (r *Rows) make(ctx context.Context, rows []Row, pairs []Pair, missing []int) error {
	r.computing.Lock()
	defer r.computing.Unlock()
	missing, err := r.read(rows, pairs, r.cache.get(rows, pairs, missing))
	if err != nil {
		return err
	}
	return r.compute(pace.Still(ctx), rows, pairs, missing)
}

// portion is how many of some pairs are computed before others have their turn: all, where nobody shares the processors.
func (r *Rows) portion(ctx context.Context, all int) int {
	if source, ok := r.source.(interface{ Portion() int }); ok && pace.Shares(ctx) {
		return source.Portion()
	}
	return max(1, all)
}

// kept gives the rows that are there, and the numbers of the pairs whose rows are not.
func (r *Rows) kept(pairs []Pair) (rows []Row, missing []int) {
	rows = make([]Row, len(pairs))
	wanted := make([]int, 0, len(pairs))
	for i, p := range pairs {
		if r.source == nil || r.ranges.Closed(p) {
			rows[i].Stated = r.graph.Tails(p.Head, p.Relation)
		} else {
			wanted = append(wanted, i)
		}
	}
	return rows, r.cache.get(rows, pairs, wanted)
}

// read fills in the rows that the file has and gives the numbers of the pairs that it lacks.
func (r *Rows) read(rows []Row, pairs []Pair, wanted []int) (missing []int, err error) {
	if r.options.File == nil {
		return wanted, nil
	}
	for _, i := range wanted {
		row, found, err := r.options.File.row(pairs[i])
		switch {
		case err != nil:
			return nil, err
		case !found:
			missing = append(missing, i)
			continue
		}
		row.Stated = r.graph.Tails(pairs[i].Head, pairs[i].Relation)
		rows[i] = r.ranges.admitted(pairs[i], row)
		r.cache.put(pairs[i], rows[i])
	}
	return missing, nil
}

// compute makes the rows of some of the pairs, each once. They are sorted: those of one relation stand
// together, as networks share what depends on the relation alone.
func (r *Rows) compute(ctx context.Context, rows []Row, pairs []Pair, missing []int) error {
	var distinct []Pair
	at := make([]int, len(missing)) // of a missing pair's row in made
	for k, i := range missing {
		if k == 0 || pairs[i] != distinct[len(distinct)-1] {
			distinct = append(distinct, pairs[i])
		}
		at[k] = len(distinct) - 1
	}
	made := make([]Row, 0, len(distinct))
	err := r.predict(ctx, distinct, func(some []Row) error { // what is there when the context ends stays
		for i, row := range some {
			r.cache.put(distinct[len(made)+i], row)
		}
		made = append(made, some...)
		return nil
	})
	if err != nil {
		return err
	}
	for k, i := range missing {
		rows[i] = made[at[k]]
	}
	return nil
}
