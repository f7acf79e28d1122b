package lacuna

import (
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// WithTruth gives the same engine that judges its answers: an answer is right if
// traversal of the truth finds it. The truth is a graph over the same vocabulary
// that states more, such as a benchmark's graph with its held-out facts; nil takes it away.
func (e *Engine) WithTruth(truth *kg.Graph) *Engine {
	with := *e
	with.Truth = truth
	return &with
}

// translate gives the facts of another graph in the vocabulary of this one, by their
// names, and how many have a name that it lacks and are left out.
func translate(from *kg.Graph, to *kg.Vocabulary) (facts []kg.Triple, unknown int) {
	entities, relations := renumber(from.Entities.Names, to.Entities.Names), renumber(from.Relations.Names, to.Relations.Names)
	for t := range from.Triples() {
		head, relation, tail := entities[t.Head], relations[t.Relation.Base()], entities[t.Tail]
		if min(head, relation, tail) < 0 {
			unknown++
			continue
		}
		facts = append(facts, kg.Triple{Head: kg.Entity(head), Relation: kg.Forward(uint32(relation)), Tail: kg.Entity(tail)})
	}
	return facts, unknown
}

// TruthOf builds a truth for WithTruth: all that a graph states, and more facts in its vocabulary.
func TruthOf(ctx context.Context, g *kg.Graph, more []kg.Triple) (*kg.Graph, error) {
	return kg.BuildContext(ctx, g.Vocabulary, slices.AppendSeq(slices.Clone(more), g.Triples()))
}

// ReadTruth is TruthOf the facts of a file or folder. Unknown is how many of them have a
// name that the graph lacks: they judge nothing.
func ReadTruth(ctx context.Context, g *kg.Graph, source string) (truth *kg.Graph, unknown int, err error) {
	more, err := read.Graph(ctx, source, read.Options{})
	if err != nil {
		return nil, 0, err
	}
	defer more.Close()
	facts, unknown := translate(more.Train, g.Vocabulary)
	truth, err = TruthOf(ctx, g, facts)
	return truth, unknown, err
}

// renumber gives the number of every name in another list, -1 where it is not there.
func renumber(from, to *kg.Names) []int64 {
	numbers := make([]int64, from.Len())
	for i := range numbers {
		numbers[i] = -1
		if id, found := to.Find(from.At(uint32(i))); found {
			numbers[i] = int64(id)
		}
	}
	return numbers
}
