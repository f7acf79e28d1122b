package neural

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/factor"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// UsualBlend is for graphs that hold no facts out: what FB15k-237's validation facts chose, rounded.
var UsualBlend = factor.Blend{{UpTo: 0, Vectors: 0.1}, {UpTo: 5, Vectors: 0.2}, {UpTo: 30, Vectors: 0.3}, {Vectors: 0.4}}

// What a fit of a blend looks at: enough rows for two numbers of each part, which fit into a gigabyte.
const (
	blendRows   = 2000
	blendValues = 1 << 26
)

// FitBlend chooses how vectors are weighed beside the network of a predictor, by true facts that neither has
// seen: those weights under which a softmax over the tails that are not known holds the facts likeliest. How sharp the
// softmax is, is not the blend's to say: the network's logits stay as they are.
func (p *Predictor) FitBlend(ctx context.Context, vectors *factor.Model, held []kg.Triple, seed uint64) (factor.Blend, error) {
	if len(held) == 0 {
		return UsualBlend, nil
	}
	full, err := (&kg.Splits{Train: p.Graph, Valid: held}).UpToValid(ctx)
	if err != nil {
		return nil, err
	}
	defer full.Close()
	rows, err := p.rowsOf(ctx, vectors, drawFacts(held, min(blendRows, blendValues/full.NumEntities()), seed), full)
	if err != nil {
		return nil, err
	}
	return fitBlend(ctx, rows), kg.Stopped(ctx)
}

// drawFacts draws rows evenly, of either direction, and of each one of the facts that are missed in it: drawn by
// facts, the few rows with hundreds of them would decide.
func drawFacts(held []kg.Triple, most int, seed uint64) []kg.Triple {
	type row struct {
		head     kg.Entity
		relation kg.Relation
	}
	random, seen := rand.New(rand.NewPCG(seed, 0xb1e4d)), map[row]bool{}
	drawn := make([]kg.Triple, 0, most)
	for _, i := range random.Perm(2 * len(held)) {
		fact := held[i/2]
		if i%2 == 1 {
			fact = fact.Inverse()
		}
		if of := (row{fact.Head, fact.Relation}); !seen[of] && len(drawn) < most {
			seen[of] = true
			drawn = append(drawn, fact)
		}
	}
	return drawn
}

// blendRow is the logits of one row by the network and by vectors, the true tail's first and no other that is true.
type blendRow struct {
	logits [2][]float32
	stated int
}

// rowsOf has a row for each fact.
func (p *Predictor) rowsOf(ctx context.Context, vectors *factor.Model, facts []kg.Triple, full *kg.Graph) ([]blendRow, error) {
	heads, relations := make([]kg.Entity, len(facts)), make([]kg.Relation, len(facts))
	for i, f := range facts {
		heads[i], relations[i] = f.Head, f.Relation
	}
	rows, entities := make([]blendRow, len(facts)), p.Graph.NumEntities()
	for i, f := range facts {
		rows[i].stated = len(p.Graph.Tails(f.Head, f.Relation))
	}
	on, err := p.all(ctx)
	if err != nil {
		return nil, err
	}
	network := &Predictor{Model: p.Model, Graph: p.Graph, on: on} // without vectors that it may have, nor cuts
	err = network.Tails(ctx, heads, relations, func(from int, device kernel.Device, probabilities kernel.Buffer, _ []kg.Entity) error {
		values := make([]float32, probabilities.Len())
		device.Download(values, probabilities)
		for row := range slices.Chunk(values, entities) {
			rows[from].logits[0] = contest(row, facts[from], full, logitOf)
			from++
		}
		return device.Sync()
	})
	table := vectors.EntitiesUpTo(entities)
	parallel.Each(ctx, len(facts), func(i int) {
		values := make([]float32, entities)
		vectors.Logits(values, table, heads[i], relations[i])
		rows[i].logits[1] = contest(values, facts[i], full, func(z float32) float32 { return z })
	})
	return rows, err
}

