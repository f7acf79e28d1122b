package kg

import (
	"cmp"
	"encoding/json"
	"slices"
)

// Said is what a statement says of its fact, as one text, so that facts with it are keys as others are: "" for nothing, else
// the annotations in order, as JSON has them: [{"relation": "from", "value": "…"}].
type Said string

// NewSaid is what a list of annotations says, in any order.
func NewSaid(of []Annotation) Said {
	if len(of) == 0 {
		return ""
	}
	of = slices.Clone(of)
	slices.SortFunc(of, func(a, b Annotation) int {
		return cmp.Or(cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Value, b.Value))
	})
	text, _ := json.Marshal(slices.Compact(of)) // of texts alone, which never fails
	return Said(text)
}

// Annotations is the list.
func (s Said) Annotations() (of []Annotation) {
	if s != "" {
		_ = json.Unmarshal([]byte(s), &of) // which NewSaid made
	}
	return of
}

func (s Said) String() string {
	text := ""
	for i, a := range s.Annotations() {
		if i > 0 {
			text += ", "
		}
		text += a.Relation + " " + a.Value
	}
	return text
}

// MarshalJSON writes the list.
func (s Said) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("[]"), nil
	}
	return []byte(s), nil
}

// UnmarshalJSON reads a list in any order.
func (s *Said) UnmarshalJSON(text []byte) error {
	var of []Annotation
	if err := json.Unmarshal(text, &of); err != nil {
		return err
	}
	*s = NewSaid(of)
	return nil
}

func hasSaid(f Fact) bool { return f.Said != "" }

// changeSaid is a change of facts some of which come with what is said of them: first that of the facts, then of what is said.
// To remove a fact with what is said of it removes that statement and leaves the fact.
func (g *Graph) changeSaid(add, remove []Fact, exactly bool, change func(add, remove []Fact) (*Graph, ChangeReport, error)) (*Graph, ChangeReport, error) {
	for _, f := range slices.Concat(add, remove) {
		for _, a := range f.Said.Annotations() {
			for _, name := range []string{a.Relation, a.Value} {
				if err := (&names{Dictionary: Dictionary{Names: &Names{}}, one: "annotation"}).checkNew(name); err != nil {
					return nil, ChangeReport{}, err
				}
			}
		}
	}
	next, report, err := change(withoutSaid(add), slices.DeleteFunc(slices.Clone(remove), hasSaid))
	if err != nil {
		return nil, report, err
	}
	before, after := newStatementFinder(g, exactly), newStatementFinder(next, exactly)
	lost, err := before.said(remove)
	if err == nil {
		var gained map[Triple]map[Said]bool
		if gained, err = after.said(add); err == nil {
			next.annotations = next.annotations.changed(g, gained, lost, &report)
			report.Unknown += countSaid(remove)
			return next, report, nil
		}
	}
	next.Close()
	return nil, ChangeReport{}, err
}

func withoutSaid(facts []Fact) []Fact {
	all := slices.Clone(facts)
	for i := range all {
		all[i].Said = ""
	}
	return all
}

func countSaid(facts []Fact) (n int) {
	for _, f := range facts {
		if hasSaid(f) {
			n++
		}
	}
	return n
}

// said are the statements of facts with annotations, where their names are known.
func (s *statementFinder) said(facts []Fact) (map[Triple]map[Said]bool, error) {
	all := map[Triple]map[Said]bool{}
	for _, f := range facts {
		if !hasSaid(f) {
			continue
		}
		t, known, err := s.names.triple(f, false)
		if err != nil {
			return nil, err
		}
		if !known {
			continue
		}
		if all[t] == nil {
			all[t] = map[Said]bool{}
		}
		all[t][f.Said] = true
	}
	return all, nil
}

// changed are the annotations with some statements more and others less, which the report counts: of facts that were stated
// before, as the others count already.
func (a *Annotations) changed(before *Graph, gained, lost map[Triple]map[Said]bool, report *ChangeReport) *Annotations {
	var b AnnotationBuilder
	for i := range a.Len() {
		t, of := a.At(i)
		said := NewSaid(of)
		if lost[t][said] && !gained[t][said] {
			report.Removed++
			report.Unknown--
			continue
		}
		if lost[t][said] {
			report.Unknown--
		}
		delete(gained[t], said)
		b.Add(t, of)
	}
	for t, list := range gained {
		for said := range list {
			b.Add(t, said.Annotations())
			if before.states(t) {
				report.Added++
				report.Known--
			}
		}
	}
	return b.Annotations()
}
