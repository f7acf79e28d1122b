package train

import (
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

func TestSplitRelationsSayTheSameFacts(t *testing.T) {
	whole := randomGraph(3, 80, 5, 600)
	split := splitRelations(whole, rand.New(rand.NewPCG(1, 2)))
	said, expected := eitherWay(split), eitherWay(whole)
	if !maps.Equal(said, expected) {
		t.Errorf("%d facts are said of %d", len(said), len(expected))
	}
	if split.NumRelations() <= whole.NumRelations() || split.NumTriples() <= whole.NumTriples() {
		t.Errorf("%d relations and %d facts of %d and %d: nothing is said twice", split.NumRelations(), split.NumTriples(), whole.NumRelations(), whole.NumTriples())
	}
}

// statement is a fact whichever way round it is stated, by whichever variant of its relation.
type statement struct {
	relation  string
	low, high kg.Entity
}

func eitherWay(g *kg.Graph) map[statement]bool {
	said := map[statement]bool{}
	for fact := range g.Triples() {
		relation, _, _ := strings.Cut(g.Relations.Names.At(fact.Relation.Base()), " ")
		said[statement{relation, min(fact.Head, fact.Tail), max(fact.Head, fact.Tail)}] = true
	}
	return said
}

func TestPartsSplitDecidesHowManyAreSplit(t *testing.T) {
	whole := randomGraph(5, 400, 12, 3000)
	for _, share := range []float64{0, 0.5, 1} {
		parts, err := Parts(t.Context(), whole, Config{Parts: 20, Seed: 7, PartsSplit: share})
		if err != nil {
			t.Fatal(err)
		}
		split := 0
		for _, part := range parts {
			if strings.Contains(part.Relations.Names.At(0), " ") {
				split++
			}
		}
		if got := float64(split) / float64(len(parts)); got < share-0.25 || got > share+0.25 {
			t.Errorf("parts_split %g splits %d of %d", share, split, len(parts))
		}
	}
}

func TestJoinedOnceKeepsOneFactOfEveryPair(t *testing.T) {
	whole := randomGraph(4, 12, 3, 200)
	once := joinedOnce(whole, rand.New(rand.NewPCG(3, 4)))
	pairs, kept := map[[2]kg.Entity]bool{}, map[[2]kg.Entity]bool{}
	for fact := range whole.Triples() {
		pairs[[2]kg.Entity{min(fact.Head, fact.Tail), max(fact.Head, fact.Tail)}] = true
	}
	for fact := range once.Triples() {
		pair := [2]kg.Entity{min(fact.Head, fact.Tail), max(fact.Head, fact.Tail)}
		if kept[pair] || !whole.Has(fact) {
			t.Errorf("%v is the second fact of its pair, or no fact of the whole", fact)
		}
		kept[pair] = true
	}
	if !maps.Equal(pairs, kept) || once.NumTriples() >= whole.NumTriples() {
		t.Errorf("%d pairs are joined of %d, by %d facts of %d", len(kept), len(pairs), once.NumTriples(), whole.NumTriples())
	}
}

// A fact is answered in the other direction by a relation that depends on its own, and is the only one in its direction.
func TestJoinedOnceEachWayAnswersFacts(t *testing.T) {
	whole := randomGraph(4, 60, 4, 300)
	each := joinedOnceEachWay(whole, rand.New(rand.NewPCG(5, 6)))
	from := map[[2]kg.Entity]string{}
	for fact := range each.Triples() {
		pair := [2]kg.Entity{fact.Head, fact.Tail}
		if from[pair] != "" {
			t.Errorf("%v is the second from %d to %d", fact, fact.Head, fact.Tail)
		}
		from[pair] = each.Relations.Names.At(fact.Relation.Base())
	}
	answers, answered := map[string]string{}, 0
	for pair, relation := range from {
		answer := from[[2]kg.Entity{pair[1], pair[0]}]
		if !strings.HasPrefix(answer, "answer") || strings.HasPrefix(relation, "answer") {
			continue
		}
		answered++
		if known := answers[relation]; known != "" && known != answer {
			t.Errorf("%s is answered by %s and %s", relation, known, answer)
		}
		answers[relation] = answer
	}
	if answered < whole.NumTriples()/4 {
		t.Errorf("%d of %d facts are answered", answered, whole.NumTriples())
	}
}
