package lacuna

import (
	"cmp"
	"context"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/kg/reason"
	"github.com/lacuna-kg/lacuna/turing"
)

// Reading is how a source is read. It is an Option of Open; the zero value detects everything.
type Reading struct {
	read.Options          // format, columns and labels, and who is told of the progress
	More         []string // further files of the same graph
	// With is a file of facts that count as if the graph stated them; their names may be new. Added is told how many there were, unless it is nil.
	With  string
	Added func(kg.ChangeReport)
	// Reason is RDFS to add what the graph implies (see package reason), "" for nothing; Implied is told what that was, unless it is nil.
	Reason  string
	Implied func(reason.Report)
}

// RDFS is the one way to reason.
const RDFS = "rdfs"

func (r Reading) open(o *opening) error { o.reading = &r; return nil }

// Read reads a graph as Open does, without a model: the source is a file, a folder, a snapshot, "-" for the Stdin of Reading,
// or "" for the graph that comes with Lacuna. Valid and Test are facts that the source holds out.
func Read(ctx context.Context, source string, how Reading) (*kg.Splits, error) {
	if how.Reason != "" && how.Reason != RDFS {
		return nil, kg.Errorf(kg.Invalid, "", "--reason %s, expected %s", how.Reason, RDFS)
	}
	splits, err := how.alone(ctx, source)
	if err == nil && how.With != "" {
		err = replaceTrain(splits, func(g *kg.Graph) (*kg.Graph, error) { return how.extend(ctx, g) })
	}
	if err == nil && how.Reason != "" {
		err = replaceTrain(splits, func(g *kg.Graph) (*kg.Graph, error) { return how.imply(ctx, g) })
	}
	if err != nil {
		return nil, err
	}
	return splits, nil
}

// replaceTrain puts another graph in the place of one, which it closes unless they are the same.
func replaceTrain(splits *kg.Splits, by func(*kg.Graph) (*kg.Graph, error)) (err error) {
	before := splits.Train
	if splits.Train, err = by(before); splits.Train != before {
		before.Close()
	}
	return err
}

// imply is a graph with what it implies.
func (r Reading) imply(ctx context.Context, g *kg.Graph) (*kg.Graph, error) {
	whole, report, err := reason.RDFS(ctx, g, 0)
	if err == nil && r.Implied != nil {
		r.Implied(report)
	}
	return whole, err
}

func (r Reading) alone(ctx context.Context, source string) (*kg.Splits, error) {
	if source == "" {
		return embedded(ctx)
	}
	return read.Graphs(ctx, append([]string{source}, r.More...), r.Options)
}

// extend adds the facts of With, by their names.
func (r Reading) extend(ctx context.Context, g *kg.Graph) (*kg.Graph, error) {
	more, err := read.Graph(ctx, r.With, read.Options{Stdin: r.Stdin})
	if err != nil {
		return nil, err
	}
	defer more.Close()
	var facts []kg.Fact
	entities, relations := more.Train.Entities.Names, more.Train.Relations.Names
	for t := range more.Train.Triples() {
		facts = append(facts, kg.Fact{Head: entities.At(uint32(t.Head)), Relation: relations.At(t.Relation.Base()), Tail: entities.At(uint32(t.Tail))})
	}
	for _, t := range more.Train.Denied() {
		facts = append(facts, more.Train.DenialOf(t))
	}
	changed, report, err := g.Change(ctx, facts, nil)
	if err != nil {
		return nil, kg.Errorf(kg.KindOf(err), r.With, "%v", err)
	}
	if r.Added != nil {
		r.Added(report)
	}
	return changed, nil
}

// SourceName is what messages call the graph of a source.
func SourceName(source string) string { return cmp.Or(source, "the embedded graph") }

// embedded gives the graph that comes with Lacuna, the Turing Award laureates,
// with the true facts left out of it on purpose as held-out test facts.
func embedded(ctx context.Context) (*kg.Splits, error) {
	facts, err := read.Stream(ctx, turing.Facts(), "turing/facts.tsv", read.Options{Format: read.TSV})
	if err != nil {
		return nil, err
	}
	leftOut, err := read.Stream(ctx, turing.LeftOut(), "turing/left_out.tsv", read.Options{Format: read.TSV})
	if err != nil {
		return nil, err
	}
	facts.Test, _ = translate(leftOut.Train, facts.Train.Vocabulary) // has all its names
	return facts, nil
}
