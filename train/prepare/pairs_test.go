package prepare

import (
	"fmt"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// Held-out facts between entities that nothing else joins are told from those drawn like the others.
func TestMissedApart(t *testing.T) {
	const n = 400
	var entities, relations kg.Interner
	for i := range n {
		entities.Intern(fmt.Appendf(nil, "e%d", i))
	}
	relations.Intern([]byte("likes"))
	relations.Intern([]byte("knows"))
	// Neighbours on a ring like and know each other; every second pair lacks its knowing.
	var stated, alike, apart []kg.Triple
	for i := range kg.Entity(n) {
		next := (i + 1) % n
		stated = append(stated, kg.Triple{Head: i, Relation: 0, Tail: next})
		knows := kg.Triple{Head: next, Relation: 2, Tail: i}
		if i%2 == 0 {
			stated = append(stated, knows)
		} else {
			alike = append(alike, knows)
		}
		apart = append(apart, kg.Triple{Head: i, Relation: 2, Tail: (i + 7) % n})
	}
	g := kg.Build(&kg.Vocabulary{Entities: kg.Dictionary{Names: entities.Names()}, Relations: kg.Dictionary{Names: relations.Names()}}, stated)
	for _, c := range []struct {
		name  string
		valid []kg.Triple
		want  bool
	}{
		{"alike", alike, false},
		{"apart", apart, true},
		{"too few to tell", apart[:leastToTell-1], false},
		{"one in nine alike", append(apart[:160:160], alike[:20]...), true},
	} {
		if got := missedApart(&kg.Splits{Train: g, Valid: c.valid}); got != c.want {
			t.Errorf("%s: %v, expected %v", c.name, got, c.want)
		}
	}
}
