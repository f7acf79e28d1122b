package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/ranks"
)

// linksFlags say which links are made, by what, and where they go.
type linksFlags struct {
	graph     command.GraphFlags
	device    command.DeviceFlags
	ranks     command.RankFlags
	team      *ranks.Team
	model     string
	output    string
	relations []string
	entities  string
	top       int
	least     float32
	allPairs  bool
	literals  bool
	fitted    command.LinkFlags // of them those of calibration

	partitions partitionFlags
}

// rows are those of a model on a graph, down to the least probability, fitted to the graph as for answers.
func (f *linksFlags) rows(ctx context.Context, e *lacuna.Engine) (*links.Rows, error) {
	fitted, err := f.fit(ctx, e)
	least := f.least
	if least == 0 {
		least = -1 // the library's 0 is its default
	}
	return links.New(e.Graph, e.Model().Predictor, links.Options{Least: least, Map: fitted, Literals: f.literals}), err
}

// fit is rank 0's: one in a hurry depends on the time that it has.
func (f *linksFlags) fit(ctx context.Context, e *lacuna.Engine) (fitted links.Map, err error) {
	if f.team.Leads() {
		err = f.team.TakeTime(ctx, func(ctx context.Context) (err error) {
			fitted, err = e.LinkMap(ctx)
			return err
		})
	}
	if err != nil || f.team.Size() == 1 {
		return fitted, err
	}
	text, err := json.Marshal(fitted)
	if err == nil {
		text, err = f.team.Broadcast(ctx, text)
	}
	if err == nil {
		err = json.Unmarshal(text, &fitted)
	}
	return fitted, err
}

// sharing is how the ranks make rows together.
func (f *linksFlags) sharing() links.Sharing {
	s := links.Sharing{Team: f.team}
	if f.device.Opened != nil && f.device.Opened.Memory() > 0 {
		s.Round = roundOnGPU
	}
	return s
}

// roundOnGPU is a second of a GPU on a graph of ten thousand entities.
const roundOnGPU = 8192

func (a *app) linksCommand() *cobra.Command {
	var flags linksFlags
	cmd := &cobra.Command{
		Use:   "links -o FILE",
		Short: "Make the links of a graph beforehand: stated and predicted, with probabilities",
		Long: `Make the links from every entity along every relation that the graph states for it,
in both directions: what is stated, and what the model predicts with its probability.

The file answers questions at the speed of traversal (lacuna ask --links FILE).
Ctrl-C loses nothing: the same command goes on where it stopped. Started by mpirun or srun, all
ranks make rows of the same file, each on a GPU of its own.

With a name that ends in .csv, .tsv or .nt the links are written as text for other
tools: head, relation, tail, probability, stated or predicted; read forwards only.
With --partitions N they are a folder of N Parquet files (docs/data.md), which ranks share.`,
		Example: `  lacuna links -g films.tsv -o films.links
  lacuna ask -g films.tsv --links films.links '?f : Directed(Fellini, f)'
  lacuna links -g films.tsv --relation Directed --least 0.2 --top 5 -o links.csv
  lacuna links -g films.tsv --partitions 8 -o films-links
  lacuna links -g films.tsv --partitions 8 --completed --least 0.5 -o films-completed`,
		Args: command.Arguments(0, 0, "no argument (name the graph by -g, the file by -o)"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.Together(cmd.Context(), flags.ranks, &flags.device, func(team *ranks.Team) error {
				flags.team = team
				return a.links(cmd, &flags)
			})
		},
	}
	flags.graph.Register(cmd)
	flags.device.Register(cmd)
	flags.ranks.Register(cmd)
	flags.device.RegisterCut(cmd)
	command.RegisterModel(cmd, &flags.model)
	flags.fitted.RegisterCalibration(cmd)
	flags.partitions.register(cmd)
	f := cmd.Flags()
	f.StringVarP(&flags.output, "output", "o", "", "`file` to write: links, or .csv, .tsv or .nt for text; with --partitions a folder (required)")
	f.StringArrayVar(&flags.relations, "relation", nil, "`relation`, R^-1 for its inverse (default: all)")
	f.StringVar(&flags.entities, "entities", "", "`file` of entities to start from, one name per line (default: all)")
	f.BoolVar(&flags.allPairs, "all-pairs", false, "also relations that the graph does not state for an entity: many more links")
	f.BoolVar(&flags.literals, "literals", false, "predict numbers, dates and truth values, too (the model can only guess these)")
	f.IntVar(&flags.top, "top", 0, fmt.Sprintf("predicted links per entity and relation, -1 for all (default: %d; all in text and with --completed)", links.DefaultTop))
	f.Float32Var(&flags.least, "least", 0, "least probability of a predicted link (default: 0.0001; 0.1 in text and with --completed)")
	command.First(cmd, "graph", "model", "output", "relation", "entities", "top", "least", "all-pairs", "partitions", "completed", "calibration", "read", "device")
	return cmd
}

