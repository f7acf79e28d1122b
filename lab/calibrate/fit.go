package calibrate

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
)

// Fit is the map that makes hidden facts likeliest: logit → Scale·logit + Bias.
type Fit struct {
	Scale float64 `json:"scale"` // above 0; 1 divided by it is the temperature
	Bias  float64 `json:"bias"`
	// What it was fitted on: single links that the graph does not state, and how many of them are true.
	Links int `json:"links"`
	True  int `json:"true"`
	// Mean negative log likelihood of a query's links.
	LossBefore float64 `json:"loss_before"`
	LossAfter  float64 `json:"loss_after"`
}

// links are logits of unknown links with their truth.
type links struct {
	logit   []float64
	weight  []float64 // 1, or how many false links it stands for
	truth   []bool
	queries int
}

// flat is by how much logits are divided on their way through the sigmoid. Probabilities
// in 32 bits tell logits above 17 no longer from each other, and an over-confident model has
// many of these.
const flat = 16

// links asks the model for every link of the queries' heads and relations.
func (w *world) links(ctx context.Context, o Options) (*links, error) {
	undo, err := scaleLogits(o.Model.Network, 1./flat, 0)
	if err != nil {
		return nil, err
	}
	defer undo()
	l := &links{}
	random := rand.New(rand.NewPCG(o.Seed, 0x6c696e6b))
	for _, s := range w.shapes {
		err := w.answers(ctx, s.queries, func(q dataset.Query, set fuzzy.Set) {
			l.add(q, set, o.Candidates, random)
			o.Progress("fitting", l.queries, w.total())
		})
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// add takes in the likeliest links of one query but those that are known; all if most is below 0.
func (l *links) add(q dataset.Query, set fuzzy.Set, most int, random *rand.Rand) {
	l.queries++
	candidates := unknown(nil, q, set)
	if most >= 0 {
		for _, c := range likeliest(candidates, most) {
			l.put(c, 1)
		}
		return
	}
	share := min(1, maxFalse/float64(len(candidates)))
	for _, c := range candidates {
		switch {
		case c.truth:
			l.put(c, 1)
		case share == 1 || random.Float64() < share:
			l.put(c, 1/share)
		}
	}
}

// maxFalse is the most false links of a query that are kept; of more a sample stands for all.
const maxFalse = 1 << 15

func (l *links) put(c candidate, weight float64) {
	l.logit = append(l.logit, flat*logit(float64(c.probability)))
	l.truth, l.weight = append(l.truth, c.truth), append(l.weight, weight)
}

// logit is bounded where a probability of 32 bits has reached its end.
func logit(p float64) float64 {
	const least = 1e-9
	p = min(max(p, least), 1-least)
	return math.Log(p / (1 - p))
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// prior pulls the map to where it changes nothing, as strongly as one link would: where the
// truth is separated without error the likeliest scale would be without bound.
const prior = 1

// fit maximises the likelihood of a and b by Newton's method, halving steps that go too far:
//
//	loss(a, b) = Σ w·log(1 + exp(−s·(a·z + b))) + prior/2·((a−1)² + b²),  s = ±1 for true and false
func (l *links) fit(ctx context.Context) (Fit, error) {
	a, b := 1., 0.
	at := l.at(a, b)
	before := at.loss
	for range 100 {
		if err := kg.Stopped(ctx); err != nil {
			return Fit{}, err
		}
		da, db := at.step()
		size := 1.
		next := l.at(a-da, b-db)
		for next.loss > at.loss && size > 1e-6 {
			size /= 2
			next = l.at(a-size*da, b-size*db)
		}
		a, b = a-size*da, b-size*db
		done := at.loss-next.loss < 1e-9*(1+at.loss)
		if at = next; done {
			break
		}
	}
	if !(a > 0) {
		return Fit{}, kg.Errorf(kg.Invalid, "calibrate", "the likelier the model holds a link, the rarer it is true on this graph: its probabilities cannot be made to mean anything")
	}
	f := Fit{Scale: a, Bias: b, Links: len(l.logit), LossBefore: before / float64(l.queries), LossAfter: at.loss / float64(l.queries)}
	for _, truth := range l.truth {
		if truth {
			f.True++
		}
	}
	return f, nil
}

// point is the loss with its first and second derivatives at one a and b.
type point struct{ loss, ga, gb, haa, hab, hbb float64 }

func (l *links) at(a, b float64) point {
	p := point{loss: prior / 2. * ((a-1)*(a-1) + b*b), ga: prior * (a - 1), gb: prior * b, haa: prior, hbb: prior}
	for i, z := range l.logit {
		w, x := l.weight[i], a*z+b
		q := sigmoid(x)
		slope := q
		if l.truth[i] {
			slope, x = q-1, -x
		}
		p.loss += w * softplus(x)
		p.ga += w * slope * z
		p.gb += w * slope
		h := w * q * (1 - q)
		p.haa += h * z * z
		p.hab += h * z
		p.hbb += h
	}
	return p
}

// softplus is log(1 + exp(x)) without overflow.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// step solves the two equations of Newton's step; the prior keeps the matrix definite.
func (p point) step() (da, db float64) {
	determinant := p.haa*p.hbb - p.hab*p.hab
	return (p.hbb*p.ga - p.hab*p.gb) / determinant, (p.haa*p.gb - p.hab*p.ga) / determinant
}
