// Package answer says how likely an answer is, and why. Every question comes here, whatever searched for its answers: a tree of
// variables run by sets (package exec) or a join of any form (package join). Both propose answers by rough estimates; what is
// shown of them is settled here, so that one answer has one probability however it was asked for (docs/probability.md).
//
// The file list follows an answer: closed.go puts it into the question, which leaves alternatives of conditions that have to
// hold together; merge.go lets links that may be the same one be the same; judge.go finds the derivation whose links are
// likeliest together, each read from both its ends; list.go chooses what is shown.
package answer

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// Answer is entities for the answer variables of a question, with the best derivation that leads to them.
type Answer struct {
	Entities []kg.Entity // in the order of the answer variables; none for a question of yes or no
	// Probability is the product over the lineage, the predicted links of the derivation, each once, and of 1-P for what is negated.
	Probability float64
	Known       bool   // traversal of the graph finds it
	Implied     string // the rules by which the graph implies a known answer that it does not state (see Origins); "" for none
	Right       *bool  // traversal of the truth finds it; nil without one
	Links       []Link // of the derivation, each once
	Derivations int    // how many derivations the probability counts, the best among them
	values      map[int]kg.Entity
}

// Value is that of a variable in the derivation, by its number. Those that a negation or a worse alternative binds have none.
func (a Answer) Value(variable int) (kg.Entity, bool) {
	e, found := a.values[variable]
	if !found && variable < len(a.Entities) && a.values == nil { // nothing leads to it
		return a.Entities[variable], true
	}
	return e, found
}

// WithValues is an answer with values for the variables of its question, as a search found them; none where ok is false.
func (a Answer) WithValues(variables int, value func(int) (e kg.Entity, ok bool)) Answer {
	a.values = map[int]kg.Entity{}
	for v := range variables {
		if e, ok := value(v); ok {
			a.values[v] = e
		}
	}
	return a
}

// Link is a fact that a derivation rests on, or must do without.
type Link struct {
	Fact        kg.Triple // forwards
	Probability float32
	Stated      bool
	Implied     string // the rule by which it is, where the graph does not state it itself
	Negated     bool   // the question wants it not to be
}

// Lineage is the links that are predicted.
func (a Answer) Lineage() []Link {
	return slices.DeleteFunc(slices.Clone(a.Links), func(l Link) bool { return l.Stated || l.Negated })
}
