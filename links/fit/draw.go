package fit

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
)

// world is a model on a graph that lacks facts, and the facts.
type world struct {
	options   Options
	predictor *neural.Predictor
	held      []kg.Triple
	full      *kg.Graph      // with those that are held out
	domains   *links.Domains // of the graph that lacks them
	rooms     *links.Domains // of heads on the graph as it is: one that lacks twice as much would make them look larger; nil for the same
	ranges    *links.Ranges  // of it, too
	random    *rand.Rand
	looked    int // rows so far
}

// missing is what is known of the facts that a graph lacks.
//
// Not all that is true and not stated is held out: test facts are held out elsewhere. A link that is certainly true is then one of those held out with
// the probability that is their share, and a regression that does not know it promises ever more of the surest links, of which it has seen
// few. Learning from such examples is known as learning from positive and unlabelled ones (Elkan and Noto, 2008).
type missing struct {
	each float64 // how many are held out for each fact that the graph states
	held float64 // their share, at most, of all that is true and not stated
	// hidden says that they are the graph's own. Only then is it fitted how both ends of a link have a say: on validation facts of CoDEx-M
	// their mean held better (ECE of two steps 2.9 % against 5.3 %).
	hidden bool
	// patterns is how well the values of each relation can be told by counting, in log-odds.
	patterns map[kg.Relation]float64
}

func (w *world) missing() missing {
	held := float64(len(w.held))
	return missing{held / float64(max(1, w.predictor.Graph.NumTriples())), held / max(1, held+float64(w.options.Elsewhere)), len(w.options.Held) == 0, nil}
}

// newWorld is a world that lacks the facts held out or, without any, those of one turn of hiding.
func (o Options) newWorld(ctx context.Context, turn turn) (*world, error) {
	w := &world{options: o, held: o.Held, random: rand.New(rand.NewPCG(o.Seed, 0x11bf+uint64(turn.number)))}
	w.options.Rows, w.looked = turn.rows, turn.number<<24 // so that no two rows have one number
	var err error
	if len(w.held) > 0 {
		if w.full, err = (&kg.Splits{Train: o.Graph, Valid: w.held}).UpToValid(ctx); err != nil {
			return nil, err
		}
		w.predictor, err = o.Model.On(ctx, o.Graph, "the graph")
	} else {
		w.full = o.Graph
		w.held = o.hide(turn.number)
		w.predictor, err = o.Model.OnRest(ctx, o.Graph, w.held)
	}
	if err != nil {
		return nil, err
	}
	w.domains, w.ranges = links.NewDomains(w.predictor.Graph), links.NewRanges(w.predictor.Graph, false).Counting()
	if w.full == o.Graph {
		w.rooms = links.NewDomains(o.Graph)
	}
	return w, nil
}

func (w *world) close() {
	w.predictor.Close()
	if w.full != w.options.Graph {
		w.full.Close()
	}
}

// drawing draws the rows that questions ask for, in groups. The first step of a question that has an answer comes to a pair
// that has a tail; the next comes from there to entities that have nothing of the kind, also to such as were only predicted; and
// a question of another form, or a wrong one, asks anything of anything.
//
// Few rows lack a fact where few are held out, and a fit learns little from the others. So more of the first steps are drawn from those
// that do, and count for less: a row counts for as many as it stands for.
type drawing struct {
	*world
	lacking, whole []links.Pair // that have a tail, and lack one or not
	share          float64      // of first steps that are drawn from the lacking
	of             []ofRelation // the lacking, where facts are hidden: each relation has to be learned
}

// ofRelation are pairs of a relation that lack a fact, and the share of the lacking that is drawn from them.
type ofRelation struct {
	pairs []links.Pair
	share float64
}

// enoughLacking is how many first steps should lack a fact, and enoughOfRelation of each relation, as long as others are left to tell what rows are like that lack none.
const (
	enoughLacking    = 50
	enoughOfRelation = 6
	mostLacking      = 0.7 // of them
)

// rowsOfGroup: two first steps, of the one a second step and of the other something else.
const rowsOfGroup = 4

func (w *world) newDrawing() drawing {
	d := drawing{world: w}
	relations := map[kg.Relation]bool{} // of the lacking
	pairs := w.allPairs
	if w.predictor.Cut() > 0 {
		pairs = w.somePairs
	}
	for p := range pairs {
		switch {
		case w.ranges.Closed(p) || w.predictor.Graph.Degree(p.Head) == 0: // nobody asks of what the graph says nothing of
		case len(w.full.Tails(p.Head, p.Relation)) > len(w.predictor.Graph.Tails(p.Head, p.Relation)):
			d.lacking = append(d.lacking, p)
			relations[p.Relation] = true
		default:
			d.whole = append(d.whole, p)
		}
	}
	firsts, enough := max(1, float64(w.options.Rows)/2), float64(enoughLacking)
	if w.predictor.Cut() == 0 { // a large graph has too many relations to learn of each
		enough = max(enough, float64(enoughOfRelation*len(relations)))
	}
	d.share = max(d.lackingShare(), min(mostLacking, enough/firsts))
	if w.rooms != nil && w.predictor.Cut() == 0 {
		d.of = byRelation(d.lacking)
	}
	return d
}

