package main

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/coverage"
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
	comment   bool
}

func (f *gapFlags) register(cmd *cobra.Command) {
	f.graph.Register(cmd)
	f.graph.RegisterReason(cmd)
	f.device.Register(cmd)
	f.device.RegisterCut(cmd)
	command.RegisterModel(cmd, &f.model)
	flags := cmd.Flags()
	f.fitted.RegisterCalibration(cmd)
	flags.StringVarP(&f.output, "output", "o", "", "`file` to write: .csv, .tsv, .jsonl or .parquet (default: the screen)")
	flags.BoolVar(&f.comment, "header-comment", false, "begin a CSV or TSV table with version, command, and digests of graph, model and calibration")
	flags.StringArrayVar(&f.relations, "relation", nil, "`relation`, R^-1 for its inverse")
	flags.BoolVar(&f.literals, "literals", false, "predict numbers, dates and truth values, too (the model can only guess these)")
}

// open puts the model on the graph.
func (f *gapFlags) open(cmd *cobra.Command, a *app, least float32) (*lacuna.Engine, error) {
	if f.model == lacuna.Exact {
		return nil, kg.Errorf(kg.Invalid, "", "%s: -m exact predicts nothing: expected a model", cmd.Name())
	}
	engine, err := a.Open(cmd.Context(), &f.graph, command.ChosenModel(f.model, &f.graph, lacuna.Links), &f.device, &f.fitted, lacuna.Linking(lacuna.LinkOptions{Rows: links.Options{Least: least}, File: f.fitted.File}))
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
	all      bool
	coverage float64
	first    bool // of lacking: the likeliest in any case
}

