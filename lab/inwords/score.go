package inwords

import (
	"bufio"
	"io"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// Score is how well a file of questions was answered. All but the number of questions are sums over them; Mean gives shares.
type Score struct {
	Questions int     `json:"questions"`
	Read      float64 `json:"read"`  // a name and a relation were found
	First     float64 `json:"first"` // the answer that most ways lead to is right
	Exact     float64 `json:"exact"` // all right answers were found, and no other
	F1        float64 `json:"f1"`
}

// Mean are shares of the questions.
func (s Score) Mean() Score {
	n := float64(max(1, s.Questions))
	return Score{s.Questions, s.Read / n, s.First / n, s.Exact / n, s.F1 / n}
}

// Run answers questions, one a line: the question, a tab, and the names of the right answers, parted by |.
func (r *Reader) Run(in io.Reader, name string) (total Score, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		question, answers, found := strings.Cut(lines.Text(), "\t")
		if !found {
			return total, kg.ErrorAt(kg.Invalid, kg.Place{Name: name, Line: n}, "expected a question, a tab and its answers")
		}
		total.add(r.score(question, strings.Split(answers, "|")))
	}
	if err := lines.Err(); err != nil {
		return total, kg.ReadError(name, err)
	}
	return total.Mean(), nil
}

func (s *Score) add(one Score) {
	s.Questions++
	s.Read, s.First, s.Exact, s.F1 = s.Read+one.Read, s.First+one.First, s.Exact+one.Exact, s.F1+one.F1
}

func (r *Reader) score(question string, right []string) (s Score) {
	reading, ok := r.Read(question)
	if !ok {
		return s
	}
	s.Read = 1
	wanted := map[string]bool{}
	for _, name := range right {
		wanted[name] = true
	}
	answers, hits := r.Answers(reading), 0
	for e := range answers {
		if wanted[r.graph.Entity(e)] {
			hits++
		}
	}
	if first, ok := First(answers); ok && wanted[r.graph.Entity(first)] {
		s.First = 1
	}
	if hits == len(wanted) && hits == len(answers) {
		s.Exact = 1
	}
	if hits > 0 {
		s.F1 = 2 * float64(hits) / float64(len(wanted)+len(answers))
	}
	return s
}
