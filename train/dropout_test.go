package train

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// naive is traversal dropout word for word, on maps and lists of all edges.
type naive struct {
	edges  []kernel.Edge // by id
	ratio  float64
	whole  bool // an edge goes with its twin
	random *rand.Rand
}

// twin is the edge that reads the same fact from its tail.
func (n *naive) twin(e kernel.Edge) int {
	return slices.Index(n.edges, kernel.Edge{Head: e.Tail, Relation: int32(kg.Relation(e.Relation).Inverse()), Tail: e.Head})
}

func newNaive(g *kernel.Graph, ratio float64, seed uint64, step int) *naive {
	n := &naive{ratio: ratio, random: rand.New(rand.NewPCG(seed, uint64(step)))}
	for tail := range int32(g.Nodes) {
		for id := g.In.At[tail]; id < g.In.At[tail+1]; id++ {
			n.edges = append(n.edges, kernel.Edge{Head: g.In.Node[id], Relation: g.In.Relation[id], Tail: tail})
		}
	}
	return n
}

type set map[int32]bool

// round is one step of projections: what leaves the sets is a candidate, with its twin.
func (n *naive) round(in []set, relations []kg.Relation) (mask []int32, out []set) {
	outdegree, indegree := map[int32]int{}, map[int32]int{}
	for _, e := range n.edges {
		outdegree[e.Head]++
		indegree[e.Tail]++
	}
	dropped := map[int32]bool{}
	for id, e := range n.edges {
		candidate := false
		for i, q := range relations {
			candidate = candidate || e.Relation == int32(q) && in[i][e.Head] || e.Relation == int32(q.Inverse()) && in[i][e.Tail]
		}
		if !candidate || outdegree[e.Head] <= 1 || indegree[e.Tail] <= 1 {
			continue
		}
		if n.whole && n.twin(e) < id { // decided with its twin
			continue
		}
		if n.random.Float64() < n.ratio {
			dropped[int32(id)] = true
			if n.whole {
				dropped[int32(n.twin(e))] = true
			}
		}
	}
	mask = slices.Sorted(maps.Keys(dropped))
	for i, q := range relations {
		reached := set{}
		for id, e := range n.edges {
			if e.Relation == int32(q) && in[i][e.Head] && !dropped[int32(id)] {
				reached[e.Tail] = true
			}
		}
		out = append(out, reached)
	}
	return mask, out
}

// naiveMasks runs the expressions of a batch level by level: an expression waits at its
// first projection whose operand has no projection left to do.
func naiveMasks(n *naive, nodes int, batch []query.Expr) (all masks) {
	for {
		var in []set
		var relations []kg.Relation
		var at []int
		values := make([]query.Expr, len(batch))
		for i, e := range batch {
			values[i] = reduce(e, nodes, func(of set, q kg.Relation) {
				in, relations, at = append(in, of), append(relations, q), append(at, i)
			})
		}
		if len(in) == 0 {
			return all
		}
		mask, out := n.round(in, relations)
		all = append(all, mask)
		for k, i := range at {
			batch[i] = replaceFirst(batch[i], nodes, out[k])
		}
	}
}

// known is a set that has been computed.
type known struct {
	query.Universe
	of set
}

// valueOf gives the set of an expression without projections.
func valueOf(e query.Expr, nodes int) (set, bool) {
	var operands []set
	for _, operand := range query.Operands(e) {
		s, ok := valueOf(operand, nodes)
		if !ok {
			return nil, false
		}
		operands = append(operands, s)
	}
	out := set{}
	for v := range int32(nodes) {
		switch e := e.(type) {
		case query.Projection:
			return nil, false
		case known:
			out[v] = e.of[v]
		case query.Anchor:
			out[v] = int32(e.Entity) == v
		case query.Universe:
			out[v] = true
		case query.Complement:
			out[v] = !operands[0][v]
		case query.Intersection:
			out[v] = !slices.ContainsFunc(operands, func(s set) bool { return !s[v] })
		case query.Union:
			out[v] = slices.ContainsFunc(operands, func(s set) bool { return s[v] })
		}
	}
	return out, true
}

// first finds the projection an expression waits at: the leftmost whose operand is known.
func first(e query.Expr, nodes int) (query.Projection, bool) {
	for _, operand := range query.Operands(e) {
		if p, found := first(operand, nodes); found {
			return p, true
		}
	}
	p, ok := e.(query.Projection)
	return p, ok
}

func reduce(e query.Expr, nodes int, wait func(set, kg.Relation)) query.Expr {
	if p, found := first(e, nodes); found {
		of, _ := valueOf(p.Of, nodes)
		wait(of, p.Relation)
	}
	return e
}