func (a *app) predictCommand() *cobra.Command {
	var flags predictFlags
	cmd := &cobra.Command{
		Use:   "predict",
		Short: "Fill a whole relation, list the likeliest missing facts, or score triples",
		Long: `Predict whole relations, each fact with its probability:

  --relation R --top 10   for every entity that R is stated of, and those that are like
                          them; --lacking: only where nothing is stated yet, with the
                          best prediction of each unless --least says otherwise
  --missing 100           the likeliest missing facts, of R with --relation R; a large
                          graph is looked at for about half a minute (--all: to the end)
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
	f.BoolVar(&flags.all, "all", false, "with --missing: look at every place, however long it takes")
	f.Float64Var(&flags.coverage, "coverage", 0, "with --relation: as many predictions per entity as it takes to have the right one with this `frequency`, such as 0.9")
	f.StringVar(&flags.score, "score", "", "`file` of triples to score")
	f.BoolVar(&flags.why, "why", false, "add the facts that support each prediction")
	cmd.MarkFlagsMutuallyExclusive("score", "missing")
	cmd.MarkFlagsMutuallyExclusive("score", "relation")
	cmd.MarkFlagsMutuallyExclusive("score", "links")
	command.First(cmd, "graph", "model", "relation", "lacking", "top", "least", "missing", "score", "entities", "stated", "why", "output", "read")
	return cmd
}

func (f *predictFlags) check() error {
	if f.coverage != 0 {
		if err := coverage.Check(f.coverage); err != nil {
			return err
		}
	}
	switch {
	case f.coverage != 0 && (f.score != "" || f.missing != 0):
		return kg.Errorf(kg.Invalid, "", "predict: --coverage goes with --relation R alone")
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
	flags.first = flags.lacking && !cmd.Flags().Changed("least")
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
	find, err := flags.task(cmd.Context(), a, engine.Graph)
	if err != nil {
		return err
	}
	finder, err := engine.Gaps(cmd.Context())
	if err != nil {
		return err
	}
	if err := out.start(cmd, engine, gaps.Columns{Why: flags.why}); err != nil {
		return err
	}
	bar := a.Progress("predicting")
	defer bar.Done()
	remark, err := find(finder, flags.options(bar, "row"), out.facts)
	bar.Done()
	if err := out.end(err); err != nil {
		return err
	}
	return a.explainPrediction(remark, out)
}

// looked is what a prediction says of itself.
type looked struct {
	*gaps.Asked
	Answered int    `json:"answered,omitempty"` // of those asked
	Places   int    `json:"places,omitempty"`   // of --missing: looked at
	Of       int    `json:"of,omitempty"`       // that there are
	relation string // whose column it is
}

// explainPrediction says who was asked, and why others were not.
func (a *app) explainPrediction(l looked, out *gapOutput) error {
	switch {
	case a.JSON && out.table == nil && (l.Asked != nil || l.Places < l.Of):
		return a.PrintJSONLine(struct {
			Summary looked  `json:"summary"`
			Origin  *origin `json:"origin"`
		}{l, out.origin})
	case a.JSON:
	case l.Asked != nil:
		a.Remark("asked %s without %s: %d %s predictions; %s a value, %s unlike those that have one (--entities FILE asks for any)",
			count.Of(l.Asked.Asked, "entity"), l.relation, l.Answered, count.Either(l.Answered, "has", "have"),
			count.Of(l.Stated, "entity")+count.Either(l.Stated, " has", " have"), count.Of(l.Unlike, "entity")+count.Either(l.Unlike, " is", " are"))
	case l.Places < l.Of:
		a.Remark("looked at %s of %d, the most promising (--all looks at all)", count.Of(l.Places, "place"), l.Of)
	}
	return nil
}

// finding hands what is wanted to use.
type finding func(finder *gaps.Finder, o gaps.Options, use func([]gaps.Fact) error) (looked, error)

// task looks up the names, so that a mistake in them is told before anything is fitted, and gives what is left to do.
func (f *predictFlags) task(ctx context.Context, a *app, g *kg.Graph) (finding, error) {
	switch {
	case f.score != "":
		wanted, err := readCandidates(ctx, f.score, g)
		return func(finder *gaps.Finder, o gaps.Options, use func([]gaps.Fact) error) (looked, error) {
			return looked{}, finder.Score(ctx, wanted, o, use)
		}, err
	case f.missing > 0:
		relations, err := f.chosen(g)
		return func(finder *gaps.Finder, o gaps.Options, use func([]gaps.Fact) error) (looked, error) {
			found, err := finder.Missing(ctx, gaps.Missing{Relations: relations, Most: f.missing, All: f.all}, o)
			if err != nil {
				return looked{}, err
			}
			return looked{Places: found.Looked, Of: found.Places}, use(found.Facts)
		}, err
	}
	column, err := f.column(a, g)
	return func(finder *gaps.Finder, o gaps.Options, use func([]gaps.Fact) error) (looked, error) {
		return f.fill(ctx, finder, column, o, use)
	}, err
}

// fill predicts a column.
func (f *predictFlags) fill(ctx context.Context, finder *gaps.Finder, column gaps.Column, o gaps.Options, use func([]gaps.Fact) error) (looked, error) {
	p := gaps.Prediction{Column: column, Top: max(0, f.top), Least: f.least, Stated: f.stated, First: f.first, Coverage: f.coverage}
	heads := map[kg.Entity]bool{}
	err := finder.Predict(ctx, p, o, func(facts []gaps.Fact) error {
		for _, fact := range facts {
			heads[fact.Head] = true
		}
		return use(facts)
	})
	if !f.lacking {
		return looked{}, err
	}
	asked := finder.Asked(column)
	return looked{Asked: &asked, Answered: len(heads), relation: f.relations[0]}, err
}

// column are the places to fill. Names that the graph lacks are reported, and the others predicted for.
func (f *predictFlags) column(a *app, g *kg.Graph) (c gaps.Column, err error) {
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
				a.Remark("%v: left out", kg.ErrorAt(kg.KindOf(err), kg.Place{Name: f.entities, Line: i + 1}, "%v", err))
				continue
			}
			a.remarkTaken(g, name)
			c.Heads = append(c.Heads, e)
		}
	}
	if len(c.Heads) == 0 {
		return c, kg.Errorf(kg.NotFound, f.entities, "none of its names is an entity of the graph: expected one name per line")
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
