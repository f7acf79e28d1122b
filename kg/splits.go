package kg

import "slices"

// Splits is a graph together with the facts that a benchmark holds out from it,
// all over one vocabulary. A plain file of triples gives no held-out facts.
type Splits struct {
	Train *Graph
	Valid []Triple
	Test  []Triple
}

// UpToValid is the graph of the training and validation facts.
func (s *Splits) UpToValid() *Graph { return s.with(s.Valid) }

// UpToTest is the graph of all facts.
func (s *Splits) UpToTest() *Graph { return s.with(s.Valid, s.Test) }

// Close releases the file behind the training graph, if there is one.
func (s *Splits) Close() error { return s.Train.Close() }

func (s *Splits) with(more ...[]Triple) *Graph {
	added := slices.Concat(more...)
	if len(added) == 0 {
		return s.Train
	}
	return Build(s.Train.Vocabulary, slices.AppendSeq(added, s.Train.Triples()))
}
