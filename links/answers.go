package links

import (
	"math"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
)

// Answers make the probability of an answer to a whole question from the degree of its best derivation, by the
// kind of the question. Links that hold one by one do not make their product hold: an answer has many derivations
// of which only the best is counted, who does one of the things that a question asks for is likelier to do the
// other, and a question to which the graph states no answer has one all the same. Kinds that are not there are left as they are.
type Answers map[Kind]Lines

// Lines are for questions of which the graph states some answers and for those of which it states none.
type Lines struct {
	Some Line `json:"some"`
	None Line `json:"none"`
}

// Line bends the degree d of a prediction. With Σ the sum and m the largest of the degrees of all predictions of a question, its probability is
//
//	sigmoid(Slope·logit d + Total·log Σ + Top·logit m + Offset)
//
// Slope is above 0: the order of the predictions stays.
type Line struct {
	Slope  float64 `json:"slope"`
	Total  float64 `json:"total"`
	Top    float64 `json:"top,omitempty"`
	Offset float64 `json:"offset"`
}

// UsualAnswers are the lines of graphs by and large (docs/lab/reliability.md says which they were fitted to). Where the graph
// states answers they have no offset: what is as likely as not stays so, and the rest comes nearer to it.
func UsualAnswers() Answers {
	unheardOf := Line{Slope: 0.8, Offset: 1.85}              // several steps lead to no stated answer: whole stretches of the way are missing
	unheardOfMeeting := Line{Slope: 1, Top: -1.1, Offset: 1} // nobody is stated to be both, and somebody is: the likeliest leads to the answers
	unheardOfJoined := Line{Slope: 0.6, Offset: 0.5}
	some := func(slope float64) Line { return Line{Slope: slope} }
	return Answers{
		TwoSteps:              {Some: some(0.88), None: Line{Slope: 0.93, Offset: 1.2}},
		ThreeSteps:            {Some: some(0.80), None: unheardOf},
		Intersection:          {Some: some(0.77), None: Line{Slope: 1.28, Total: -1.78}},
		IntersectionOfSteps:   {Some: some(0.69), None: unheardOf},
		StepsFromIntersection: {Some: some(0.93), None: unheardOfMeeting},
		Negation:              {Some: some(0.97), None: Line{Slope: 0.92, Offset: 2.03}},
		NegationOfSteps:       {Some: some(0.96), None: Line{Slope: 0.89, Offset: 1.34}},
		StepsFromNegation:     {Some: some(0.88), None: Line{Slope: 0.55, Offset: 0.51}},
		NoTree:                {Some: some(0.75), None: unheardOfJoined},
		NoTreeWithNegation:    {Some: some(1), None: unheardOfJoined},
		YesOrNo:               {Some: some(0.6), None: some(0.6)},
	}
}

// Of is the line of questions of which the graph states some answer, or none.
func (l Lines) Of(some bool) Line {
	if some {
		return l.Some
	}
	return l.None
}

// straight leaves degrees as they are, to the bit.
var straight = Line{Slope: 1}

// At is the probability of a degree by a line that reads nothing else, as those of questions that are no trees do: their answers are found one
// by one, the likeliest first, and how many there are nobody knows. What is impossible and what is certain stay.
func (l Line) At(degree float64) float64 {
	if degree <= 0 || degree >= 1 || l == straight {
		return degree
	}
	return 1 / (1 + math.Exp(-l.Slope*logit(degree)-l.Offset))
}

// Degree is that of a probability: the inverse of At.
func (l Line) Degree(probability float64) float64 {
	if probability <= 0 || probability >= 1 || l == straight {
		return probability
	}
	return 1 / (1 + math.Exp((l.Offset-logit(probability))/l.Slope))
}

// Check refuses lines that no fit gives.
func (a Answers) Check() error {
	for kind, lines := range a {
		for _, line := range []Line{lines.Some, lines.None} {
			if err := line.part().check(); err != nil {
				return kg.Errorf(kg.Invalid, "", "answers of %v: %v", kind, err)
			}
		}
	}
	return nil
}

// Map is the lines as a map of links: it reads the same of a question as of a row, log Σ for Total and logit m for Top.
func (l Lines) Map() Map { return Map{l.None.part(), l.Some.part()} }

func (l Line) part() Part {
	return Part{Logit: l.Slope, Total: l.Total, Top: l.Top, Bias: l.Offset}
}

// leastCounted is the degree from which predictions are counted: below it a step need not have found the best.
const leastCounted = DefaultWeight

// Look says what lines read of the answers to a question.
func Look(degrees, known fuzzy.View) (e Evidence) {
	const nothing = 0.01 // so that the logarithm is finite
	sum, top := nothing, float64(leastCounted)
	e.Stated = known.CountAtLeast(0)
	for entity, d := range degrees.All() {
		if d >= leastCounted && known.At(entity) == 0 {
			sum += float64(d)
			top = max(top, min(float64(d), belowOne))
		}
	}
	e.Total, e.Top = math.Log(sum), logit(top)
	return e
}

// Of gives the probabilities of the answers to a program from their degrees. What traversal finds (known) stays as it is.
func (a Answers) Of(p *plan.Program, degrees, known fuzzy.View) fuzzy.View {
	lines, found := a[KindOf(p)]
	if !found {
		return degrees
	}
	evidence := Look(degrees, known)
	part := lines.Map().Of(evidence.Stated)
	offset := part.offset(evidence)
	return degrees.Map(func(e kg.Entity, d float32) float32 {
		if d < 1 && known.At(e) == 0 {
			return float32(part.probability(part.Logit*logit(float64(d)) + offset))
		}
		return d
	})
}
