package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
)

// widths lie around the vector lengths of 8, 16 and 32 floats. Not 2: LayerNorm of two
// values is ±1 but for its ε, and the gradient through it is nothing but cancellation.
func widths() []int { return []int{1, 6, 7, 8, 15, 16, 17, 31, 32, 33, 34, 64} }

// Cases are all comparisons.
func Cases() []Case {
	return slices.Concat(rowCases(), denseCases(), layerCases(), meetCases(), setCases(), evidenceCases(), trainingCases())
}

// topology makes a graph with a hub, nodes that only send or only receive, and empty
// rows; hub is the hub's in-degree, and it sends as many.
func topology(nodes, relations, edges, hub int) *kernel.Graph {
	draw := rand.New(rand.NewPCG(uint64(nodes), uint64(edges)))
	used := map[kernel.Edge]bool{}
	node := func() int32 { return draw.Int32N(int32(nodes)) }
	relation := func() int32 { return draw.Int32N(int32(relations)) }
	for len(used) < hub {
		used[kernel.Edge{Head: node(), Relation: relation(), Tail: 0}] = true
	}
	for len(used) < 2*hub {
		used[kernel.Edge{Head: 0, Relation: relation(), Tail: node()}] = true
	}
	for len(used) < edges {
		head, tail := node(), node()
		if head%5 != 1 && tail%7 != 2 { // some nodes send nothing, some receive nothing
			used[kernel.Edge{Head: head, Relation: relation(), Tail: tail}] = true
		}
	}
	list := make([]kernel.Edge, 0, len(used))
	for e := range used {
		list = append(list, e)
	}
	inverse := make([]bool, relations)
	for r := range inverse {
		inverse[r] = r%2 == 1
	}
	g, err := kernel.NewGraph(nodes, relations, list, inverse)
	if err != nil {
		panic(err)
	}
	return g
}

// evenTopology makes a graph of two degrees only, two edges or five into every node: a device may take those of one
// degree together.
func evenTopology(nodes, relations int) *kernel.Graph {
	var edges []kernel.Edge
	for v := range nodes {
		degree := 2
		if v%3 == 0 {
			degree = 5
		}
		for k := range degree {
			edges = append(edges, kernel.Edge{Head: int32((v*7 + k*k*11 + 1) % nodes), Relation: int32((v + k) % relations), Tail: int32(v)})
		}
	}
	g, err := kernel.NewGraph(nodes, relations, edges, nil)
	if err != nil {
		panic(err)
	}
	return g
}

func rowCases() []Case {
	var cases []Case
	for _, w := range widths() {
		cases = append(cases, Case{fmt.Sprintf("rows/width=%d", w), func(s *stage) {
			table := s.input("table", 9*w, -1, 1)
			out := s.output("gathered", 4*w)
			s.Gather(out, table, []int32{8, 0, 3, 3}, w)
			sum := s.gradient("summed", 9*w)
			s.ScatterAdd(sum, out, []int32{2, 2, 0, 8}, w)
			moved := s.output("scattered", 4*w)
			s.Scatter(moved, s.input("rows", 4*w, -1, 1), []int32{3, 0, 2, 1}, w)
			filled, copied := s.output("filled", 9*w), s.output("copied", 9*w)
			s.Fill(filled, 0.25)
			s.Copy(copied, table)
		}})
	}
	return cases
}

func setCases() []Case {
	var cases []Case
	steps := []kernel.LogicStep{
		{Op: kernel.Not, Out: 3, X: 0, Lambda: -0.75}, {Op: kernel.And, Out: 4, X: 3, Y: 1},
		{Op: kernel.Or, Out: 5, X: 4, Y: 2}, {Op: kernel.And, Out: 6, X: 5, Y: 5}, {Op: kernel.Not, Out: 7, X: 6},
	}
	for _, nodes := range []int{1, 7, 8, 33, 1000} {
		for l := range kernel.Logic(len(kernel.Logics)) {
			cases = append(cases, Case{fmt.Sprintf("logic/%v/nodes=%d", l, nodes), func(s *stage) {
				pool := s.output("sets", 8*nodes)
				s.Copy(pool.Slice(0, 3*nodes), s.input("start", 3*nodes, 0, 1))
				s.Logic(l, pool, nodes, steps)
				s.LogicBackward(l, s.gradient("dsets", 8*nodes), pool, nodes, steps)
			}})
		}
		cases = append(cases, Case{fmt.Sprintf("sets/nodes=%d", nodes), func(s *stage) { playSets(s, nodes) }})
		cases = append(cases, Case{fmt.Sprintf("traverse/nodes=%d", nodes), func(s *stage) { playTraverse(s, nodes) }})
	}
	return cases
}

