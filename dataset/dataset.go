// Package dataset holds query sets: questions with their easy and hard answers,
// grouped by split and shape, for training and evaluation. It reads the public
// BetaE and Query2Box releases and an own compact format, checks any of them
// against the graph by traversal, and converts the former into the latter.
// In the flow it stands between sample, which writes sets, and train and eval,
// which stream them. A set is always streamed: a file is never held in memory
// beyond what its format forces (a pickle has to be read as a whole).
package dataset

import (
	"context"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Query is one question of a set with its answers, both sorted and distinct.
//
// Easy answers are those that traversal of the facts known at the time finds:
// the training facts for Train and Valid, training and validation facts for
// Test. Hard answers are those that only the held-out facts add: validation facts
// for Valid, test facts for Test. A training query has nothing held out: all its
// answers are easy.
type Query struct {
	Expr query.Expr
	Easy []kg.Entity
	Hard []kg.Entity
	// Absent names the lists that the source does not give, which are empty here.
	// Its zero value means that the query is complete.
	Absent Parts
}

// Parts is a set of the two lists of answers of a query.
type Parts uint8

// The two parts; they may be combined.
const (
	EasyAnswers Parts = 1 << iota
	HardAnswers
)

// Split is the part of a benchmark that a query belongs to.
type Split uint8

// The splits, in the order in which facts are added to the graph.
const (
	Train Split = iota
	Valid
	Test
)

// AllSplits lists the splits in order.
func AllSplits() []Split { return []Split{Train, Valid, Test} }

// FullGraph builds the graph on which the answers of a split are true: all facts up to its own.
func (s Split) FullGraph(ctx context.Context, facts *kg.Splits) (*kg.Graph, error) {
	switch s {
	case Valid:
		return facts.UpToValid(ctx)
	case Test:
		return facts.UpToTest(ctx)
	}
	return facts.Train, nil
}

// String is the name that files and reports use.
func (s Split) String() string {
	switch s {
	case Train:
		return "train"
	case Valid:
		return "valid"
	case Test:
		return "test"
	}
	return "unknown split"
}

// MarshalText writes the name, so that JSON shows it.
func (s Split) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name.
func (s *Split) UnmarshalText(text []byte) error {
	for _, split := range AllSplits() {
		if split.String() == string(text) {
			*s = split
			return nil
		}
	}
	return kg.Errorf(kg.Invalid, "", "expected train, valid or test as the split, found %q", text)
}

// ShapeCount is the number of queries of one shape and of their answers.
type ShapeCount struct {
	Shape   string `json:"shape"`
	Queries int    `json:"queries"`
	Easy    int    `json:"easy"`
	Hard    int    `json:"hard"`
}

// shapeCounts counts queries by shape, in the order of first appearance.
type shapeCounts struct {
	list  []ShapeCount
	place map[string]int
}

func (c *shapeCounts) add(shape string, q Query) {
	at, seen := c.place[shape]
	if !seen {
		if c.place == nil {
			c.place = map[string]int{}
		}
		at = len(c.list)
		c.place[shape] = at
		c.list = append(c.list, ShapeCount{Shape: shape})
	}
	count := &c.list[at]
	count.Queries++
	count.Easy += len(q.Easy)
	count.Hard += len(q.Hard)
}