// contest is the logits of a row: of the fact's tail, then of all that are no true tails.
func contest(values []float32, f kg.Triple, full *kg.Graph, logit func(float32) float32) []float32 {
	others := []float32{logit(values[f.Tail])}
	known := full.Tails(f.Head, f.Relation)
	for t, x := range values {
		if _, is := slices.BinarySearch(known, kg.Entity(t)); !is {
			others = append(others, logit(x))
		}
	}
	return others
}

func logitOf(p float32) float32 {
	return float32(math.Log((float64(p) + 1e-10) / (1 - float64(p) + 1e-10)))
}

// fitBlend fits the weights of all rows, then of each part, pulled a little towards the common ones.
func fitBlend(ctx context.Context, rows []blendRow) factor.Blend {
	all := fitWeights(ctx, rows, [2]float64{1, 0.3}, 0)
	blend := slices.Clone(UsualBlend)
	for i := range blend {
		var part []blendRow
		for _, r := range rows {
			if at := slices.IndexFunc(blend[:len(blend)-1], func(p factor.Part) bool { return r.stated <= p.UpTo }); at == i || at < 0 && i == len(blend)-1 {
				part = append(part, r)
			}
		}
		w := fitWeights(ctx, part, all, 1)
		blend[i].Vectors = float32(min(w[1]/max(w[0], 0.1*w[1]+1e-9), 10))
	}
	return blend
}

// fitWeights maximises the log likelihood of the true tails less pull/2·|w − towards|², which is concave, by Newton's method. A
// weight that would be negative is 0.
func fitWeights(ctx context.Context, rows []blendRow, towards [2]float64, pull float64) [2]float64 {
	w := towards
	for range 20 {
		g, h := blendSlope(ctx, rows, w)
		h[0], h[2] = h[0]+pull, h[2]+pull
		for i := range g {
			g[i] -= pull * (w[i] - towards[i])
		}
		determinant := h[0]*h[2] - h[1]*h[1]
		if !(determinant > 1e-12) {
			break
		}
		step := [2]float64{(h[2]*g[0] - h[1]*g[1]) / determinant, (h[0]*g[1] - h[1]*g[0]) / determinant}
		for i := range w {
			w[i] = min(max(w[i]+max(-0.5, min(0.5, step[i])), 0), 10)
		}
		if math.Abs(step[0])+math.Abs(step[1]) < 1e-4 {
			break
		}
	}
	return w
}

// blendSlope is the gradient of the log likelihood by both weights and, of its negative, the second derivatives: by the first, by
// both, by the second.
func blendSlope(ctx context.Context, rows []blendRow, w [2]float64) (g [2]float64, h [3]float64) {
	parts := make([][5]float64, len(rows))
	parallel.Each(ctx, len(rows), func(i int) { parts[i] = rows[i].slope(w) })
	for _, p := range parts {
		for i := range g {
			g[i] += p[i]
		}
		for i := range h {
			h[i] += p[2+i]
		}
	}
	return g, h
}

func (r blendRow) slope(w [2]float64) [5]float64 {
	mixed := func(i int) float64 { return w[0]*float64(r.logits[0][i]) + w[1]*float64(r.logits[1][i]) }
	top := math.Inf(-1)
	for i := range r.logits[0] {
		top = max(top, mixed(i))
	}
	sum, x, y, xx, xy, yy := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for i := range r.logits[0] {
		a, b, e := float64(r.logits[0][i]), float64(r.logits[1][i]), math.Exp(mixed(i)-top)
		sum, x, y = sum+e, x+e*a, y+e*b
		xx, xy, yy = xx+e*a*a, xy+e*a*b, yy+e*b*b
	}
	x, y = x/sum, y/sum
	return [5]float64{float64(r.logits[0][0]) - x, float64(r.logits[1][0]) - y, xx/sum - x*x, xy/sum - x*y, yy/sum - y*y}
}
