package main

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
)

// gapFlags are shared by predict and audit.
type gapFlags struct {
	graph     command.GraphFlags
	device    command.DeviceFlags
	model     string
	fitted    command.LinkFlags // of them those of calibration
	output    string
	relations []string
	literals  bool
	why       bool
}

func (f *gapFlags) register(cmd *cobra.Command) {
	f.graph.Register(cmd)
	f.device.Register(cmd)
	f.device.RegisterCut(cmd)
	command.RegisterModel(cmd, &f.model)
	flags := cmd.Flags()
	f.fitted.RegisterCalibration(cmd)
	flags.StringVarP(&f.output, "output", "o", "", "`file` to write: .csv, .tsv, .jsonl or .parquet (default: the screen)")
	flags.StringArrayVar(&f.relations, "relation", nil, "`relation`, R^-1 for its inverse")
	flags.BoolVar(&f.literals, "literals", false, "predict numbers, dates and truth values, too (the model can only guess these)")
}

// open puts the model on the graph.
func (f *gapFlags) open(cmd *cobra.Command, a *app, least float32) (*lacuna.Engine, error) {
	if f.model == lacuna.Exact {
		return nil, kg.Errorf(kg.Invalid, "", "%s: -m exact predicts nothing: expected a model", cmd.Name())
	}
	engine, err := a.Open(cmd.Context(), &f.graph, command.ChosenModel(f.model, &f.graph), &f.device, &f.fitted, lacuna.Linking(lacuna.LinkOptions{Rows: links.Options{Least: least}, File: f.fitted.File}))
	return engine, err
}

// chosen are the relations that the flags name.
func (f *gapFlags) chosen(g *kg.Graph) (relations []kg.Relation, err error) {
	for _, name := range f.relations {
		r, err := query.FindRelation(name, g.Vocabulary)
		if err != nil {
			return nil, err
		}
		relations = append(relations, r)
	}
	return relations, nil
}

// options are those of package gaps: with a file finished parts are kept beside it.
func (f *gapFlags) options(bar *command.Progress, what string) gaps.Options {
	o := gaps.Options{Literals: f.literals, Why: f.why, Progress: func(done, total int) { bar.Update(int64(done), int64(total), count.Of(done, what)) }}
	if f.output != "" {
		o.Keep = f.output + links.PartialSuffix
	}
	return o
}

// predictFlags say what is predicted.
type predictFlags struct {
	gapFlags
	entities string
	score    string
	top      int
	missing  int
	least    float32
	lacking  bool
	stated   bool
}

