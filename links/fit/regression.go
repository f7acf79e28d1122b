package fit

import (
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/links"
)

// Rows are fitted apart by how many tails are stated, where each part has enough facts to learn from.
var parts = []int{0, 5, 30, math.MaxInt}

// fit finds the map under which what was observed is likeliest.
func (o observations) fit(m missing) links.Map {
	var fitted links.Map
	rest := o.byRows()
	for _, upTo := range parts {
		some, others := rest.split(upTo)
		if len(others.links) > 0 && (some.found() < fewest || others.found() < fewest) {
			continue // goes with the next part
		}
		part := some.fitPart(m)
		part.UpTo, part.Lacks = upTo, m.each
		fitted = append(fitted, part)
		if rest = others; len(rest.links) == 0 {
			break
		}
	}
	fitted[len(fitted)-1].UpTo = 0 // without bound
	fitted[0].Ends = o.ends(fitted, m)
	return fitted
}

// plentyStated is the stated tails from which on a row counts for no more than one that has so many.
const plentyStated = 30

// byRows lets the links of rows with many stated tails count for less. Such a row lacks hundreds of facts where others lack one, which are
// found or not found together: a single row that a fit happens to see would say how likely the links of all others are.
func (o observations) byRows() observations {
	even := observations{rows: o.rows, links: slices.Clone(o.links)}
	for i, l := range even.links {
		even.links[i].weight *= byRow(l)
	}
	return even
}

// split takes the rows with up to so many stated tails from the others.
func (o observations) split(upTo int) (some, others observations) {
	for _, l := range o.links {
		if l.evidence.Stated <= upTo {
			some.links = append(some.links, l)
		} else {
			others.links = append(others.links, l)
		}
	}
	return some, others
}

func (o observations) fitPart(m missing) links.Part {
	hold, ceiling := ridge*min(1, o.weightOfFacts()), m.held
	free := weights{1, 1, 1, 1, 1, 1, 1, 1}
	if !m.hidden {
		free[6], free[7] = 0, 0
	}
	part := partOf(o.regression(start(), free, hold, ceiling).solution())
	for part.Room < 0 || part.Range < 0 { // by chance: nothing is likelier for being unusual
		if part.Room < 0 {
			free[6] = 0
		} else {
			free[7] = 0
		}
		part = partOf(o.regression(start(), free, hold, ceiling).solution())
	}
	if !(part.Logit > 0) { // the network tells nothing of these links
		part = links.Uncalibrated()[0]
	}
	part.Ceiling = ceiling
	if m.hidden {
		part.Relations = o.relations(part, hold)
	}
	part.Curve = o.curve(part)
	return part
}

// weightOfFacts is the mean weight of the links that are facts: the less they weigh, the less they should be held back.
func (o observations) weightOfFacts() (mean float64) {
	for _, l := range o.links {
		if l.held {
			mean += l.weight
		}
	}
	return mean / max(1, float64(o.found()))
}

// weights are the numbers of a part of a map, in the order of features.
type weights [8]float64

func (l link) features() weights {
	f := weights{l.logit, l.evidence.Total, l.evidence.Top, 0, 1, 1, l.evidence.Room, l.evidence.Tail}
	if l.evidence.Stated > 0 {
		f[3], f[4] = math.Log(float64(l.evidence.Stated)), 0
	}
	return f
}

func partOf(w weights) links.Part {
	return links.Part{Logit: w[0], Total: w[1], Top: w[2], Stated: w[3], None: w[4], Bias: w[5], Room: w[6], Range: w[7]}
}

// start are the weights of METHOD's map, and as much for the room of heads as the chance of one more tail is proportional to it.
func start() weights {
	m := links.Uncalibrated()[0]
	return weights{m.Logit, m.Total, m.Top, m.Stated, m.None, m.Bias, 1, 0.5}
}

func (w weights) dot(f weights) (sum float64) {
	for i := range w {
		sum += w[i] * f[i]
	}
	return sum
}

