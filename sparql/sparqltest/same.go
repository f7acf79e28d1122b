package sparqltest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Found takes what a query gave.
func Found(t testing.TB, r *results.Results) (Solutions, error) {
	t.Helper()
	s := Solutions{Ask: r.Ask, Truth: r.Truth, Graph: r.Graph, Vars: r.Vars}
	if r.Ask {
		return s, nil
	}
	for terms, err := range r.Rows {
		if err != nil {
			return s, err
		}
		row := map[string]term.Term{}
		for i, each := range terms {
			if each.Kind != term.Unbound {
				row[r.Vars[i]] = each
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s, nil
}

// Same tells whether two results say the same: bags of rows, or lists if ordered, whatever
// their blank nodes are called and however computed numbers are written.
func Same(a, b Solutions, ordered bool) bool {
	if a.Ask != b.Ask || a.Truth != b.Truth || a.Graph != b.Graph || len(a.Rows) != len(b.Rows) {
		return false
	}
	if !ordered && maps.Equal(a.bag(), b.bag()) {
		return true // the usual case, and fast for many rows
	}
	m := &matching{forth: map[string]string{}, back: map[string]string{}, used: make([]bool, len(b.Rows)), b: b.Rows, ordered: ordered, steps: 1_000_000}
	m.a = slices.Clone(a.Rows)
	if !ordered {
		slices.SortStableFunc(m.a, func(x, y map[string]term.Term) int { return blanksIn(x) - blanksIn(y) })
	}
	return m.from(0)
}

// Distinct drops rows that came before.
func (s Solutions) Distinct() Solutions {
	var rows []map[string]term.Term
	for _, row := range s.Rows {
		if !slices.ContainsFunc(rows, func(other map[string]term.Term) bool { return maps.Equal(row, other) }) {
			rows = append(rows, row)
		}
	}
	s.Rows = rows
	return s
}

// Difference are the rows that one of two bags has more often than the other, for messages.
func Difference(a, b Solutions) string {
	if a.Ask || b.Ask {
		return fmt.Sprintf(" got %v\nwant %v", a, b)
	}
	x, y := a.bag(), b.bag()
	var lines []string
	for row, n := range x {
		if n > y[row] {
			lines = append(lines, fmt.Sprintf(" got %d times more: %s", n-y[row], row))
		}
	}
	for row, n := range y {
		if n > x[row] {
			lines = append(lines, fmt.Sprintf("want %d times more: %s", n-x[row], row))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// bag counts rows by how they are written.
func (s Solutions) bag() map[string]int {
	counts := map[string]int{}
	for _, row := range s.Rows {
		counts[fmt.Sprint(row)]++ // in the order of the names
	}
	return counts
}

func blanksIn(row map[string]term.Term) (n int) {
	for _, t := range row {
		if t.Kind == term.Blank {
			n++
		}
	}
	return n
}

// matching looks for a bijection of blank nodes under which rows are the same, by trying.
type matching struct {
	a, b        []map[string]term.Term
	used        []bool
	forth, back map[string]string
	ordered     bool
	steps       int
}

// from matches the rows from one on.
func (m *matching) from(i int) bool {
	if i == len(m.a) {
		return true
	}
	for j := range m.b {
		if m.steps--; m.steps < 0 {
			return false
		}
		if m.used[j] || m.ordered && i != j {
			continue
		}
		bound, ok := m.rows(m.a[i], m.b[j])
		if ok {
			m.used[j] = true
			if m.from(i + 1) {
				return true
			}
			m.used[j] = false
		}
		for _, name := range bound {
			delete(m.back, m.forth[name])
			delete(m.forth, name)
		}
		if ok && len(bound) == 0 && blanksIn(m.a[i]) == 0 {
			return false // any other choice is the same one
		}
	}
	return false
}

// rows matches two rows, and gives the blank nodes that were bound for it.
func (m *matching) rows(a, b map[string]term.Term) (bound []string, ok bool) {
	if len(a) != len(b) {
		return nil, false
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		x, y := a[name], b[name]
		if x.Kind != term.Blank || y.Kind != term.Blank {
			if !sameTerm(x, y) {
				return bound, false
			}
			continue
		}
		to, seen := m.forth[x.Value]
		_, taken := m.back[y.Value]
		switch {
		case seen && to != y.Value, !seen && taken:
			return bound, false
		case !seen:
			m.forth[x.Value], m.back[y.Value] = y.Value, x.Value
			bound = append(bound, x.Value)
		}
	}
	return bound, true
}

// sameTerm also takes numbers of one type for the same that are written differently: of a
// computed one the recommendation gives the value.
func sameTerm(a, b term.Term) bool {
	if a.Kind != b.Kind || a.Datatype != b.Datatype || !strings.EqualFold(a.Language, b.Language) {
		return false
	}
	if a.Value == b.Value {
		return true
	}
	equal, decided := term.Equal(a, b)
	return a.Kind == term.Literal && a.Datatype != "" && equal && decided
}