// textFormats are those of links as text, by the ending of a file's name.
var textFormats = map[string]links.Format{".csv": links.CSV, ".tsv": links.TSV, ".nt": links.NTriples}

func isTextOfLinks(name string) bool {
	_, isText := textFormats[filepath.Ext(name)]
	return isText
}

// defaultTextLeast keeps tables readable: below it are most of the links there could be.
const defaultTextLeast = 0.1

func (a *app) links(cmd *cobra.Command, flags *linksFlags) error {
	start := time.Now()
	if err := flags.partitions.check(cmd); err != nil {
		return err
	}
	switch {
	case flags.output == "":
		return kg.Errorf(kg.Invalid, "", "links: -o FILE is needed, the file to write")
	case flags.team.Size() > 1 && !flags.partitions.wanted && isTextOfLinks(flags.output):
		return kg.Errorf(kg.Invalid, "", "links: -o %s over MPI: ranks make a file of links together (-o NAME.links) or Parquet (--partitions N); text is written by one process", flags.output)
	case flags.model == lacuna.Exact:
		return kg.Errorf(kg.Invalid, "", "links: -m exact predicts none: expected a model")
	}
	if err := flags.setBounds(cmd); err != nil {
		return err
	}
	var engine *lacuna.Engine
	err := flags.team.TakeTime(cmd.Context(), func(ctx context.Context) (err error) {
		engine, err = a.Open(ctx, &flags.graph, command.ChosenModel(flags.model, &flags.graph, lacuna.Links), &flags.device, &flags.fitted)
		return err
	})
	if err != nil {
		return err
	}
	defer engine.Close()
	if flags.partitions.wanted {
		return a.writePartitions(cmd.Context(), flags, engine, start)
	}
	if format, isText := textFormats[filepath.Ext(flags.output)]; isText {
		return a.exportLinks(cmd.Context(), flags, engine, format, start)
	}
	return a.writeLinks(cmd.Context(), flags, engine, start)
}

// setBounds fills in the least probability and the most predicted links of a row where they are left open, of text and a completed
// graph others than of a file of links. From here on a top of 0 is no bound, as the library has it.
func (f *linksFlags) setBounds(cmd *cobra.Command) error {
	least, top := float32(links.DefaultLeast), links.DefaultTop
	if f.partitions.completed || !f.partitions.wanted && isTextOfLinks(f.output) {
		least, top = defaultTextLeast, 0
	}
	if cmd.Flags().Changed("least") {
		if least = f.least; !(least >= 0 && least < 1) {
			return kg.Errorf(kg.Invalid, "", "links: --least %v: expected a probability below 1", least)
		}
	}
	if cmd.Flags().Changed("top") {
		if f.top < -1 || f.top == 0 {
			return kg.Errorf(kg.Invalid, "", "links: --top %d: expected a number of links, or -1 for all", f.top)
		}
		top = max(0, f.top)
	}
	f.least, f.top = least, top
	return nil
}

// pairs are those whose links are wanted.
func (f *linksFlags) pairs(g *kg.Graph, forwards bool) ([]links.Pair, error) {
	relations, err := f.chosenRelations(g)
	if err != nil {
		return nil, err
	}
	heads, err := f.chosenHeads(g)
	if err != nil {
		return nil, err
	}
	candidates := links.StatedPairs
	if f.allPairs {
		candidates = links.AllPairs
	}
	pairs := candidates(g, func(p links.Pair) bool {
		isChosen := len(relations) == 0 && !(forwards && p.Relation.IsInverse()) || slices.Contains(relations, p.Relation)
		return isChosen && (heads == nil || heads[p.Head])
	})
	if len(pairs) == 0 {
		return nil, kg.Errorf(kg.NotFound, f.graph.Name(), "the graph states no link of these entities and relations")
	}
	return pairs, nil
}