// replaceFirst puts the result in the place of the projection it waited at.
func replaceFirst(e query.Expr, nodes int, result set) query.Expr {
	done := false
	var walk func(query.Expr) query.Expr
	walk = func(e query.Expr) query.Expr {
		if done {
			return e
		}
		switch e := e.(type) {
		case query.Projection:
			if _, inner := first(e.Of, nodes); inner {
				return query.Projection{Relation: e.Relation, Of: walk(e.Of)}
			}
			done = true
			return known{of: result}
		case query.Complement:
			return query.Complement{Of: walk(e.Of)}
		case query.Intersection:
			of := slices.Clone(e.Of)
			for i := range of {
				of[i] = walk(of[i])
			}
			return query.Intersection{Of: of}
		case query.Union:
			of := slices.Clone(e.Of)
			for i := range of {
				of[i] = walk(of[i])
			}
			return query.Union{Of: of}
		}
		return e
	}
	return walk(e)
}

func TestMasksAgreeWithNaiveDropout(t *testing.T) {
	shapes := []string{"1p", "2p", "3p", "2i", "3i", "pi", "ip", "2u", "up", "2in", "3in", "inp", "pin", "pni"}
	for seed := range uint64(12) {
		triples := randomTriples(rand.New(rand.NewPCG(seed, 1)), 20, 3, 70)
		for e := range kg.Entity(8) { // entities with a single edge
			triples = append(triples, kg.Triple{Head: e, Relation: kg.Forward(uint32(e % 3)), Tail: 20 + e})
		}
		g := graphOf(28, 3, triples)
		topology, err := exec.Topology(g)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{}
		for _, shape := range shapes {
			counts[shape] = 1
		}
		c := small(counts)
		c.Seed = seed
		source := drawer(t, g, c)
		var batch []query.Expr
		var programs []*plan.Program
		for i := range uint64(10) {
			_, q, err := source.Draw(i)
			if err != nil {
				t.Fatal(err)
			}
			batch = append(batch, q.Expr)
			programs = append(programs, plan.Compile(q.Expr, plan.Options{NoSharing: true}))
		}
		plain := newNaive(topology, 0.25, seed, 7)
		plain.whole = seed%2 == 1
		got, found, err := newDropout(topology, Config{Dropout: 0.25, Seed: seed, HideFacts: plain.whole}).Record(context.Background(), 7, programs)
		if err != nil {
			t.Fatal(err)
		}
		want := naiveMasks(plain, topology.Nodes, batch)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: masks %v, want %v", seed, got, want)
		}
		for i, e := range batch { // the naive run has left the sets of the answers
			answer, _ := valueOf(e, topology.Nodes)
			for v := range topology.Nodes {
				if found[i].has(v) != answer[int32(v)] {
					t.Fatalf("seed %d: query %d finds %d: %v", seed, i, v, found[i].has(v))
				}
			}
		}
	}
}

// Over many steps a candidate goes one time in four, an edge and its twin independently; a
// protected edge never goes; no other edge does.
func TestDropoutRates(t *testing.T) {
	// 0 leads to 1 … 4; 1 and 2 have other edges, 3 and 4 have none.
	triples := []kg.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 0, Relation: 0, Tail: 2}, {Head: 0, Relation: 0, Tail: 3}, {Head: 0, Relation: 0, Tail: 4}, {Head: 1, Relation: 2, Tail: 2}}
	topology, err := exec.Topology(graphOf(5, 2, triples))
	if err != nil {
		t.Fatal(err)
	}
	d := newDropout(topology, Config{Dropout: 0.25, Seed: 1})
	programs := []*plan.Program{plan.Compile(query.Projection{Relation: 0, Of: query.Anchor{Entity: 0}}, plan.Options{})}
	const steps = 4000
	count, both := map[kernel.Edge]int{}, 0
	edge := func(h, r, t int32) kernel.Edge { return kernel.Edge{Head: h, Relation: r, Tail: t} }
	for step := range steps {
		m, _, err := d.Record(context.Background(), step+1, programs)
		if err != nil {
			t.Fatal(err)
		}
		here := map[kernel.Edge]bool{}
		for _, id := range m[0] {
			e := newNaive(topology, 0, 0, 0).edges[id]
			count[e]++
			here[e] = true
		}
		if here[edge(0, 0, 1)] && here[edge(1, 1, 0)] {
			both++
		}
	}
	for _, e := range []kernel.Edge{edge(0, 0, 1), edge(0, 0, 2), edge(1, 1, 0), edge(2, 1, 0)} {
		if !near(count[e], steps, 0.25) {
			t.Errorf("edge %v was dropped %d times in %d, want a quarter", e, count[e], steps)
		}
		delete(count, e)
	}
	if len(count) != 0 {
		t.Errorf("edges that must stay were dropped: %v", count)
	}
	if !near(both, steps, 0.0625) {
		t.Errorf("an edge and its twin were dropped together %d times in %d, want one in 16", both, steps)
	}
}

// near tells whether a count is within five standard deviations of what is expected.
func near(count, n int, p float64) bool {
	return math.Abs(float64(count)-p*float64(n)) < 5*math.Sqrt(float64(n)*p*(1-p))
}

func TestNoDropoutRecordsNothing(t *testing.T) {
	topology, _ := exec.Topology(randomGraph(1, 10, 2, 20))
	m, found, err := newDropout(topology, Config{Seed: 1}).Record(context.Background(), 1, nil)
	if m != nil || found != nil || err != nil {
		t.Errorf("masks %v, found %v, error %v", m, found, err)
	}
}

