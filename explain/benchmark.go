package explain

import (
	"context"
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// Visualisation is the paper's view of a benchmark query (its section "Intermediate
// Variables Visualization"): for every variable the top easy and hard entities with
// whether they are true, and a random true grounding with the filtered rank of each entity.
type Visualisation struct {
	Query     string     `json:"query"`
	Operators string     `json:"operators"`
	Shape     string     `json:"shape"`
	Split     string     `json:"split,omitempty"`
	Index     int        `json:"index"` // among the queries of its shape and split
	Seed      uint64     `json:"seed"`  // of the grounding
	Variables []Variable `json:"variables"`
}

// Variable is a variable of the query, its fuzzy set judged by traversal of the full graph.
type Variable struct {
	Name        string   `json:"name"`
	Step        int      `json:"step"`     // the operation that completes it
	Operator    string   `json:"operator"` // how it is computed: "P[University](a)"
	Cardinality float64  `json:"cardinality"`
	TrueEasy    int      `json:"true_easy"` // entities of the full graph's set that the observed graph gives
	TrueHard    int      `json:"true_hard"` // those that it does not give
	Easy        []Judged `json:"easy"`      // top predictions that the observed graph gives
	Hard        []Judged `json:"hard"`      // top predictions that it does not give
	Truth       *Truth   `json:"truth,omitempty"`
}

// Judged is a predicted entity and whether the full graph gives it.
type Judged struct {
	Member
	True bool `json:"true"`
}

// Truth is the entity of a variable in the random true grounding; known means easy.
type Truth struct {
	Member
	// Rank is the filtered rank among the entities that are not true, ties by the mean of best and worst.
	Rank float64 `json:"rank"`
}

// What the paper shows of a set.
const (
	shownEasy  = 3
	shownHard  = 6
	shownLeast = 0.1
)

// Benchmark is a benchmark query after its run, as its visualisation reads it. The names of its query are ids.
type Benchmark struct {
	Run
	// Sets gives the set after an instruction, and the same by traversal of the graph.
	Sets func(instruction int) (set, known fuzzy.View)
	Full *kg.Graph // that decides what is true
	// Truth gives the set after an instruction by traversal of the full graph.
	Truth func(instruction int) fuzzy.Set
	Hard  []kg.Entity // the answers that a true grounding is to end in; none: any answer will do
	Seed  uint64
}

// Visualise judges the set of every variable and draws a true grounding.
func (b *Benchmark) Visualise(ctx context.Context) (*Visualisation, error) {
	assigned, err := b.drawGrounding(ctx)
	if err != nil {
		return nil, err
	}
	v := &Visualisation{
		Query: readable(b.Query, b.Graph.Vocabulary), Operators: query.FormatOperators(b.Expr, b.Graph.Vocabulary),
		Shape: query.ShapeOf(b.Expr), Seed: b.Seed,
	}
	step := -1 // the Loads are none
	for i, in := range b.Program.Code {
		if in.Op != plan.Load {
			step++
		}
		if in.Variable == "" {
			continue
		}
		variable := b.variable(i, in.Variable)
		variable.Step = step
		if entity, found := assigned[i]; found {
			truth := b.truth(i, entity)
			variable.Truth = &truth
		}
		v.Variables = append(v.Variables, variable)
	}
	return v, nil
}

// sets are those after an instruction over all entities: what is visualised are sets of a benchmark's graph.
func (b *Benchmark) sets(i int) (set, easy fuzzy.Set) {
	of, known := b.Sets(i)
	return of.Dense(), known.Dense()
}

func (b *Benchmark) variable(i int, name string) Variable {
	set, easy := b.sets(i)
	truth := b.Truth(i)
	v := Variable{Name: name, Operator: b.operator(i), Cardinality: set.Cardinality(), Easy: []Judged{}, Hard: []Judged{}}
	easySet, hardSet := make(fuzzy.Set, len(set)), make(fuzzy.Set, len(set))
	for e, x := range set {
		if easy[e] > 0 {
			easySet[e] = x
		} else {
			hardSet[e] = x
		}
		if truth[e] > 0 && easy[e] > 0 {
			v.TrueEasy++
		} else if truth[e] > 0 {
			v.TrueHard++
		}
	}
	for _, m := range easySet.Top(shownEasy, shownLeast) {
		v.Easy = append(v.Easy, Judged{newMember(b.Graph, m.Entity, m.Degree, true), truth[m.Entity] > 0})
	}
	for _, m := range hardSet.Top(shownHard, shownLeast) {
		v.Hard = append(v.Hard, Judged{newMember(b.Graph, m.Entity, m.Degree, false), truth[m.Entity] > 0})
	}
	return v
}

// truth is an entity of the true grounding with its filtered rank.
func (b *Benchmark) truth(i int, entity kg.Entity) Truth {
	set, easy := b.sets(i)
	greater, equal := 0, 0
	for e, isTrue := range b.Truth(i) {
		switch {
		case isTrue > 0:
		case set[e] > set[entity]:
			greater++
		case set[e] == set[entity]:
			equal++
		}
	}
	return Truth{newMember(b.Graph, entity, set[entity], easy[entity] > 0), 1 + float64(greater) + float64(equal)/2}
}

// operator writes an instruction over the variables below it, back to the next ones.
func (b *Benchmark) operator(i int) string {
	in := b.Program.Code[i]
	below := func(k int) string {
		input := b.Program.Inputs[i][k]
		if name := b.Program.Code[input].Variable; name != "" {
			return name
		}
		return b.operator(input)
	}
	switch in.Op {
	case plan.Entity:
		return b.Graph.Entity(in.Entity)
	case plan.Project:
		return "P[" + b.Graph.Relation(in.Relation) + "](" + below(0) + ")"
	case plan.Not:
		return "¬" + below(0)
	case plan.And:
		return below(0) + " ∧ " + below(1)
	case plan.Or:
		return "(" + below(0) + " ∨ " + below(1) + ")"
	}
	return "all entities"
}

// drawGrounding assigns a true entity to every variable, at random, so that they form a
// valid grounding of the query which ends in a hard answer. Variables under ¬ have none.
func (b *Benchmark) drawGrounding(ctx context.Context) (map[int]kg.Entity, error) {
	d := drawer{Benchmark: b, rand: rand.New(rand.NewPCG(b.Seed, 1)), assigned: map[int]kg.Entity{}}
	answers := b.Hard
	if len(answers) == 0 {
		answers = members(b.Truth(b.Program.Result()))
	}
	if len(answers) == 0 {
		return d.assigned, nil
	}
	d.assign(b.Program.Result(), answers[d.rand.IntN(len(answers))])
	return d.assigned, kg.Stopped(ctx)
}

func members(set fuzzy.Set) (entities []kg.Entity) {
	for e, x := range set {
		if x > 0 {
			entities = append(entities, kg.Entity(e))
		}
	}
	return entities
}

type drawer struct {
	*Benchmark
	rand     *rand.Rand
	assigned map[int]kg.Entity
}

func (d *drawer) assign(i int, entity kg.Entity) {
	if d.Truth(i)[entity] == 0 {
		return // the files give an answer that the full graph does not
	}
	d.assigned[i] = entity
	inputs := d.Program.Inputs[i]
	switch in := d.Program.Code[i]; in.Op {
	case plan.And:
		d.assign(inputs[0], entity)
		d.assign(inputs[1], entity)
	case plan.Or:
		var holds []int
		for _, input := range inputs {
			if d.Truth(input)[entity] > 0 {
				holds = append(holds, input)
			}
		}
		d.assign(holds[d.rand.IntN(len(holds))], entity)
	case plan.Project:
		below := d.Truth(inputs[0])
		var sources []kg.Entity
		for _, u := range d.Full.Tails(entity, in.Relation.Inverse()) {
			if below[u] > 0 {
				sources = append(sources, u)
			}
		}
		d.assign(inputs[0], sources[d.rand.IntN(len(sources))])
	}
}
