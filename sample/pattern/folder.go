package pattern

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// WriteFolder draws the questions that the options ask for into a new folder: the graph as a snapshot, and a file of questions
// for each split of which some are wanted. The folder appears when all of it is written, or not at all.
func WriteFolder(ctx context.Context, s *kg.Splits, dir, source string, o Options) (outcomes []Outcome, err error) {
	err = dataset.WriteFolder(dir, func(passing string) error {
		if err := snapshot.Write(ctx, filepath.Join(passing, dataset.GraphFile), s); err != nil {
			return err
		}
		for _, split := range dataset.AllSplits() {
			if o.Wanted[split] == 0 {
				continue
			}
			questions, drawn, err := Run(ctx, s, split, o)
			if outcomes = append(outcomes, drawn...); err != nil {
				return err
			}
			if err := dataset.WriteTuples(passing, dataset.NewHeader(split, s.Train.Vocabulary, o.provenance(source)), questions); err != nil {
				return err
			}
		}
		return nil
	})
	return outcomes, err
}

// provenance is what it takes to draw the same questions again.
func (o Options) provenance(source string) dataset.Provenance {
	names := make([]string, len(o.Patterns))
	for i, p := range o.Patterns {
		names[i] = p.Name
	}
	return dataset.Provenance{
		Source: source, Method: "drawn from patterns", Seed: o.Seed,
		Parameters: map[string]string{"patterns": strings.Join(names, "; "), "max_answers": strconv.Itoa(o.Limits.Hard)},
	}
}
