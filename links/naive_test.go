package links

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

const entities, relations = 12, 3

func randomGraph(rng *rand.Rand) *kg.Graph { return synth.Random(rng, entities, relations, 30) }

// table is a model of random numbers: the probability of every link, before any map. Some are
// 0, 1 and ties.
type table map[Pair][]float32

func randomTable(rng *rand.Rand) table {
	return tableOf(func() float32 {
		if p := rng.Float32(); rng.IntN(4) > 0 {
			return p
		}
		return float32(rng.IntN(3)) / 2
	})
}

// tableOf draws the probability of every link.
func tableOf(draw func() float32) table {
	t := table{}
	for h := range kg.Entity(entities) {
		for q := range kg.Relation(2 * relations) {
			row := make([]float32, entities)
			for i := range row {
				row[i] = draw()
			}
			t[Pair{h, q}] = row
		}
	}
	return t
}

const pairsAtOnce = 5

// Tails implements Source, a few pairs at a time.
func (t table) Tails(ctx context.Context, heads []kg.Entity, relations []kg.Relation, part func(int, kernel.Device, kernel.Buffer, []kg.Entity) error) error {
	for from := 0; from < len(heads); from += pairsAtOnce {
		var values []float32
		for i := from; i < min(from+pairsAtOnce, len(heads)); i++ {
			values = append(values, t[Pair{heads[i], relations[i]}]...)
		}
		if err := kg.Stopped(ctx); err != nil {
			return err
		}
		if err := onDevice(from, values, part); err != nil {
			return err
		}
	}
	return nil
}

// onDevice calls part with values on the plain device.
func onDevice(from int, values []float32, part func(int, kernel.Device, kernel.Buffer, []kg.Entity) error) error {
	device := plain.New()
	buffer := device.NewBuffer(len(values))
	device.Upload(buffer, values)
	return part(from, device, buffer, nil)
}

// link is the probability of a link by the formula, in double precision, lowered where its row promises too much.
func (t table) link(g *kg.Graph, m Map, p Pair, tail kg.Entity) float64 {
	stated := g.Tails(p.Head, p.Relation)
	if slices.Contains(stated, tail) {
		return 1
	}
	part := partFor(m, len(stated))
	if part.Lacks == 0 || len(stated) == 0 {
		return t.alone(g, part, p, tail)
	}
	promised := 0.0
	for v := range kg.Entity(entities) {
		if x := t.alone(g, part, p, v); x >= LeastPromised && !slices.Contains(stated, v) {
			promised += x
		}
	}
	most := 1 + 1.5*part.Lacks*float64(len(stated))
	if part.Room != 0 {
		most *= min(1, 4*math.Exp(room(g, p.Head, p.Relation)))
	}
	return t.alone(g, part, p, tail) * min(1, most/promised)
}

func partFor(m Map, stated int) Part {
	part := Uncalibrated()[0]
	for i, of := range m {
		if i == 0 || stated > m[i-1].UpTo {
			part = of
		}
	}
	return part
}

// alone is the probability of a link that is not stated, whatever else its row promises.
func (t table) alone(g *kg.Graph, part Part, p Pair, tail kg.Entity) float64 {
	n := len(g.Tails(p.Head, p.Relation))
	z := func(v int) float64 {
		x := float64(t[p][v])
		return math.Log((x + 1e-10) / (1 - x + 1e-10))
	}
	sum, top := 0.0, math.Inf(-1)
	for v := range t[p] {
		if !g.Has(kg.Triple{Head: p.Head, Relation: p.Relation, Tail: kg.Entity(v)}) {
			sum += math.Exp(z(v))
			top = max(top, z(v))
		}
	}
	s := part.Logit*z(int(tail)) + part.Total*math.Log(sum) + part.Top*top + part.Bias + part.Relations[p.Relation]
	s += part.Room*room(g, p.Head, p.Relation) + part.Range*min(0, room(g, tail, p.Relation.Inverse())+4)
	if n == 0 {
		s += part.None
	} else {
		s += part.Stated * math.Log(float64(n))
	}
	for i := len(part.Curve) - 1; i >= 0; i-- { // the last knot that is not beyond the score, or the first
		if k := part.Curve[i]; s >= k.Score || i == 0 {
			slope := 1.0
			if s >= k.Score && i+1 < len(part.Curve) {
				slope = (part.Curve[i+1].Logit - k.Logit) / (part.Curve[i+1].Score - k.Score)
			}
			s = k.Logit + slope*(s-k.Score)
			break
		}
	}
	return cmp.Or(part.Ceiling, 1) / (1 + math.Exp(-s))
}

