package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

func vocabulary() *kg.Vocabulary {
	return vocabularyOf([]string{"Turing Award", "Deep Learning", "Norway"}, []string{"Win", "Field", "University"})
}

func vocabularyOf(entityNames, relationNames []string) *kg.Vocabulary {
	var entities, relations kg.Interner
	for _, name := range entityNames {
		entities.Intern([]byte(name))
	}
	for _, name := range relationNames {
		relations.Intern([]byte(name))
	}
	return &kg.Vocabulary{Entities: kg.Dictionary{Names: entities.Names()}, Relations: kg.Dictionary{Names: relations.Names()}}
}

func project(r kg.Relation, of query.Expr) query.Expr { return query.Projection{Relation: r, Of: of} }

var (
	winners  = project(kg.Forward(0).Inverse(), query.Anchor{Entity: 0})
	learners = project(kg.Forward(1).Inverse(), query.Anchor{Entity: 1})
)

func TestListing(t *testing.T) {
	paper := project(kg.Forward(2), query.Intersection{Of: []query.Expr{winners, learners}})
	p := Compile(paper, Options{})
	const want = `
  0  entity   Turing Award
  1  project  Win^-1
  2  entity   Deep Learning
  3  project  Field^-1
  4  and
  5  project  University
`
	if got := p.Listing(vocabulary()); got != want[1:] {
		t.Errorf("listing:\n%swant:%s", got, want)
	}
	if p.Depth != 2 || p.Projections() != 3 {
		t.Errorf("depth %d, projections %d; want 2 and 3", p.Depth, p.Projections())
	}
}

func TestEqualPartsAreComputedOnce(t *testing.T) {
	// winners of any field but not those of deep learning: winners occurs three times, once with its operands swapped
	e := query.Union{Of: []query.Expr{
		query.Intersection{Of: []query.Expr{winners, learners}},
		query.Complement{Of: query.Intersection{Of: []query.Expr{learners, winners}}},
		winners,
	}}
	shared, plain := Compile(e, Options{}), Compile(e, Options{NoSharing: true})
	if shared.Projections() != 2 || plain.Projections() != 5 {
		t.Errorf("projections: %d shared, %d plain; want 2 and 5", shared.Projections(), plain.Projections())
	}
	const want = `
  0  entity   Turing Award
  1  project  Win^-1
  2  entity   Deep Learning
  3  project  Field^-1
  4  and
  5  load     4
  6  not
  7  or
  8  load     1
  9  or
`
	if got := shared.Listing(vocabulary()); got != want[1:] {
		t.Errorf("listing:\n%swant:%s", got, want)
	}
	if !slices.Equal(shared.Inputs[9], []int{7, 1}) || shared.LastUse[1] != 9 || shared.LastUse[9] != 10 {
		t.Errorf("inputs %v, last uses %v", shared.Inputs[9], shared.LastUse)
	}
}

func TestDepth(t *testing.T) {
	wide := query.Intersection{Of: slices.Repeat([]query.Expr{winners}, 50)}
	if depth := Compile(wide, Options{}).Depth; depth != 2 {
		t.Errorf("a wide operation has depth %d, want 2", depth)
	}
	// a right-leaning comb needs a slot for each pending left side: the case in which a fixed stack of 2 overflows
	comb := winners
	for range 9 {
		comb = query.Intersection{Of: []query.Expr{learners, query.Complement{Of: comb}}}
	}
	if depth := Compile(comb, Options{NoSharing: true}).Depth; depth != 10 {
		t.Errorf("the comb has depth %d, want 10", depth)
	}
}

func TestEverything(t *testing.T) {
	p := Compile(project(0, query.Universe{}), Options{})
	if got := p.Listing(vocabulary()); !strings.Contains(got, "everything") {
		t.Errorf("listing: %s", got)
	}
}