func (a *app) predictCommand() *cobra.Command {
	var flags predictFlags
	cmd := &cobra.Command{
		Use:   "predict",
		Short: "Fill a whole relation, list the likeliest missing facts, or score triples",
		Long: `Predict whole relations, each fact with its probability:

  --relation R --top 10   for every entity that R is stated of, and those that are like
                          them; --lacking: only where nothing is stated yet
  --missing 100           the likeliest missing facts, of R with --relation R
  --score candidates.tsv  a probability for each triple of a file (head, relation, tail)

With -o a table is written, and Ctrl-C loses nothing: the same command goes on where it
stopped. Numbers and dates are not predicted unless --literals asks for them.`,
		Example: `  lacuna predict -g films.csv --relation genre --lacking --top 3 -o genres.csv
  lacuna predict -g films.csv --missing 100 --why
  lacuna predict -g films.csv --score candidates.tsv -o scored.parquet
  lacuna predict --relation Field --entities people.txt --top 5 --json`,
		Args: command.Arguments(0, 0, "no argument (name the graph by -g, the relation by --relation)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.predict(cmd, &flags) },
	}
	flags.register(cmd)
	flags.fitted.RegisterFile(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.entities, "entities", "", "`file` of entities to predict for, one name per line (default: the relation's domain)")
	f.IntVar(&flags.top, "top", 10, "predictions per entity, -1 for all above --least")
	f.Float32Var(&flags.least, "least", 0.01, "least probability of a prediction")
	f.BoolVar(&flags.lacking, "lacking", false, "only entities for which the graph has no value")
	f.BoolVar(&flags.stated, "stated", false, "also list what the graph states")
	f.IntVar(&flags.missing, "missing", 0, "list the `N` likeliest missing facts")
	f.StringVar(&flags.score, "score", "", "`file` of triples to score")
	f.BoolVar(&flags.why, "why", false, "add the facts that support each prediction")
	cmd.MarkFlagsMutuallyExclusive("score", "missing")
	cmd.MarkFlagsMutuallyExclusive("score", "relation")
	cmd.MarkFlagsMutuallyExclusive("score", "links")
	command.First(cmd, "graph", "model", "relation", "lacking", "top", "least", "missing", "score", "entities", "stated", "why", "output", "read")
	return cmd
}

func (f *predictFlags) check() error {
	switch {
	case f.score == "" && f.missing == 0 && len(f.relations) != 1:
		return kg.Errorf(kg.Invalid, "", "predict: expected one --relation R, or --missing N, or --score FILE")
	case f.missing < 0 || f.top < -1 || !(f.least >= 0 && f.least < 1):
		return kg.Errorf(kg.Invalid, "", "predict: --missing %d --top %d --least %v: expected numbers of facts, -1 of --top for all, and a probability below 1", f.missing, f.top, f.least)
	}
	return nil
}

// checkFile refuses to predict more from a file of links than it has.
func (f *predictFlags) checkFile() error {
	if f.fitted.File == "" {
		return nil
	}
	file, err := links.OpenFile(f.fitted.File)
	if err != nil {
		return err
	}
	defer file.Close()
	switch {
	case f.missing == 0 && f.least < file.Least:
		return kg.Errorf(kg.Invalid, f.fitted.File, "it has links from a probability of %v on: expected --least %[1]v or more, or a file with more (lacuna links --least)", file.Least)
	case f.missing == 0 && file.Top > 0 && (f.top < 0 || f.top > file.Top):
		return kg.Errorf(kg.Invalid, f.fitted.File, "it has %d predicted links of a row: expected --top %[1]d or fewer, or a file with more (lacuna links --top)", file.Top)
	}
	return nil
}

func (a *app) predict(cmd *cobra.Command, flags *predictFlags) error {
	if err := flags.check(); err != nil {
		return err
	}
	if err := flags.checkFile(); err != nil {
		return err
	}
	out, err := a.newGapOutput(&flags.gapFlags)
	if err != nil {
		return err
	}
	defer out.abort()
	engine, err := flags.open(cmd, a, min(flags.least, links.DefaultLeast))
	if err != nil {
		return err
	}
	defer engine.Close()
	find, err := flags.task(cmd.Context(), engine.Graph)
	if err != nil {
		return err
	}
	finder, err := engine.Gaps(cmd.Context())
	if err != nil {
		return err
	}
	if err := out.start(engine.Graph, gaps.Columns{Why: flags.why}); err != nil {
		return err
	}
	bar := a.Progress("predicting")
	defer bar.Done()
	err = find(finder, flags.options(bar, "row"), out.facts)
	bar.Done()
	return out.end(err)
}

// finding hands what is wanted to use.
type finding func(finder *gaps.Finder, o gaps.Options, use func([]gaps.Fact) error) error

// task looks up the names, so that a mistake in them is told before anything is fitted, and gives what is left to do.
func (f *predictFlags) task(ctx context.Context, g *kg.Graph) (finding, error) {
	switch {
	case f.score != "":
		wanted, err := readCandidates(ctx, f.score, g)
		return func(finder *gaps.Finder, o gaps.Options, use func([]gaps.Fact) error) error {
			return finder.Score(ctx, wanted, o, use)
		}, err
	case f.missing > 0:
		relations, err := f.chosen(g)
		return func(finder *gaps.Finder, o gaps.Options, use func([]gaps.Fact) error) error {
			facts, err := finder.Missing(ctx, gaps.Missing{Relations: relations, Most: f.missing}, o)
			if err != nil {
				return err
			}
			return use(facts)
		}, err
	}
	column, err := f.column(g)
	return func(finder *gaps.Finder, o gaps.Options, use func([]gaps.Fact) error) error {
		return finder.Predict(ctx, gaps.Prediction{Column: column, Top: max(0, f.top), Least: f.least, Stated: f.stated}, o, use)
	}, err
}

// column are the places to fill.
func (f *predictFlags) column(g *kg.Graph) (c gaps.Column, err error) {
	relations, err := f.chosen(g)
	if err != nil {
		return c, err
	}
	c = gaps.Column{Relation: relations[0], Lacking: f.lacking}
	if f.entities == "" {
		return c, nil
	}
	data, err := os.ReadFile(f.entities)
	if err != nil {
		return c, kg.ReadError(f.entities, err)
	}
	c.Heads = []kg.Entity{}
	for i, line := range strings.Split(string(data), "\n") {
		if name := strings.TrimSpace(line); name != "" {
			e, err := query.FindEntity(name, g.Vocabulary)
			if err != nil {
				return c, kg.ErrorAt(kg.KindOf(err), kg.Place{Name: f.entities, Line: i + 1}, "%v", err)
			}
			c.Heads = append(c.Heads, e)
		}
	}
	return c, nil
}

// readCandidates reads triples of names that the graph has.
func readCandidates(ctx context.Context, file string, g *kg.Graph) ([]kg.Triple, error) {
	splits, err := read.Graph(ctx, file, read.Options{})
	if err != nil {
		return nil, err
	}
	defer splits.Close()
	from := splits.Train
	var wanted []kg.Triple
	for t := range from.Triples() {
		named, err := translateFact(from, g, t)
		if err != nil {
			return nil, kg.Errorf(kg.KindOf(err), file, "%v", err)
		}
		wanted = append(wanted, named)
	}
	return wanted, nil
}

// translateFact finds the names of a fact in another graph.
func translateFact(from, to *kg.Graph, t kg.Triple) (kg.Triple, error) {
	head, err := query.FindEntity(from.Entity(t.Head), to.Vocabulary)
	if err != nil {
		return t, err
	}
	relation, err := query.FindRelation(from.Relation(t.Relation), to.Vocabulary)
	if err != nil {
		return t, err
	}
	tail, err := query.FindEntity(from.Entity(t.Tail), to.Vocabulary)
	return kg.Triple{Head: head, Relation: relation, Tail: tail}, err
}
