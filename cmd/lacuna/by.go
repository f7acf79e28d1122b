package main

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
)

// The two ways of a model to answer, the values of --by.
const (
	bySets  = "sets"  // a whole set in one pass of the network, as in the paper
	byLinks = "links" // entity by entity, the best derivation counts
)

// linkFlags chooses how a model answers, and how far it looks by links.
type linkFlags struct {
	by     []string
	follow links.Follow
	rows   links.Options
	file   string
}

func (f *linkFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.by, "by", []string{bySets}, "how a model answers: by sets (a whole set in one pass, as in the paper) or by links (entity by entity, the best derivation counts)")
	flags.IntVar(&f.follow.Most, "follow", 0, "by links: entities that a step follows, -1 for all (default: 48 on a CPU, 256 on a GPU, 1024 with --links)")
	flags.Float32Var(&f.follow.Weight, "follow-from", links.DefaultWeight, "by links: least probability of an entity that is followed")
	flags.Float32Var(&f.rows.Least, "least", links.DefaultLeast, "by links: predicted links below this probability are left out")
	flags.StringVar(&f.file, "links", "", "by links: a file that lacuna links made of the graph; what it lacks is computed")
	completeFlag(cmd, "by", bySets, byLinks)
}

func (f *linkFlags) check() error {
	for _, by := range f.by {
		if !slices.Contains([]string{bySets, byLinks}, by) {
			return kg.Errorf(kg.Invalid, "", "--by %s: expected sets or links", by)
		}
	}
	return nil
}

// executor runs programs by the links of a model on a graph.
func (f *linkFlags) executor(p *neural.Predictor) (x links.Executor, err error) {
	follow, options := f.follow, f.rows
	if follow.Most == 0 {
		follow.Most = links.FollowOn(p.Model.Network.Device())
	}
	if f.file != "" {
		if options.File, err = openLinks(f.file, p); err != nil {
			return x, err
		}
		follow.Most = cmp.Or(f.follow.Most, links.FollowInFile)
	}
	if options.Least == 0 {
		options.Least = -1 // the library's 0 is its default
	}
	if follow.Weight == 0 {
		follow.Weight = -1
	}
	return links.NewExecutor(links.New(p.Graph, p, options), follow), nil
}

// openLinks opens a file of links, which stays mapped until the program ends.
func openLinks(path string, p *neural.Predictor) (*links.File, error) {
	file, err := links.OpenFile(path)
	if err != nil {
		return nil, err
	}
	model, err := p.Model.Hash()
	if err == nil {
		err = file.Fits(p.Graph, model)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