// byRelation has few pairs of relations with many, and twice as many read forwards, as people fill columns.
func byRelation(lacking []links.Pair) (all []ofRelation) {
	of := map[kg.Relation][]links.Pair{}
	for _, p := range lacking {
		of[p.Relation] = append(of[p.Relation], p)
	}
	sum := 0.0
	for _, q := range slices.Sorted(maps.Keys(of)) {
		share := math.Sqrt(float64(len(of[q])))
		if !q.IsInverse() {
			share *= 2
		}
		all, sum = append(all, ofRelation{of[q], share}), sum+share
	}
	for i := range all {
		all[i].share /= sum
	}
	return all
}

// allPairs are the pairs that have a tail.
func (w *world) allPairs(yield func(links.Pair) bool) {
	for h := range kg.Entity(w.full.NumEntities()) {
		for _, q := range w.relations(h) {
			if !yield(links.Pair{Head: h, Relation: q}) {
				return
			}
		}
	}
}

// pairsForAll is how many pairs stand for all of a large graph: hundreds of times as many as rows are looked at.
const pairsForAll = 1 << 17

// somePairs are some of those, each as likely as any other: the pair of an edge, in as many cases as it has edges, of which one is taken.
func (w *world) somePairs(yield func(links.Pair) bool) {
	if w.full.NumEdges() == 0 {
		return
	}
	for range pairsForAll {
		e := w.full.EdgeAt(w.random.IntN(w.full.NumEdges()))
		if w.random.IntN(len(w.full.Tails(e.Head, e.Relation))) > 0 {
			continue
		}
		if !yield(links.Pair{Head: e.Head, Relation: e.Relation}) {
			return
		}
	}
}

// lackingShare is the share of all pairs that lack a fact.
func (d drawing) lackingShare() float64 {
	return float64(len(d.lacking)) / float64(len(d.lacking)+len(d.whole))
}

// first is a first step, and for how many it counts.
func (d drawing) first() (p links.Pair, counts float64) {
	if len(d.lacking) == 0 || len(d.whole) == 0 {
		return d.any(), 1
	}
	if d.random.Float64() < d.share {
		p, counts = d.firstLacking()
		return p, counts * d.lackingShare() / d.share
	}
	return one(d.random, d.whole), (1 - d.lackingShare()) / (1 - d.share)
}

// firstLacking is one of the lacking, and for how many of them it counts.
func (d drawing) firstLacking() (p links.Pair, counts float64) {
	at := d.random.Float64()
	for _, of := range d.of {
		if at -= of.share; at < 0 {
			return one(d.random, of.pairs), float64(len(of.pairs)) / float64(len(d.lacking)) / of.share
		}
	}
	return one(d.random, d.lacking), 1
}

// any is one of all pairs.
func (d drawing) any() links.Pair {
	i := d.random.IntN(len(d.lacking) + len(d.whole))
	if i < len(d.lacking) {
		return d.lacking[i]
	}
	return d.whole[i-len(d.lacking)]
}

// second goes on from a first step: from one of its tails by a relation of one of them.
func (d drawing) second(first links.Pair) links.Pair {
	tails := d.full.Tails(first.Head, first.Relation)
	return links.Pair{Head: one(d.random, tails), Relation: one(d.random, d.relations(one(d.random, tails)))}
}

// fromPredicted goes on by a relation of one of the tails from an entity that is predicted to be one, drawn by its odds, which are 0 of stated ones.
func (d drawing) fromPredicted(first links.Pair, odds links.Odds) links.Pair {
	sum := 0.0
	for _, x := range odds.All() {
		sum += float64(x)
	}
	next, at := d.second(first), d.random.Float64()*sum
	for t, x := range odds.All() {
		if at -= float64(x); at < 0 {
			next.Head = t
			break
		}
	}
	return next
}

// anything asks of one of the tails what has nothing to do with it.
func (d drawing) anything(first links.Pair) links.Pair {
	return links.Pair{Head: one(d.random, d.full.Tails(first.Head, first.Relation)), Relation: d.any().Relation}
}

// relations are those of an entity, each once.
func (w *world) relations(e kg.Entity) []kg.Relation {
	relations, _ := w.full.Edges(e)
	return slices.Compact(slices.Clone(relations))
}

func one[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }
