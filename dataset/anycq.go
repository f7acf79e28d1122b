package dataset

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// ReadAnyCQ reads a file of queries as AnyCQ (github.com/kolejnyy/ANYCQ) has them: an object of
// formulas over r1, s1 (given entities), e1 (bound variables) and f1 (answers),
//
//	{"(r1(s1,e1))&(!(r2(e1,f1)))": [[{"r1": 39, "r2": 173, "s1": 371}, {"f1": [[59]]}, {"f1": [[73]]}]]}
//
// each with a list of ids, answers and either wrong ones (query answer classification) or the kind
// (retrieval). Relations and entities are numbered as in the BetaE release of the same graph.
// The queries come in the order of their formulas.
func ReadAnyCQ(in io.Reader, name string) ([]TupleQuery, error) {
	return readFormulas(in, name, anyCQEntry)
}

// readFormulas reads an object of formulas, each with a list of queries.
func readFormulas(in io.Reader, name string, read func(formula string, entry []json.RawMessage) (TupleQuery, error)) ([]TupleQuery, error) {
	var file map[string][][]json.RawMessage
	if err := json.NewDecoder(in).Decode(&file); err != nil {
		return nil, kg.Errorf(kg.Invalid, name, "%v", err)
	}
	var all []TupleQuery
	for _, formula := range slices.Sorted(maps.Keys(file)) {
		for i, entry := range file[formula] {
			q, err := read(formula, entry)
			if err != nil {
				return nil, kg.Errorf(kg.Invalid, name, "query %d of %.60s: %v", i+1, formula, err)
			}
			all = append(all, q)
		}
	}
	return all, nil
}

// anyCQEntry reads the ids of one query and its answers.
func anyCQEntry(formula string, entry []json.RawMessage) (q TupleQuery, err error) {
	if len(entry) != 3 {
		return q, fmt.Errorf("%d parts, expected ids, answers, and wrong answers or the kind", len(entry))
	}
	var ids map[string]uint32
	if err := json.Unmarshal(entry[0], &ids); err != nil {
		return q, fmt.Errorf("its ids: %w", err)
	}
	if q.Query, err = anyCQFormula(formula, ids); err != nil {
		return q, err
	}
	if q.Right, err = anyCQTuples(entry[1], len(q.Query.Answers)); err != nil {
		return q, err
	}
	if json.Unmarshal(entry[2], &q.Kind) == nil {
		return q, nil
	}
	q.Wrong, err = anyCQTuples(entry[2], len(q.Query.Answers))
	return q, err
}

// anyCQTuples reads {"f1&f2": [[3905, 1378], …]}.
func anyCQTuples(text json.RawMessage, variables int) ([][]kg.Entity, error) {
	var of map[string][][]kg.Entity
	if err := json.Unmarshal(text, &of); err != nil {
		return nil, fmt.Errorf("its answers: %w", err)
	}
	var all [][]kg.Entity
	for _, key := range slices.Sorted(maps.Keys(of)) {
		for _, tuple := range of[key] {
			if len(tuple) != variables {
				return nil, fmt.Errorf("an answer of %s, expected %d", count.Of(len(tuple), "entity"), variables)
			}
			all = append(all, tuple)
		}
	}
	return all, nil
}

var anyCQName = regexp.MustCompile(`\b[ef][0-9]*\b`)

// anyCQFormula reads a formula as one of the query language: its letters say what is a variable.
func anyCQFormula(formula string, ids map[string]uint32) (*query.Query, error) {
	var bound, answers []string
	for _, name := range anyCQName.FindAllString(formula, -1) {
		if list := map[byte]*[]string{'e': &bound, 'f': &answers}[name[0]]; !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	slices.Sort(answers)
	slices.Sort(bound)
	text := "? : "
	if len(answers) > 0 {
		text = "?" + strings.Join(answers, ", ?") + " : "
	}
	if len(bound) > 0 {
		text += "∃" + strings.Join(bound, ", ") + " : "
	}
	q, err := query.Parse(text + formula)
	if err != nil {
		return nil, err
	}
	lacking := ""
	numbered := func(n query.Name) query.Name {
		id, known := ids[n.Text]
		if !known {
			lacking = n.Text
		}
		return query.Name{ID: id, ByID: true}
	}
	term := func(t query.Term) query.Term {
		if c, ok := t.(query.Constant); ok {
			return query.Constant{Name: numbered(c.Name)}
		}
		return t
	}
	q.Body = query.Map(q.Body, func(f query.Formula) query.Formula {
		switch f := f.(type) {
		case query.Atom:
			return query.Atom{Relation: query.RelationName{Name: numbered(f.Relation.Name), Inverse: f.Relation.Inverse}, From: term(f.From), To: term(f.To)}
		case query.Equals:
			return query.Equals{Left: term(f.Left), Right: term(f.Right)}
		}
		return f
	})
	if lacking != "" {
		return nil, fmt.Errorf("no id of %q", lacking)
	}
	return q, nil
}
