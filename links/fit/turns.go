package fit

import (
	"context"
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/kg"
)

// A small graph has few facts to hide at a time, so that facts of it take turns: each is hidden in one of several copies. Of a large one, and where facts are held out
// anyhow, rows of one graph are looked at, and parted.

// turn is one graph that lacks facts.
type turn struct{ number, rows int }

const (
	turns     = 5
	inTurnsTo = 100_000 // facts of a graph
)

func (o Options) inTurns() bool {
	return len(o.Held) == 0 && o.Model.CutOf(o.Graph) == 0 && o.Graph.NumTriples() <= inTurnsTo && o.Share*turns <= 1 && o.Rows >= turns*fewestRows
}

// heldOut is how many facts are, or will be hidden, in all turns together.
func (o Options) heldOut() int {
	switch n := int(o.Share * float64(o.Graph.NumTriples())); {
	case len(o.Held) > 0:
		return len(o.Held)
	case o.inTurns():
		return turns * n
	default:
		return n
	}
}

// seen are links of rows of graphs that lack facts, in parts that are fitted on in turns.
type seen struct {
	parts   []observations
	held    int // facts held out
	rows    int // that were wanted
	missing missing
}

func (s seen) all() (all observations) { return s.without(-1) }

// without is all but one part.
func (s seen) without(part int) (others observations) {
	for i, of := range s.parts {
		if i != part {
			others = others.and(of)
		}
	}
	return others
}

// look holds facts out, and collects the links of rows.
func (o Options) look(ctx context.Context) (s seen, err error) {
	if o, err = o.withDefaults(); err != nil {
		return s, err
	}
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if o.Time > 0 {
		bounded, cancel = context.WithTimeout(ctx, o.Time)
	}
	defer cancel()
	s.rows = o.Rows
	if !o.inTurns() {
		halves, _, err := o.lookAt(ctx, bounded, turn{rows: o.Rows}, &s)
		s.parts, s.missing.patterns = halves[:], o.patterns()
		return s, err
	}
	cells := o.cells()
	rows := o.Rows - len(cells)
	for number := range turns {
		done, of := number*rows/turns, o
		of.Progress = func(rows, _ int) { o.Progress(done+rows, o.Rows) }
		halves, hopeless, err := of.lookAt(ctx, bounded, turn{number, (number+1)*rows/turns - done}, &s)
		if err != nil {
			return s, err
		}
		if s.parts = append(s.parts, halves[0].and(halves[1])); hopeless || bounded.Err() != nil {
			break
		}
	}
	s.missing.patterns = o.patterns()
	if err = o.ask(bounded, cells, s.parts); bounded.Err() != nil && ctx.Err() == nil {
		err = nil
	}
	return s, err
}

// lookAt looks at the rows of one graph until the time is over: what was seen by then is all there is.
func (o Options) lookAt(ctx, bounded context.Context, turn turn, s *seen) (halves [2]observations, hopeless bool, err error) {
	w, err := o.newWorld(ctx, turn)
	if err != nil {
		return halves, false, err
	}
	defer w.close()
	s.held, s.missing = s.held+len(w.held), w.missing()
	halves[0], halves[1], hopeless, err = w.observe(bounded)
	if bounded.Err() != nil && ctx.Err() == nil {
		err = nil
	}
	return halves, hopeless, err
}

// hide draws the facts that are hidden in a turn. A graph that links are predicted on cuts of is too large to shuffle. Of a fact at most one end may be left without any: a cell of a
// table may hold what no other has, and nobody finds it then.
func (o Options) hide(number int) (hidden []kg.Triple) {
	if o.Model.CutOf(o.Graph) > 0 {
		return eval.HideEach(o.Graph, o.Share, o.Seed)
	}
	facts := make([]kg.Triple, 0, o.Graph.NumTriples())
	for t := range o.Graph.Triples() {
		facts = append(facts, t)
	}
	random := rand.New(rand.NewPCG(o.Seed, 0x68696465))
	random.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	size := int(o.Share * float64(len(facts)))
	gone := map[kg.Entity]int{}
	isLast := func(e kg.Entity) bool { return gone[e]+1 >= o.Graph.Degree(e) }
	for _, t := range facts[number*size:] {
		if len(hidden) == size {
			break
		}
		if !(isLast(t.Head) && isLast(t.Tail)) {
			gone[t.Head]++
			gone[t.Tail]++
			hidden = append(hidden, t)
		}
	}
	return hidden
}
