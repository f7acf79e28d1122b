package fit

import (
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/links"
)

// lines fits the lines of each kind of questions, starting from the usual ones: where little was observed they stay near.
// One step is left to the map of links.
func (a asked) lines() links.Answers {
	lines := links.UsualAnswers()
	for kind, usual := range lines {
		none, some := evenly(a[kind]).split(0)
		lines[kind] = links.Lines{None: none.line(usual.None), Some: some.byDegree().line(usual.Some)}
	}
	return lines
}

// byDegree are the predictions as a line sees them that does not read how many answers are known and expected: with some
// dozens of questions these promise twice what they keep.
func (o observations) byDegree() observations {
	alike := observations{o.rows, slices.Clone(o.links)}
	for i := range alike.links {
		alike.links[i].evidence = links.Evidence{Stated: 1}
	}
	return alike
}

func (o observations) line(usual links.Line) links.Line {
	start := weights{0: usual.Slope, 1: usual.Total, 3: usual.Known, 5: usual.Offset}
	w := o.regression(start, slowly, 1).solution()
	if !(w[0] > 0) {
		return usual
	}
	return links.Line{Slope: w[0], Total: w[1], Known: w[3], Offset: w[4] + w[5]}
}

// slowly is the penalty of lines: the predictions of a question are not independent, and questions few.
const slowly = 30

// evenly leaves out answers that no derivation leads to, and lets questions count alike: the predictions of one
// are right or wrong together, and hundreds of them would drown those of others.
func evenly(questions [][]link) (even observations) {
	const plenty = 1 // answer expected of a question
	for _, predictions := range questions {
		expected := 0.0
		for _, l := range predictions {
			expected += l.weight / (1 + math.Exp(-l.logit))
		}
		for _, l := range predictions {
			if !math.IsInf(l.logit, 0) {
				l.weight *= plenty / (plenty + expected)
				even.links = append(even.links, l)
			}
		}
	}
	return even
}
