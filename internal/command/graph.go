package command

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna"
	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// graphFlags names a graph and how to read it.
type GraphFlags struct {
	Source string
	More   []string // files that belong to the same graph as source
	With   string   // more triples
	Read   read.Options

	Format, header, delimiter, missing string
}

// register adds -g and the flags of the readers.
func (f *GraphFlags) Register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.Source, "graph", "g", "", "triples: a file, a folder, a snapshot, or - for stdin (default: the embedded graph)")
	f.RegisterReading(cmd)
}

func (f *GraphFlags) RegisterReading(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.Format, "format", "auto", "format of the triples: auto, "+formatList())
	flags.StringVar(&f.Read.Columns, "columns", "", "names of the columns of a table, in their order, between commas, - to skip one; `table=a,b;…` of several tables; hrt, htr, … for head, relation and tail")
	flags.StringVar(&f.Read.Key, "key", "", "column that names the entity of a row, a+b for several, row for an entity per row; `table=column,…` of several tables")
	flags.StringVar(&f.Read.Separator, "separator", "", "what parts several values in a cell of a wide table (default: | or ; where a column has it)")
	flags.StringToStringVar(&f.Read.References, "refer", nil, "`column=table`: the column holds keys of another table")
	flags.Lookup("refer").DefValue = ""
	flags.StringVar(&f.missing, "null", "auto", "words that stand for an empty cell of a table, between commas; none for no word (default: NA, NULL and the like)")
	flags.BoolVar(&f.Read.SkipBad, "skip-bad", false, "leave out the rows of a table that cannot be read")
	flags.BoolVar(&f.Read.KeepBlanks, "keep-blanks", false, "keep the blanks around the cells of a table as parts of names")
	flags.StringVar(&f.Read.Encoding, "encoding", "", "encoding of the text, such as windows-1252, latin1 or utf-16 (default: UTF-8, or UTF-16 where its first bytes tell)")
	flags.StringVar(&f.header, "header", "auto", "whether the first line of a table names its columns: auto, yes or no")
	flags.StringVar(&f.delimiter, "delimiter", "auto", "what parts the columns of a table: auto, tab, space or one of , ; |")
	flags.StringVar(&f.Read.Base, "base", "", "IRI that relative ones of RDF are relative to, where the text states none")
	flags.StringVar(&f.Read.EntityLabels, "entity-labels", "", "file of readable entity names (id TAB name)")
	flags.StringVar(&f.Read.RelationLabels, "relation-labels", "", "file of readable relation names (id TAB name)")
	CompleteFlag(cmd, "format", Formats...)
	CompleteFlag(cmd, "encoding", "utf-8", "utf-16", "windows-1252", "latin1", "windows-1250", "shift_jis", "gbk")
	CompleteFlag(cmd, "header", "auto", "yes", "no")
	CompleteFlag(cmd, "delimiter", slices.Sorted(maps.Keys(delimiters))...)
	CompleteFlag(cmd, "columns", "hrt", "htr", "rht", "trh", "thr", "rth")
}

// name is what messages call the graph.
func (f *GraphFlags) Name() string { return lacuna.SourceName(f.Source) }

// formats are the names that --format takes.
var Formats = []string{"auto", "tsv", "csv", "nt", "nq", "ttl", "trig", "rdf", "jsonld", "graphml", "gexf", "gml", "apoc", "edgelist", "parquet", "jsonl", "openke", "betae", "folder", "snapshot"}

// What --delimiter and --header take.
var (
	delimiters = map[string]byte{"auto": 0, "tab": '\t', "space": ' ', ",": ',', ";": ';', "|": '|'}
	headers    = map[string]read.Choice{"auto": read.Auto, "yes": read.Yes, "no": read.No}
)

func formatList() string { return strings.Join(Formats[1:], ", ") }

// options are those of the readers, with the flags and the streams put in.
func (f *GraphFlags) Options(a *App, bar *Progress) (read.Options, error) {
	opts := f.Read
	if !slices.Contains(Formats, f.Format) {
		return opts, kg.Errorf(kg.Invalid, "", "--format %s: expected one of auto, %s", f.Format, formatList())
	}
	if f.Format != "auto" {
		opts.Format = read.Format(f.Format)
	}
	var known bool
	if opts.Delimiter, known = delimiters[f.delimiter]; !known {
		return opts, kg.Errorf(kg.Invalid, "", "--delimiter %s: expected auto, tab, space or one of , ; |", f.delimiter)
	}
	if opts.Header, known = headers[f.header]; !known {
		return opts, kg.Errorf(kg.Invalid, "", "--header %s: expected auto, yes or no", f.header)
	}
	switch f.missing {
	case "auto", "":
	case "none":
		opts.Missing = []string{}
	default:
		opts.Missing = strings.Split(f.missing, ",")
	}
	opts.Stdin = a.Stdin
	opts.Progress = func(done, total int64) { bar.Update(done, total, "") }
	opts.Report = a.showReadReport
	opts.Trouble = a.trouble
	return opts, nil
}

// open reads the graph, with a progress bar for a large one, and what is to count beside it.
func (f *GraphFlags) Open(ctx context.Context, a *App) (*kg.Splits, error) {
	splits, err := f.openAlone(ctx, a)
	if err != nil || f.With == "" {
		return splits, err
	}
	if splits.Train, err = f.extend(ctx, a, splits.Train); err != nil {
		return nil, err
	}
	return splits, nil
}

func (f *GraphFlags) openAlone(ctx context.Context, a *App) (*kg.Splits, error) {
	if f.Source == "" {
		return lacuna.Embedded(ctx)
	}
	bar := a.Progress("reading " + f.Source)
	defer bar.Done()
	opts, err := f.Options(a, bar)
	if err != nil {
		return nil, err
	}
	return read.Graphs(ctx, append([]string{f.Source}, f.More...), opts)
}

// extend adds the triples of another file, by their names.
func (f *GraphFlags) extend(ctx context.Context, a *App, g *kg.Graph) (*kg.Graph, error) {
	defer g.Close()
	more, err := read.Graph(ctx, f.With, read.Options{Stdin: a.Stdin})
	if err != nil {
		return nil, err
	}
	defer more.Close()
	var facts []kg.Fact
	for t := range more.Train.Triples() {
		entities, relations := more.Train.Entities.Names, more.Train.Relations.Names
		facts = append(facts, kg.Fact{Head: entities.At(uint32(t.Head)), Relation: relations.At(t.Relation.Base()), Tail: entities.At(uint32(t.Tail))})
	}
	changed, report, err := g.Change(ctx, facts, nil)
	if err != nil {
		return nil, kg.Errorf(kg.KindOf(err), f.With, "%v", err)
	}
	a.Remark("%s: %s added, %s known already; %s, %s",
		f.With, count.Of(report.Added, "fact"), count.Number(report.Known), count.Of(report.NewEntities, "new entity"), count.Of(report.NewRelations, "new relation"))
	return changed, nil
}

// remark says something beside the result, unless the user wants quiet.
func (a *App) Remark(format string, args ...any) {
	if !a.Quiet {
		fmt.Fprintf(a.Stderr, a.name+": "+format+"\n", args...)
	}
}
