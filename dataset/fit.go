package dataset

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// fitSuffix ends the names of FIT's files, such as test_real_EFO1_qaa.json: queries, answers, answers.
const fitSuffix = "qaa.json"

// ReadFIT reads a file of queries as FIT (github.com/HKUST-KnowComp/FIT) has them, and EFOK-CQA after it. Its formulas are those of AnyCQ, whose answer may
// also be called f, and a query has its easy and its hard answers, as tuples or, of one variable, as numbers:
//
//	{"((r1(s1,e1))&(r2(e1,f)))&(r3(e1,f))": [[{"s1": 371, "r1": 39, "r2": 173, "r3": 12}, {"f": [59]}, {"f": [73, 8]}]]}
//
// A query of training has no hard ones, []. Relations and entities are numbered as in the BetaE release of the same graph. The queries come in the order of
// their formulas, each with the name of its type: FIT's own, the shape of a tree, or else the formula.
func ReadFIT(in io.Reader, name string) ([]TupleQuery, error) {
	return readFormulas(in, name, fitEntry)
}

// fitEntry reads the ids of one query and its answers.
func fitEntry(formula string, entry []json.RawMessage) (q TupleQuery, err error) {
	if len(entry) != 3 {
		return q, fmt.Errorf("%d parts, expected ids, easy and hard answers", len(entry))
	}
	var ids map[string]uint32
	if err := json.Unmarshal(entry[0], &ids); err != nil {
		return q, fmt.Errorf("its ids: %w", err)
	}
	if q.Query, err = anyCQFormula(formula, ids); err != nil {
		return q, err
	}
	if q.Easy, err = fitTuples(entry[1], len(q.Query.Answers)); err != nil {
		return q, err
	}
	q.Hard, err = fitTuples(entry[2], len(q.Query.Answers))
	q.Type = fitType(formula, q.Query)
	return q, err
}

// fitTuples reads {"f": [3905, 1378]}, {"f1_f2": [[3905, 1378], …]} or [].
func fitTuples(text json.RawMessage, variables int) (all [][]kg.Entity, err error) {
	var none []struct{}
	if json.Unmarshal(text, &none) == nil && len(none) == 0 {
		return nil, nil
	}
	var of map[string][]json.RawMessage
	if err := json.Unmarshal(text, &of); err != nil {
		return nil, fmt.Errorf("its answers: %w", err)
	}
	for _, key := range slices.Sorted(maps.Keys(of)) {
		for _, answer := range of[key] {
			tuple, err := fitTuple(answer)
			if err != nil {
				return nil, fmt.Errorf("its answers: %w", err)
			}
			if len(tuple) != variables {
				return nil, fmt.Errorf("an answer of %s, expected %d", count.Of(len(tuple), "entity"), variables)
			}
			all = append(all, tuple)
		}
	}
	return all, nil
}

// fitTuple reads [59] or 59.
func fitTuple(text json.RawMessage) (tuple []kg.Entity, err error) {
	if json.Unmarshal(text, &tuple) == nil {
		return tuple, nil
	}
	var one kg.Entity
	err = json.Unmarshal(text, &one)
	return []kg.Entity{one}, err
}

// fitTypes are the names of FIT's types, by the formulas of its first files and of its later ones.
var fitTypes = map[string]string{
	"((r1(s1,e1))&(!(r2(e1,f))))&(r3(s2,f))":                                          "pni",
	"((r1(s1,e1))&(!(r2(e1,f1))))&(r3(s2,f1))":                                        "pni",
	"((r1(s1,e1))&(r2(e1,f)))&(r3(e1,f))":                                             "2m",
	"(r1(s1,e1))&((r2(e1,f1))&(r3(e1,f1)))":                                           "2m",
	"((r1(s1,e1))&(r2(e1,f)))&(!(r3(e1,f)))":                                          "2nm",
	"(r1(s1,e1))&((r2(e1,f1))&(!(r3(e1,f1))))":                                        "2nm",
	"(((r1(s1,e1))&(r2(e1,e2)))&(r3(e2,f)))&(r4(e1,e2))":                              "3mp",
	"(r1(s1,e1))&((r2(e1,e2))&((r3(e1,e2))&(r4(e2,f1))))":                             "3mp",
	"(((r1(s1,e1))&(r2(e1,e2)))&(r3(e2,f)))&(r4(e2,f))":                               "3pm",
	"(r1(s1,e1))&((r2(e1,e2))&((r3(e2,f1))&(r4(e2,f1))))":                             "3pm",
	"(((r1(s1,e1))&(r2(s2,e1)))&(r3(e1,f)))&(r4(e1,f))":                               "im",
	"(r1(s1,e1))&((r2(s2,e1))&((r3(e1,f1))&(r4(e1,f1))))":                             "im",
	"(r1(s1,f))&(r2(e1,f))":                                                           "2il",
	"(r1(s1,f1))&(r2(e1,f1))":                                                         "2il",
	"((r1(s1,f))&(r2(s2,f)))&(r3(e1,f))":                                              "3il",
	"(r1(s1,f1))&((r2(s2,f1))&(r3(e1,f1)))":                                           "3il",
	"((((r1(s1,e1))&(r2(e1,f)))&(r3(s2,e2)))&(r4(e2,f)))&(r5(e1,e2))":                 "3c",
	"(r1(s1,e1))&((r2(s2,e2))&((r3(e1,e2))&((r4(e1,f1))&(r5(e2,f1)))))":               "3c",
	"(((((r1(s1,e1))&(r2(e1,f)))&(r3(s2,e2)))&(r4(e2,f)))&(r5(e1,e2)))&(r6(e1,f))":    "3cm",
	"(r1(s1,e1))&((r2(s2,e2))&((r3(e1,f1))&((r4(e1,f1))&((r5(e1,e2))&(r6(e2,f1))))))": "3cm",
}

func fitType(formula string, q *query.Query) string {
	if name, known := fitTypes[formula]; known {
		return name
	}
	if e, err := query.Decompose(q); err == nil {
		return query.ShapeOf(e)
	}
	return formula
}
