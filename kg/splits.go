package kg

import (
	"context"
	"slices"
)

// Splits is a graph together with the facts that a benchmark holds out from it,
// all over one vocabulary. A plain file of triples gives no held-out facts.
type Splits struct {
	Train *Graph
	Valid []Triple
	Test  []Triple
}

// UpToValid builds the graph of the training and validation facts.
func (s *Splits) UpToValid(ctx context.Context) (*Graph, error) { return s.with(ctx, s.Valid) }

// UpToTest builds the graph of all facts.
func (s *Splits) UpToTest(ctx context.Context) (*Graph, error) { return s.with(ctx, s.Valid, s.Test) }

// Close releases the file behind the training graph, if there is one.
func (s *Splits) Close() error { return s.Train.Close() }

func (s *Splits) with(ctx context.Context, more ...[]Triple) (*Graph, error) {
	added := slices.Concat(more...)
	if len(added) == 0 {
		return s.Train, nil
	}
	g, err := BuildContext(ctx, s.Train.Vocabulary, slices.AppendSeq(added, s.Train.Triples()))
	if err == nil {
		g.WithDenied(slices.DeleteFunc(s.Train.Denied(), g.Has))
	}
	return g, err
}
