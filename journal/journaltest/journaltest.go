// Package journaltest has what the tests of every log of facts begin with and end by: a small graph, random facts to
// change it by, and all that a graph states as text, so that graphs which came about in different ways can be compared.
// It knows no log, so that the tests of each can use it.
package journaltest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// Base is a graph to change: lines of head, relation and tail. RandomFacts hit some of it.
const Base = "a\tr\tb\nb\tr\tc\nc\ts\ta\n"

// Graph reads lines of facts.
func Graph(t testing.TB, facts string) *kg.Graph {
	t.Helper()
	splits, err := read.Stream(context.Background(), strings.NewReader(facts), "base.tsv", read.Options{Format: read.TSV})
	if err != nil {
		t.Fatal(err)
	}
	return splits.Train
}

// State is what a graph names, in the order of numbers, and states.
func State(g *kg.Graph) string {
	var b strings.Builder
	for id := range g.NumEntities() {
		fmt.Fprint(&b, g.Entities.Names.At(uint32(id)), " ")
	}
	for t := range g.Triples() {
		fmt.Fprintf(&b, "%s(%s,%s) ", g.Relation(t.Relation), g.Entity(t.Head), g.Entity(t.Tail))
		var said []string
		for _, of := range g.Annotations().Of(t) {
			said = append(said, kg.NewSaid(of).String())
		}
		slices.Sort(said)
		b.WriteString(strings.Join(said, " "))
	}
	for _, t := range g.Denied() {
		fmt.Fprint(&b, g.DenialOf(t), " ")
	}
	return b.String()
}

// SayOf has some of the facts come with something that is said of them.
func SayOf(rng *rand.Rand, facts []kg.Fact) []kg.Fact {
	for i := range facts {
		if rng.IntN(2) == 0 {
			facts[i].Said = kg.NewSaid([]kg.Annotation{{Relation: "since", Value: strconv.Itoa(rng.IntN(3))}})
		}
	}
	return facts
}

// RandomFacts are n facts among so many entities, named a, b, …, and three relations, some of them denials.
func RandomFacts(rng *rand.Rand, entities, n int) (list []kg.Fact) {
	for i := range n {
		list = append(list, kg.Fact{
			Head: string(rune('a' + rng.IntN(entities))), Relation: string(rune('r' + rng.IntN(3))), Tail: string(rune('a' + rng.IntN(entities))),
		})
		if rng.IntN(6) == 0 {
			list[i] = list[i].Contrary()
		}
	}
	return list
}
