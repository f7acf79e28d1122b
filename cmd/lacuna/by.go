package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// linkFlags chooses how a model answers, and how far it looks by links.
type linkFlags struct {
	by     []string
	follow links.Follow
	rows   links.Options
	file   string
	fitted string
}

func (f *linkFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.by, "by", []string{lacuna.Sets}, "how a model answers: by sets (a whole set in one pass, as in the paper) or by links (entity by entity, the best derivation counts)")
	flags.IntVar(&f.follow.Most, "follow", 0, "by links: entities that a step follows, -1 for all (default: 32 on a CPU, 256 on a GPU, 1024 with --links)")
	flags.IntVar(&f.follow.Lacking, "follow-lacking", 0, "with --links: entities among them that the file has no links of, -1 for all (default: 256 on a GPU; on a CPU none, or 32 where the file has none at all)")
	flags.Float32Var(&f.follow.Weight, "follow-from", links.DefaultWeight, "by links: least probability of an entity that is followed")
	flags.Float32Var(&f.rows.Least, "least", links.DefaultLeast, "by links: predicted links below this probability are left out")
	flags.StringVar(&f.file, "links", "", "by links: a file that lacuna links made of the graph; what it lacks is computed")
	flags.StringVar(&f.fitted, "calibration", "", "by links: a file that lacuna calibrate --by links made of the graph and the model")
	completeFlag(cmd, "by", lacuna.Sets, lacuna.Links)
}

func (f *linkFlags) check() error {
	for _, by := range f.by {
		if !slices.Contains([]string{lacuna.Sets, lacuna.Links}, by) {
			return kg.Errorf(kg.Invalid, "", "--by %s: expected sets or links", by)
		}
	}
	return nil
}

// options are those of an engine that may answer by links.
func (f *linkFlags) options() lacuna.Option {
	if f.by == nil { // the command has no such flags
		return lacuna.Linking(lacuna.LinkOptions{})
	}
	o := lacuna.LinkOptions{Follow: f.follow, Rows: f.rows, File: f.file, Calibration: f.fitted}
	if o.Rows.Least == 0 {
		o.Rows.Least = -1 // the library's 0 is its default
	}
	if o.Follow.Weight == 0 {
		o.Follow.Weight = -1
	}
	return lacuna.Linking(o)
}

// showCuts says which steps followed the likeliest entities only.
func (a *app) showCuts(steps []lacuna.Step) {
	for _, step := range steps {
		if step.LeftOut > 0 {
			a.screen.printf("  %s\n", a.screen.dim(fmt.Sprintf("%s: predictions from %s entities were left out, the likeliest at %.2g (--follow N)",
				step.Relation, thousands(step.LeftOut), step.LikeliestLeftOut)))
		}
	}
}

// one is the way to answer for commands that answer once.
func (f *linkFlags) one() (lacuna.AskOption, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if len(f.by) != 1 {
		return nil, kg.Errorf(kg.Invalid, "", "--by %s: expected sets or links, not both", strings.Join(f.by, ","))
	}
	return lacuna.By(f.by[0]), nil
}
