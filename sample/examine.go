package sample

import (
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// world is what all attempts of a split share: the facts queries are grounded in
// and answered on, and the facts that are known beforehand.
type world struct {
	full  *kg.Graph
	small *kg.Graph // nil for training queries, whose answers are all known
	links *links
	limit int // of hard and of lost answers
	// Examiners fork these, so that they share what traversers learn of a graph.
	onFull, onSmall *symbolic.Traverser
	missing         int // links that the best derivation of a hard answer lacks; 0 for any number
	onTrain         *symbolic.MissingLinks
}

func newWorld(full, small *kg.Graph, limit int) *world {
	w := &world{full: full, small: small, links: newLinks(full, small), limit: limit, onFull: symbolic.NewTraverser(full)}
	if small != nil {
		w.onSmall = symbolic.NewTraverser(small)
	}
	return w
}

// lacking makes the world want an answer that lacks so many links of the observed facts.
func (w *world) lacking(observed *kg.Graph, links int) *world {
	if w.missing = links; links > 0 {
		w.onTrain = symbolic.NewMissingLinks(observed, w.full)
	}
	return w
}

// verdict is what became of an attempt to draw a query.
type verdict uint8

// The verdicts, in the order in which an attempt is examined.
const (
	// broken: an entity had no relation to go on by, or two operands became the same.
	broken verdict = iota
	// unanswered: no entity is an answer.
	unanswered
	// nothingHard: the held-out facts add no answer.
	nothingHard
	// nothingLost: the query negates and the held-out facts take no answer away.
	nothingLost
	// tooMany: more hard or more lost answers than the limit.
	tooMany
	// otherMissing: no hard answer lacks as many links as asked for.
	otherMissing
	// repeated: the query was drawn before.
	repeated
	// accepted: the query is part of the set.
	accepted

	numVerdicts
)

// examiner makes attempts in a world. It holds the scratch memory of one goroutine.
type examiner struct {
	*world
	source      rand.PCG
	ground      grounder
	ids         []uint32
	full, small *symbolic.Traverser
	lacks       *symbolic.MissingLinks
}

func newExaminer(w *world) *examiner {
	x := &examiner{world: w, full: w.onFull.Fork()}
	x.ground = grounder{links: w.links, random: rand.New(&x.source)}
	if w.small != nil {
		x.small = w.onSmall.Fork()
	}
	if w.missing > 0 {
		x.lacks = w.onTrain.Fork()
	}
	return x
}

// try makes one attempt at the template. Everything random about it follows from
// the stream and the number, so that attempts can be made in any order.
func (x *examiner) try(t *query.Template, stream, number uint64) (dataset.Query, verdict) {
	x.source.Seed(stream, scramble(number))
	x.ids = slices.Grow(x.ids[:0], t.Slots)[:t.Slots]
	answer := x.links.connected[x.ground.random.IntN(len(x.links.connected))]
	if !x.ground.ground(t, x.ids, answer, noRelation) {
		return dataset.Query{}, broken
	}
	if x.small == nil {
		return x.known(t.Fill(x.ids))
	}
	outlook := x.outlook(t, x.ids)
	if !outlook.gains {
		return dataset.Query{}, nothingHard
	}
	negates := t.Negates()
	if negates && !outlook.loses {
		return dataset.Query{}, nothingLost
	}
	return x.compare(t.Fill(x.ids), negates)
}

// known examines a training query.
func (x *examiner) known(e query.Expr) (dataset.Query, verdict) {
	answers := x.full.Answers(e)
	if len(answers) == 0 {
		return dataset.Query{}, unanswered
	}
	return dataset.Query{Expr: e, Easy: slices.Clone(answers)}, accepted
}

// compare examines a query by its answers with and without the held-out facts.
//
// Easy are all answers on the known facts, even those that the held-out facts
// take away from a query with a complement: so it is in BetaE's files.
func (x *examiner) compare(e query.Expr, negates bool) (dataset.Query, verdict) {
	all := x.full.Answers(e)
	if len(all) == 0 {
		return dataset.Query{}, unanswered
	}
	known := x.small.Answers(e)
	both := sorted.CountCommon(all, known)
	gained, lost := len(all)-both, len(known)-both
	switch {
	case gained == 0:
		return dataset.Query{}, nothingHard
	case negates && lost == 0:
		return dataset.Query{}, nothingLost
	case max(gained, lost) > x.limit:
		return dataset.Query{}, tooMany
	}
	hard := sorted.Difference(make([]kg.Entity, 0, gained), all, known)
	if x.missing > 0 && !slices.Contains(x.lacks.Of(e, hard), x.missing) {
		return dataset.Query{}, otherMissing
	}
	return dataset.Query{Expr: e, Easy: slices.Clone(known), Hard: hard}, accepted
}

// outlook is what held-out facts may do to a set: bring members or take some
// away. It is cheap and errs only towards may, so that a query refused by it
// would be refused by its answers too. On FB15k-237 it settles nine of ten
// attempts at intersections with complements.
type outlook struct{ gains, loses bool }

func (x *examiner) outlook(t *query.Template, ids []uint32) outlook {
	switch {
	case isLink(t):
		return outlook{gains: x.links.hasGrown(kg.Entity(ids[1]), kg.Relation(ids[0]))}
	case t.Kind == query.ProjectionKind:
		of := x.outlook(t.Of[0], ids[1:])
		return outlook{of.gains || x.links.anyGrown[ids[0]], of.loses}
	case t.Kind == query.ComplementKind:
		of := x.outlook(t.Of[0], ids)
		return outlook{gains: of.loses, loses: of.gains}
	}
	var either outlook
	for _, operand := range t.Of {
		of := x.outlook(operand, ids)
		either = outlook{either.gains || of.gains, either.loses || of.loses}
		ids = ids[operand.Slots:]
	}
	return either
}

// scramble spreads consecutive numbers over all 64 bits (the finaliser of
// splitmix64), as neighbouring seeds would start in neighbouring states.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