// randomMap is METHOD's map, or one of other weights and with curves, in one part or several.
func randomMap(rng *rand.Rand) Map {
	if rng.IntN(3) == 0 {
		return nil
	}
	var m Map
	for i := range 1 + rng.IntN(3) {
		m = append(m, randomPart(rng))
		m[i].UpTo = i
	}
	return m
}

func randomPart(rng *rand.Rand) Part {
	m := Part{Logit: 0.5 + rng.Float64(), Total: -rng.Float64(), Top: rng.Float64() - 0.5, Stated: rng.Float64(), None: rng.Float64() - 0.5, Bias: rng.Float64() - 0.5}
	if rng.IntN(2) == 0 {
		m.Room, m.Range = 2*rng.Float64()-0.5, rng.Float64()
		m.Relations = map[kg.Relation]float64{1: rng.Float64()}
	}
	if rng.IntN(2) == 0 {
		m.Lacks = rng.Float64()
	}
	if rng.IntN(2) == 0 {
		m.Ceiling = 0.05 + 0.95*rng.Float64()
	}
	score, logit := -3.0, -3.0
	for range rng.IntN(4) {
		score, logit = score+0.1+2*rng.Float64(), logit+0.1+2*rng.Float64()
		m.Curve = append(m.Curve, Knot{score, logit})
	}
	return m
}

// naive evaluates by the definition, recursively, entity by entity and over all links.
func naive(g *kg.Graph, l fuzzy.Logic, link func(Pair, kg.Entity) float64, e query.Expr) []float64 {
	out := make([]float64, g.NumEntities())
	var operands [][]float64
	for _, operand := range query.Operands(e) {
		operands = append(operands, naive(g, l, link, operand))
	}
	for v := range out {
		switch e := e.(type) {
		case query.Anchor:
			out[v] = map[bool]float64{true: 1}[e.Entity == kg.Entity(v)]
		case query.Universe:
			out[v] = 1
		case query.Complement:
			out[v] = 1 - operands[0][v]
		case query.Intersection:
			out[v] = fold(l, kernel.And, operands, v)
		case query.Union:
			out[v] = fold(l, kernel.Or, operands, v)
		case query.Projection:
			for h, degree := range operands[0] {
				out[v] = max(out[v], plain.Apply(l.Norm, kernel.And, degree, link(Pair{kg.Entity(h), e.Relation}, kg.Entity(v))))
			}
		}
	}
	return out
}

func fold(l fuzzy.Logic, op kernel.LogicOp, operands [][]float64, v int) float64 {
	x := operands[0][v]
	for _, operand := range operands[1:] {
		x = plain.Apply(l.Norm, op, x, operand[v])
	}
	return x
}

func randomExpr(rng *rand.Rand, depth int) query.Expr {
	if depth == 0 {
		if rng.IntN(8) == 0 {
			return query.Universe{}
		}
		return query.Anchor{Entity: kg.Entity(rng.IntN(entities))}
	}
	switch rng.IntN(6) {
	case 0:
		return query.Complement{Of: randomExpr(rng, depth-1)}
	case 1, 2:
		operands := make([]query.Expr, 2+rng.IntN(2))
		for i := range operands {
			operands[i] = randomExpr(rng, depth-1)
		}
		if rng.IntN(2) == 0 {
			return query.Union{Of: operands}
		}
		return query.Intersection{Of: operands}
	}
	return query.Projection{Relation: kg.Relation(rng.IntN(2 * relations)), Of: randomExpr(rng, depth-1)}
}

// room is how usual one tail more is for an entity, by its definition.
func room(g *kg.Graph, e kg.Entity, q kg.Relation) float64 {
	if n := len(g.Tails(e, q)); n > 0 {
		atLeast := func(k int) (heads float64) {
			for x := range kg.Entity(entities) {
				if len(g.Tails(x, q)) >= k {
					heads++
				}
			}
			return heads
		}
		for n > 1 && atLeast(n) < 10 {
			n--
		}
		return math.Log((atLeast(n+1) + 0.5) / (atLeast(n) + 1))
	}
	count := func(of ...kg.Relation) (n float64) {
		for x := range kg.Entity(entities) {
			has := 1.0
			for _, r := range of {
				if len(g.Tails(x, r)) == 0 {
					has = 0
				}
			}
			n += has
		}
		return n
	}
	usual := (count(q) + 1) / (entities + 2)
	best := 0.0
	for r := range kg.Relation(2 * relations) {
		if len(g.Tails(e, r)) > 0 {
			best = max(best, (count(r, q)+usual)/(count(r)+1))
		}
	}
	best = cmp.Or(best, usual)
	return min(2, math.Log(best/(1-best)))
}