// With hide_facts an edge goes only with its twin, as often as it would alone; with hide_one
// every projection loses at least one edge that it could follow, and exactly one where nothing
// else is hidden.
func TestFactsAreHiddenWhole(t *testing.T) {
	topology, err := exec.Topology(randomGraph(3, 8, 1, 40))
	if err != nil {
		t.Fatal(err)
	}
	programs := []*plan.Program{plan.Compile(query.Projection{Relation: 0, Of: query.Anchor{Entity: 1}}, plan.Options{})}
	edges := newNaive(topology, 0, 0, 0).edges
	followed := 0
	for _, e := range edges {
		if e.Head == 1 && e.Relation == 0 {
			followed++
		}
	}
	if followed < 2 {
		t.Fatalf("the graph has %d edges to follow, expected several", followed)
	}
	for _, c := range []Config{{Dropout: 0.25, HideFacts: true}, {HideFacts: true, HideOne: true}, {Dropout: 0.25, HideFacts: true, HideOne: true}} {
		d := newDropout(topology, c)
		const steps = 2000
		hidden, spared := 0, 0
		for step := range steps {
			m, _, err := d.Record(context.Background(), step+1, programs)
			if err != nil {
				t.Fatal(err)
			}
			here := 0
			for _, id := range m[0] {
				e := edges[id]
				twin := edges[d.twins[id]]
				if twin != (kernel.Edge{Head: e.Tail, Relation: int32(kg.Relation(e.Relation).Inverse()), Tail: e.Head}) {
					t.Fatalf("the twin of %v is %v", e, twin)
				}
				if !slices.Contains(m[0], d.twins[id]) {
					t.Fatalf("%v is hidden and its twin is not", e)
				}
				if e.Head == 1 && e.Relation == 0 {
					here++
				}
			}
			hidden += here
			if here == 0 {
				spared++
			}
		}
		switch {
		case c.HideOne && spared > 0:
			t.Errorf("%+v: nothing was hidden in %d steps", c, spared)
		case c.HideOne && c.Dropout == 0 && hidden != steps:
			t.Errorf("%d edges hidden in %d steps, expected one each", hidden, steps)
		case !c.HideOne && !near(hidden, steps*followed, 0.25):
			t.Errorf("%d edges hidden of %d, want a quarter", hidden, steps*followed)
		}
	}
}

// With hide_pairs all that joins the two entities of a hidden edge goes with it, and nothing else;
// an entity with one neighbour keeps it.
func TestPairsAreHidden(t *testing.T) {
	topology, err := exec.Topology(randomGraph(5, 9, 4, 60))
	if err != nil {
		t.Fatal(err)
	}
	programs := []*plan.Program{plan.Compile(query.Projection{Relation: 0, Of: query.Anchor{Entity: 1}}, plan.Options{})}
	edges := newNaive(topology, 0, 0, 0).edges
	pair := func(e kernel.Edge) [2]int32 { return [2]int32{min(e.Head, e.Tail), max(e.Head, e.Tail)} }
	d := newDropout(topology, Config{Seed: 3, HideFacts: true, HideOne: true, HidePairs: PairsHidden})
	joinedTwice := 0
	for step := range 200 {
		m, _, err := d.Record(context.Background(), step+1, programs)
		if err != nil {
			t.Fatal(err)
		}
		if len(m[0]) == 0 {
			t.Fatalf("step %d hides nothing", step)
		}
		hidden := pair(edges[m[0][0]])
		for id, e := range edges {
			if got, want := slices.Contains(m[0], int32(id)), pair(e) == hidden; got != want {
				t.Fatalf("step %d hides the pair %v; is %v hidden? %v", step, hidden, e, got)
			}
		}
		if len(m[0]) > 2 {
			joinedTwice++
		}
	}
	if joinedTwice == 0 {
		t.Fatal("no pair of the graph is joined twice: the test shows nothing")
	}
}

func TestPairsLeaveTheLastNeighbour(t *testing.T) {
	// 0 and 1 are joined twice and by nothing else; 0 must not be cut off.
	likes, knows := kg.Forward(0), kg.Forward(1)
	facts := []kg.Triple{{Head: 0, Relation: likes, Tail: 1}, {Head: 0, Relation: knows, Tail: 1}, {Head: 1, Relation: likes, Tail: 2}, {Head: 2, Relation: likes, Tail: 3}}
	topology, err := exec.Topology(graphOf(4, 2, facts))
	if err != nil {
		t.Fatal(err)
	}
	programs := []*plan.Program{plan.Compile(query.Projection{Relation: 0, Of: query.Anchor{Entity: 0}}, plan.Options{})}
	m, _, err := newDropout(topology, Config{Seed: 3, HideFacts: true, HideOne: true, HidePairs: PairsHidden}).Record(context.Background(), 1, programs)
	if err != nil || len(m[0]) != 0 {
		t.Errorf("hidden: %v, error %v; expected the only neighbour to stay", m, err)
	}
}
