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
	"github.com/lacuna-kg/lacuna/kg/reason"
)

// GraphFlags names a graph and how to read it.
type GraphFlags struct {
	Source string
	More   []string // files that belong to the same graph as source
	With   string   // more triples
	Reason string   // see RegisterReason
	Read   read.Options

	Format, header, delimiter, missing string
}

// Register adds -g and --read.
func (f *GraphFlags) Register(cmd *cobra.Command) {
	cmd.Flags().VarP(sources{f}, "graph", "g", "`file`, folder or snapshot, or - for standard input; repeat it for several files (default: built-in graph)")
	f.RegisterRead(cmd)
}

// sources is -g, which may be repeated: the files are one graph.
type sources struct{ *GraphFlags }

func (s sources) String() string {
	if s.GraphFlags == nil { // as the library asks for the zero value
		return ""
	}
	return s.Source
}

func (s sources) Set(file string) error {
	if s.Source == "" {
		s.Source = file
		return nil
	}
	s.More = append(s.More, file)
	return nil
}

func (sources) Type() string { return "string" }

// RegisterReason adds --reason.
func (f *GraphFlags) RegisterReason(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Reason, "reason", "", "add what the graph implies when it is opened: `rdfs` (classes, properties, domains, ranges, inverses)")
	CompleteFlag(cmd, "reason", lacuna.RDFS)
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

// Open reads the graph, with a progress bar for a large one, and what is to count beside it.
func (f *GraphFlags) Open(ctx context.Context, a *App) (*kg.Splits, error) {
	reading, done, err := f.how(a)
	if err != nil {
		return nil, err
	}
	defer done()
	return lacuna.Read(ctx, f.Source, reading)
}

// how is in which way the flags say that the graph is read; done ends the progress bar.
func (f *GraphFlags) how(a *App) (reading lacuna.Reading, done func(), err error) {
	if f.Source == "" && f.With == "" && f.Reason == "" {
		return reading, func() {}, nil
	}
	bar := a.Progress("reading " + f.Name())
	options, err := f.Options(a, bar)
	if err != nil {
		bar.Done()
		return reading, nil, err
	}
	added := func(report kg.ChangeReport) {
		a.Remark("%s: %s added, %s known already; %s, %s",
			f.With, count.Of(report.Added, "fact"), count.Number(report.Known), count.Of(report.NewEntities, "new entity"), count.Of(report.NewRelations, "new relation"))
	}
	implied := func(r reason.Report) {
		a.Remark("%s implied by RDFS%s", count.Of(r.Total, "fact"), strings.TrimSuffix(": "+strings.Join(r.Names(), ", "), ": "))
	}
	return lacuna.Reading{Options: options, More: f.More, With: f.With, Added: added, Reason: f.Reason, Implied: implied}, bar.Done, nil
}

// remark says something beside the result, unless the user wants quiet.
func (a *App) Remark(format string, args ...any) {
	if !a.Quiet {
		fmt.Fprintf(a.Stderr, a.name+": "+format+"\n", args...)
	}
}