func playSets(s *stage, nodes int) {
	pool := s.output("pool", 4*nodes)
	s.Copy(pool, s.input("start", 4*nodes, 0, 1))
	s.Singletons(pool, nodes, []int32{2, 0}, []int32{int32(nodes - 1), 0})
	s.Threshold(pool.Slice(nodes, 2*nodes), 0.5)
	s.Odds(pool.Slice(nodes, 3*nodes), 2.5)
	cardinality := make([]float64, 4)
	s.Cardinality(cardinality, pool, 0.25)
	for _, c := range cardinality {
		s.note("cardinality", float32(c))
	}
	blended := s.output("blended", 3*nodes)
	s.Copy(blended, s.input("probabilities", 3*nodes, 0, 1))
	s.Blend(blended, s.input("logits", 3*nodes, -9, 30), []float32{1, 0.25, 0}, []float32{0, 0.5, 1})
	scores := s.tied("scores", 2*nodes) // five values: ties everywhere
	last := int32(nodes - 1)
	hard, answers := [][]int32{{last}, {}}, [][]int32{{last}, {0}}
	if nodes > 2 {
		hard, answers = [][]int32{{0, last}, {1}}, [][]int32{{0, 1, last}, {1, 2}}
	}
	for _, r := range s.Ranks(scores, kernel.NewLists(hard), kernel.NewLists(answers)) {
		s.note("rank", float32(r.Greater), float32(r.Equal))
	}
}

func playTraverse(s *stage, nodes int) {
	relations := []int32{2, 0}
	g := topology(max(nodes, 9), 3, 4*max(nodes, 9), 6)
	in := s.input("in", 2*g.Nodes, 0, 1)
	on := s.graph(g)
	s.Traverse(on, s.output("reached", 2*g.Nodes), in, relations)
	thin := s.Thin(on, []int32{0, 3, int32(g.Edges() - 1)})
	s.graphs = append(s.graphs, thin)
	s.Traverse(thin, s.output("reached after thinning", 2*g.Nodes), in, relations)
}

// playKnown has rows whose answers are partly known, all known and all hidden.
func playKnown(s *stage, nodes int, objective kernel.Objective) {
	last := int32(nodes - 1)
	rows, found := [][]int32{{last}, {last}, {}}, [][]int32{{last}, {}, {}}
	if nodes > 4 {
		rows, found = [][]int32{{0, 2, 3, last}, {1, 4}, {0, 3, last}}, [][]int32{{2, last}, {1, 4}, {}}
	}
	answers, prob := kernel.NewLists(rows), s.input("prob", 3*nodes, 0, 1)
	for _, weight := range []float32{0, 0.25, 1} {
		known := kernel.Known{Answers: kernel.NewLists(found), Weight: weight}
		s.Loss(s.output("loss", 3), s.output("dprob", 3*nodes), prob, answers, known, objective, []float32{0.25, 0.5, 0.25})
	}
}

// playCrossEntropy has rows with one target and with several, and takes a step along what they say.
func playCrossEntropy(s *stage, nodes int) {
	targets := [][]int32{{0}, {int32(nodes - 1)}}
	if nodes > 4 {
		targets = [][]int32{{0, 2, 3, int32(nodes - 1)}, {1}}
	}
	z := s.output("gradient", 2*nodes)
	s.Copy(z, s.input("logits", 2*nodes, -8, 8))
	s.CrossEntropy(s.output("loss", 2), z, kernel.NewLists(targets), []float32{0.25, 3})
	param, squares := s.output("param", 2*nodes), s.output("squares", 2*nodes)
	s.Copy(param, s.input("start", 2*nodes, -1, 1))
	s.Fill(squares, 0.5)
	s.Adagrad(param, z, squares, 0.1)
}

func trainingCases() []Case {
	var cases []Case
	for _, nodes := range []int{1, 7, 16, 1000} {
		for _, objective := range []kernel.Objective{{}, {Temperature: 0.2}} {
			cases = append(cases, Case{fmt.Sprintf("loss/nodes=%d/%+v", nodes, objective), func(s *stage) {
				prob := s.input("prob", 2*nodes, 0, 1)
				answers := kernel.NewLists([][]int32{{0}, {int32(nodes - 1)}})
				if nodes > 4 {
					answers = kernel.NewLists([][]int32{{0, 2, 3, int32(nodes - 1)}, {}})
				}
				s.Loss(s.output("loss", 2), s.output("dprob", 2*nodes), prob, answers, kernel.Known{}, objective, []float32{0.25, 0.75})
				s.Loss(s.output("loss alone", 2), nil, prob, answers, kernel.Known{}, objective, []float32{0.25, 0.75})
			}})
			cases = append(cases, Case{fmt.Sprintf("known/nodes=%d/%+v", nodes, objective), func(s *stage) { playKnown(s, nodes, objective) }})
		}
	}
	for _, nodes := range []int{3, 7, 16, 600, 1000} {
		cases = append(cases, Case{fmt.Sprintf("cross entropy/nodes=%d", nodes), func(s *stage) { playCrossEntropy(s, nodes) }})
	}
	for _, n := range []int{1, 15, 16, 17, 1000} {
		cases = append(cases, Case{fmt.Sprintf("adam/n=%d", n), func(s *stage) {
			param, first, second := s.output("param", n), s.output("first", n), s.output("second", n)
			s.Copy(param, s.input("start", n, -1, 1))
			s.Fill(first, 0)
			s.Fill(second, 0)
			for step := 1; step <= 3; step++ {
				grad := s.input("grad", n, -1, 1)
				s.Adam(param, grad, first, second, kernel.AdamStep{Rate: 0.01, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Step: step})
			}
		}})
	}
	return cases
}