func (f *linksFlags) chosenRelations(g *kg.Graph) (relations []kg.Relation, err error) {
	for _, name := range f.relations {
		base, isInverse := strings.CutSuffix(name, kg.InverseMark)
		ids := g.Relations.Find(base)
		if len(ids) == 0 { // a number, the end of an address, or a mistake
			r, err := query.FindRelation(name, g.Vocabulary)
			if err != nil {
				return nil, kg.Errorf(kg.KindOf(err), "--relation", "%v in %s", err, f.graph.Name())
			}
			relations = append(relations, r)
		}
		for _, id := range ids { // several may have one label
			r := kg.Forward(id)
			if isInverse {
				r = r.Inverse()
			}
			relations = append(relations, r)
		}
	}
	return relations, nil
}

func (f *linksFlags) chosenHeads(g *kg.Graph) (map[kg.Entity]bool, error) {
	if f.entities == "" {
		return nil, nil
	}
	data, err := os.ReadFile(f.entities)
	if err != nil {
		return nil, kg.ReadError(f.entities, err)
	}
	heads := map[kg.Entity]bool{}
	for i, line := range strings.Split(string(data), "\n") {
		name := strings.TrimSpace(line)
		if name == "" {
			continue
		}
		ids := g.Entities.Find(name)
		if len(ids) == 0 {
			return nil, kg.ErrorAt(kg.NotFound, kg.Place{Name: f.entities, Line: i + 1}, "no entity %q in %s", name, f.graph.Name())
		}
		for _, id := range ids {
			heads[kg.Entity(id)] = true
		}
	}
	return heads, nil
}

// madeLinks is the JSON report.
type madeLinks struct {
	Output  string  `json:"output"`
	Rows    int     `json:"rows"`
	Links   int     `json:"links"` // predicted
	Bytes   int64   `json:"bytes"`
	Seconds float64 `json:"seconds"`
}

func (a *app) writeLinks(ctx context.Context, flags *linksFlags, engine *lacuna.Engine, start time.Time) error {
	p := engine.Model().Predictor
	pairs, err := flags.pairs(p.Graph, false)
	if err != nil {
		return err
	}
	model, err := p.Model.Hash()
	if err != nil {
		return err
	}
	rows, err := flags.rows(ctx, engine)
	if err != nil {
		return err
	}
	bar := a.Progress("making links")
	defer bar.Done()
	header, err := links.WriteFile(ctx, flags.output, links.Writing{
		Rows: rows, Pairs: pairs, Sharing: flags.sharing(),
		Origin:   links.Origin{Graph: links.GraphHash(p.Graph), Model: model, Name: p.Model.Name, Top: flags.top},
		Progress: func(done, total int) { bar.Update(int64(done), int64(total), count.Of(done, "row")) },
	})
	if kg.KindOf(err) == kg.Cancelled {
		bar.Done()
		a.Remark("%s has the rows that are done: the same command goes on from there", flags.output+links.PartialSuffix)
	}
	if err != nil || !flags.team.Leads() {
		return err
	}
	info, err := os.Stat(flags.output)
	if err != nil {
		return err
	}
	made := madeLinks{flags.output, header.Rows, header.LinksInRows, info.Size(), time.Since(start).Seconds()}
	if a.JSON {
		return a.PrintJSON(made)
	}
	bar.Done()
	a.Screen.Printf("%s: %s in %s; %s in %.1f s\n", made.Output, count.Of(made.Links, "predicted link"), count.Of(made.Rows, "row"), count.Bytes(made.Bytes), made.Seconds)
	return nil
}

func (a *app) exportLinks(ctx context.Context, flags *linksFlags, engine *lacuna.Engine, format links.Format, start time.Time) error {
	pairs, err := flags.pairs(engine.Graph, true)
	if err != nil {
		return err
	}
	out, err := atomicfile.Create(flags.output)
	if err != nil {
		return kg.WriteError(flags.output, err)
	}
	defer out.Abort()
	rows, err := flags.rows(ctx, engine)
	if err != nil {
		return err
	}
	bar := a.Progress("making links")
	defer bar.Done()
	err = links.Export(ctx, io.Writer(out), format, rows, pairs, flags.top,
		func(done, total int) { bar.Update(int64(done), int64(total), count.Of(done, "row")) })
	if err == nil {
		err = out.Commit()
	}
	if err != nil {
		return kg.WriteError(flags.output, err)
	}
	info, err := os.Stat(flags.output)
	if err != nil {
		return err
	}
	bar.Done()
	if a.JSON {
		return a.PrintJSON(map[string]any{"output": flags.output, "rows": len(pairs), "bytes": info.Size(), "seconds": time.Since(start).Seconds()})
	}
	a.Screen.Printf("%s: the links of %s; %s in %.1f s\n", flags.output, count.Of(len(pairs), "row"), count.Bytes(info.Size()), time.Since(start).Seconds())
	return nil
}