// How the regression is held: by a penalty on the distance from where it starts, which matters
// where little was observed, and by a number of steps that it does not need.
const (
	ridge    = 1
	maxSteps = 50
)

// regression is logistic regression below a ceiling: the probability of a link to be held out is that of its truth, sigmoid(w·f), times the ceiling. It
// is held near its start by a penalty.
type regression struct {
	links          []link
	features       []weights
	start          weights
	ridge, ceiling float64
}

// regression is one on the features that are free, which is 1, and not 0: the weights of others are 0.
func (o observations) regression(start, free weights, ridge, ceiling float64) regression {
	r := regression{o.links, make([]weights, len(o.links)), start.times(free), ridge, ceiling}
	for i, l := range o.links {
		r.features[i] = l.features().times(free)
	}
	return r
}

func (w weights) times(f weights) weights {
	for i := range w {
		w[i] *= f[i]
	}
	return w
}

// solution is the weights under which what was observed is likeliest, by Newton's method with steps that never lead uphill.
func (r regression) solution() weights {
	w := r.start
	now := r.surprise(w)
	for range maxSteps {
		step := r.newton(w)
		next, then, size := w, now, 1.0
		for ; size > 1e-6; size /= 2 {
			for i := range w {
				next[i] = w[i] + size*step[i]
			}
			if then = r.surprise(next); then < now {
				break
			}
		}
		if size <= 1e-6 || now-then < 1e-9*now {
			break
		}
		w, now = next, then
	}
	return w
}

// surprise is the negative logarithm of the likelihood, with the penalty.
func (r regression) surprise(w weights) (sum float64) {
	for i := range w {
		sum += r.ridge * (w[i] - r.start[i]) * (w[i] - r.start[i]) / 2
	}
	logOf, logRest := math.Log(r.ceiling), math.Log(1-r.ceiling)
	for i, l := range r.links {
		s := w.dot(r.features[i])
		switch {
		case l.held:
			sum += l.weight * (softplus(-s) - logOf)
		case l.denied:
			sum += l.weight * softplus(s)
		default: // 1 - c·sigmoid(s) is (1 + (1-c)·exp s) / (1 + exp s)
			sum += l.weight * (softplus(s) - softplus(s+logRest))
		}
	}
	return sum
}

// softplus is log(1 + exp x) without overflow.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// newton is the step to where the surprise would be least, were it quadratic with the curvature that is to be expected (Fisher's).
func (r regression) newton(w weights) weights {
	var gradient weights
	var curvature [len(w)]weights
	for i := range w {
		gradient[i], curvature[i][i] = r.ridge*(r.start[i]-w[i]), r.ridge
	}
	for n, l := range r.links {
		f := r.features[n]
		truth := 1 / (1 + math.Exp(-w.dot(f)))
		p := r.ceiling * truth
		untrue := 1.0 // the share of what is not held out that is not true
		switch {
		case l.denied: // which is no matter of what is held out
			p = truth
		case r.ceiling < 1:
			untrue = (1 - truth) / (1 - p)
		}
		pull := -p * untrue
		if l.held {
			pull = 1 - truth
		}
		bend := l.weight * p * (1 - truth) * untrue
		for i := range f {
			gradient[i] += l.weight * pull * f[i]
			for j := range i + 1 {
				curvature[i][j] += bend * f[i] * f[j]
			}
		}
	}
	for i := range w {
		for j := range i {
			curvature[j][i] = curvature[i][j]
		}
	}
	return solve(curvature, gradient)
}

// solve solves a·x = b for a that is symmetric and positive definite, by Gauss.
func solve(a [len(weights{})]weights, b weights) (x weights) {
	n := len(b)
	for i := range n {
		for r := i + 1; r < n; r++ {
			factor := a[r][i] / a[i][i]
			for c := i; c < n; c++ {
				a[r][c] -= factor * a[i][c]
			}
			b[r] -= factor * b[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		x[i] = b[i]
		for c := i + 1; c < n; c++ {
			x[i] -= a[i][c] * x[c]
		}
		x[i] /= a[i][i]
	}
	return x
}
