package dataset

import (
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Report is what Verify found.
type Report struct {
	Dir         string         `json:"dir"`
	Format      Format         `json:"format"`
	Note        string         `json:"note,omitempty"`
	Queries     int            `json:"queries"`
	Agreeing    int            `json:"agreeing"`
	Disagreeing int            `json:"disagreeing"`
	NotGiven    int            `json:"not_given"` // queries without any answers to check
	Groups      []GroupReport  `json:"groups"`
	Examples    []Disagreement `json:"examples"`
}

// GroupReport is what Verify found for one split and shape. Queries is the sum of
// Agreeing, Disagreeing and NotGiven.
type GroupReport struct {
	Split       Split  `json:"split"`
	Shape       string `json:"shape"`
	Queries     int    `json:"queries"`
	Agreeing    int    `json:"agreeing"`
	Disagreeing int    `json:"disagreeing"`
	NotGiven    int    `json:"not_given"`
	// Queries whose easy or hard answers alone the files do not give, which is no fault.
	EasyNotGiven int `json:"easy_not_given"`
	HardNotGiven int `json:"hard_not_given"`
	// Answers, over all queries: true ones that are missing, and extra ones that are not true.
	MissingEasy int `json:"missing_easy"`
	ExtraEasy   int `json:"extra_easy"`
	MissingHard int `json:"missing_hard"`
	ExtraHard   int `json:"extra_hard"`
}

// Disagreement describes one query whose answers are not the true ones.
type Disagreement struct {
	Split  Split      `json:"split"`
	Shape  string     `json:"shape"`
	Query  string     `json:"query"`            // with names
	Tuples string     `json:"tuples,omitempty"` // with the graph's numbers, as BetaE writes it
	Easy   Difference `json:"easy"`
	Hard   Difference `json:"hard"`
}

// Difference is how a list of answers differs from the true one.
type Difference struct {
	Given   int      `json:"given"`
	True    int      `json:"true"`
	Missing []string `json:"missing,omitempty"` // the first of them
	Extra   []string `json:"extra,omitempty"`
}

// exampleAnswers is how many answers of an example are named.
const exampleAnswers = 5

func (r *Report) count(group *GroupReport, v verdict) {
	r.Queries++
	group.Queries++
	switch v.outcome {
	case agrees:
		r.Agreeing++
		group.Agreeing++
	case disagrees:
		r.Disagreeing++
		group.Disagreeing++
	case notGiven:
		r.NotGiven++
		group.NotGiven++
	}
	if v.query.Absent&EasyAnswers != 0 {
		group.EasyNotGiven++
	}
	if v.query.Absent&HardAnswers != 0 {
		group.HardNotGiven++
	}
	group.MissingEasy += len(v.easy.missing)
	group.ExtraEasy += len(v.easy.extra)
	group.MissingHard += len(v.hard.missing)
	group.ExtraHard += len(v.hard.extra)
}

func describeDisagreement(split Split, v verdict, names *kg.Vocabulary) Disagreement {
	tuples, err := query.FormatTuples(v.query.Expr)
	if err != nil {
		tuples = "" // not every expression can be written so
	}
	return Disagreement{
		Split: split, Shape: v.shape, Query: query.FormatOperators(v.query.Expr, names), Tuples: tuples,
		Easy: v.easy.describe(names), Hard: v.hard.describe(names),
	}
}

func (d discrepancy) describe(names *kg.Vocabulary) Difference {
	return Difference{Given: d.given, True: d.found, Missing: firstNames(d.missing, names), Extra: firstNames(d.extra, names)}
}

func firstNames(entities []kg.Entity, names *kg.Vocabulary) []string {
	var first []string
	for _, e := range entities[:min(len(entities), exampleAnswers)] {
		first = append(first, names.Entity(e))
	}
	return first
}
