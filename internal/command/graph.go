package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna"
	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// GraphFlags names a graph and how to read it.
type GraphFlags struct {
	Source string
	More   []string // files that belong to the same graph as source
	With   string   // more triples
	Read   read.Options

	Format, header, delimiter, missing string
}

// Register adds -g and --read.
func (f *GraphFlags) Register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.Source, "graph", "g", "", "`file`, folder or snapshot, or - for standard input (default: built-in graph)")
	f.RegisterRead(cmd)
}

// Name is what messages call the graph.
func (f *GraphFlags) Name() string { return lacuna.SourceName(f.Source) }

// What --delimiter and --header take.
var (
	delimiters = map[string]byte{"auto": 0, "tab": '\t', "space": ' ', ",": ',', ";": ';', "|": '|'}
	headers    = map[string]read.Choice{"auto": read.Auto, "yes": read.Yes, "no": read.No}
)

// options are those of the readers, with the flags and the streams put in.
func (f *GraphFlags) Options(a *App, bar *Progress) (read.Options, error) {
	opts := f.Read
	switch {
	case f.Format == "auto" || f.Format == "":
	case slices.Contains(read.FormatNames(), f.Format):
		opts.Format = read.Format(f.Format)
	default:
		return opts, kg.Errorf(kg.Invalid, "", "format %s: expected auto, %s", f.Format, strings.Join(read.FormatNames(), ", "))
	}
	var known bool
	if opts.Delimiter, known = delimiters[f.delimiter]; !known {
		return opts, kg.Errorf(kg.Invalid, "", "delimiter %s: expected auto, tab, space or one of , ; |", f.delimiter)
	}
	if opts.Header, known = headers[f.header]; !known {
		return opts, kg.Errorf(kg.Invalid, "", "header %s: expected auto, yes or no", f.header)
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
