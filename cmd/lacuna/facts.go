package main

import (
	"bufio"
	"context"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/journal/postgres"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/kg/write"
)

// factsFlags name a folder of facts and the graph that they were added to.
type factsFlags struct {
	graph  command.GraphFlags
	folder string
}

// factsVariable names facts for those who would rather not have a password on the command line.
const factsVariable = "LACUNA_FACTS"

func (f *factsFlags) register(cmd *cobra.Command) {
	f.graph.Register(cmd)
	cmd.Flags().StringVar(&f.folder, "facts", "", "`folder` of facts made by lacuna serve --facts, or postgres://… (required)")
}

// open reads the folder, which no server may use at the same time, or the database, which they may.
func (f *factsFlags) open(cmd *cobra.Command, a *app) (base *kg.Graph, opened *journal.Opened, err error) {
	if f.folder, err = whereFacts(f.folder); err != nil {
		return nil, nil, err
	}
	if f.folder == "" {
		return nil, nil, kg.Errorf(kg.Invalid, "", "%s: --facts DIR is needed", cmd.Name())
	}
	splits, err := f.graph.Open(cmd.Context(), a.App)
	if err != nil {
		return nil, nil, err
	}
	opened, err = a.openJournal(cmd.Context(), f.folder, splits.Train, false)
	return splits.Train, opened, err
}

// whereFacts is what --facts names, or else the environment, "" for nothing. What means a database in another way than
// by its URL is refused: a folder of that name would be made, and facts be lost to who looks for them in the database.
func whereFacts(flag string) (name string, err error) {
	by, name := "--facts", flag
	if name == "" {
		by, name = factsVariable, os.Getenv(factsVariable)
	}
	if start := otherDatabase(name); start != "" {
		return "", kg.Errorf(kg.Invalid, "", "%s %s…: expected a folder, or postgres://user@host:5432/database", by, start)
	}
	return name, nil
}

// otherDatabase is how a name starts that is a URL of another kind than PostgreSQL's, or a list such as "host=db dbname=films",
// "" for others. The rest may have a password. A folder that is called so can be named with ./ before it.
func otherDatabase(name string) (start string) {
	if postgres.IsURL(name) {
		return ""
	}
	if scheme, _, found := strings.Cut(name, "://"); found && !strings.ContainsAny(scheme, `/\`) {
		return scheme + "://"
	}
	for _, scheme := range []string{"postgres:", "postgresql:"} { // a slash short
		if strings.HasPrefix(name, scheme) {
			return scheme
		}
	}
	for _, field := range strings.Fields(name) {
		key, _, found := strings.Cut(field, "=")
		if found && slices.Contains([]string{"host", "hostaddr", "port", "dbname", "user", "password", "service"}, key) {
			return key + "="
		}
	}
	return ""
}

// remarkMerged says that changes were made on another graph than they had been, and where the two disagree.
func (a *app) remarkMerged(folder string, opened *journal.Opened) {
	if opened.Merged == nil {
		return
	}
	a.Remark("%s: the graph has changed since these facts were added; they are merged with it as it is now", folder)
	for _, c := range []struct {
		facts []kg.Fact
		what  string
	}{{opened.Merged.Stated, "added, which the graph states by itself now"}, {opened.Merged.Removed, "removed, and left out though the graph states them"}} {
		if len(c.facts) == 0 {
			continue
		}
		a.Remark("%s: %s %s:", folder, count.Of(len(c.facts), "fact"), c.what)
		for _, f := range c.facts[:min(len(c.facts), listedConflicts)] {
			a.Remark("  %s", withLabels(f, opened.Graph))
		}
		if more := len(c.facts) - listedConflicts; more > 0 {
			a.Remark("  and %s more", count.Number(more))
		}
	}
}

// listedConflicts is how many facts of a kind are listed that a changed graph and a folder of facts both speak of.
const listedConflicts = 20

func (a *app) factsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "facts",
		Short: "List, export or undo the facts that a server was told",
		Long: `Facts that lacuna serve --facts DIR was told lie in a folder beside the graph. These
commands read it while no server uses it; facts in a database also while servers do.`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.factsListCommand(), a.factsExportCommand(), a.factsUndoCommand())
	return cmd
}

func (a *app) factsListCommand() *cobra.Command {
	var flags factsFlags
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the changes, the first first",
		Long:    "List the changes of facts since the folder was last compacted, by the numbers that undo takes.",
		Example: "  lacuna facts list -g films.tsv --facts films-facts",
		Args:    command.Arguments(0, 0, "no argument (name the graph by -g, the folder by --facts)"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, opened, err := flags.open(cmd, a)
			if err != nil {
				return err
			}
			defer opened.Log.Close()
			if a.JSON {
				return a.PrintJSON(opened.Changes)
			}
			if opened.Compacted {
				a.Screen.Printf("Changes before these are in a snapshot.\n")
			}
			for i, c := range opened.Changes {
				a.showChange(i+1, c, opened.Graph)
			}
			return nil
		},
	}
	flags.register(cmd)
	return cmd
}

func (a *app) showChange(number int, c journal.Change, g *kg.Graph) {
	s := a.Screen
	for _, f := range c.Remove {
		s.Printf("%5d  %s  %s\n", number, s.Red("-"), withLabels(f, g))
	}
	for _, f := range c.Add {
		s.Printf("%5d  %s  %s\n", number, s.Green("+"), withLabels(f, g))
	}
}

// withLabels is a fact with labels in the place of the ids that have one.
func withLabels(f kg.Fact, g *kg.Graph) kg.Fact {
	for _, name := range []*string{&f.Head, &f.Tail} {
		if id, found := g.Entities.Names.Find(*name); found {
			*name = g.Entity(kg.Entity(id))
		}
	}
	if id, found := g.Relations.Names.Find(f.Relation); found {
		f.Relation = g.Relation(kg.Forward(id))
	}
	return f
}

func (a *app) factsExportCommand() *cobra.Command {
	var flags factsFlags
	var output string
	var removed bool
	cmd := &cobra.Command{
		Use:     "export -o FILE",
		Short:   "Write the facts that were added as triples",
		Long:    "Write the facts that the folder adds to the graph as triples, to be read beside it by\n--with or imported with it; with --removed, those that it takes away. A file that ends in\n.nq, .trig, .nt or .ttl is RDF 1.2, with labels, graph names and annotations.",
		Example: "  lacuna facts export -g films.tsv --facts films-facts -o added.tsv\n  lacuna facts export -g films.tsv --facts films-facts -o added.nq\n  lacuna facts export -g films.tsv --facts films-facts --removed -o removed.tsv",
		Args:    command.Arguments(0, 0, "no argument (name the graph by -g, the folder by --facts)"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output == "" {
				return kg.Errorf(kg.Invalid, "", "export: -o FILE is needed")
			}
			base, opened, err := flags.open(cmd, a)
			if err != nil {
				return err
			}
			defer opened.Log.Close()
			from, without := opened.Graph, base
			if removed {
				from, without = base, opened.Graph
			}
			if format, ok := write.FormatOf(output); ok {
				return a.exportRDF(cmd.Context(), output, format, from, without)
			}
			return a.exportFacts(output, from, without)
		},
	}
	flags.register(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "`file` to write, tab-separated or RDF (required)")
	cmd.Flags().BoolVar(&removed, "removed", false, "write what was removed")
	return cmd
}

// exportRDF writes the facts and labels of a graph that another does not state, with what is said of them.
func (a *app) exportRDF(ctx context.Context, output string, format read.Format, from, without *kg.Graph) error {
	deniedBefore := map[kg.Fact]bool{}
	for _, t := range without.Denied() {
		deniedBefore[without.DenialOf(t)] = true
	}
	report, err := write.File(ctx, output, from, write.Options{Format: format, Only: func(s kg.Statement) bool {
		return !without.StatesFact(from.FactOf(s))
	}, OnlyDenied: func(f kg.Fact) bool { return !deniedBefore[f] }})
	if err != nil {
		return err
	}
	n := report.Facts + report.Labels + report.Denied
	if a.JSON {
		return a.PrintJSON(map[string]any{"output": output, "facts": n})
	}
	a.Screen.Printf("%s: %s\n", output, count.Of(n, "fact"))
	return nil
}

// exportFacts writes the facts of a graph that another does not state.
func (a *app) exportFacts(output string, from, without *kg.Graph) error {
	out, err := atomicfile.Create(output)
	if err != nil {
		return kg.WriteError(output, err)
	}
	defer out.Abort()
	to, n := bufio.NewWriter(out), 0
	write := func(f kg.Fact) {
		if !says(without, f) {
			to.WriteString(f.Head + "\t" + f.Relation + "\t" + f.Tail + "\n")
			n++
		}
	}
	for t := range from.Triples() {
		write(from.FactOf(kg.Statement{Triple: t}))
	}
	for _, t := range from.Denied() {
		write(from.DenialOf(t))
	}
	if err := to.Flush(); err != nil {
		return kg.WriteError(output, err)
	}
	if err := out.Commit(); err != nil {
		return kg.WriteError(output, err)
	}
	if a.JSON {
		return a.PrintJSON(map[string]any{"output": output, "facts": n})
	}
	a.Screen.Printf("%s: %s\n", output, count.Of(n, "fact"))
	return nil
}

// says tells whether a graph states a fact, or denies it where it is a denial.
func says(g *kg.Graph, f kg.Fact) bool {
	denied, isDenial := kg.Denial(f.Relation)
	h, hasHead := g.Entities.Names.Find(f.Head)
	r, hasRelation := g.Relations.Names.Find(denied)
	t, hasTail := g.Entities.Names.Find(f.Tail)
	fact := kg.Triple{Head: kg.Entity(h), Relation: kg.Forward(r), Tail: kg.Entity(t)}
	return hasHead && hasRelation && hasTail && (isDenial && g.Denies(fact) || !isDenial && g.Has(fact))
}

// appendTo makes one more change last.
func appendTo(ctx context.Context, opened *journal.Opened, c journal.Change) error {
	turn, err := opened.Log.Begin(ctx, opened.At, nil)
	if err != nil {
		return err
	}
	defer turn.End()
	_, err = turn.Append(ctx, []journal.Change{c}, nil)
	return err
}

func (a *app) factsUndoCommand() *cobra.Command {
	var flags factsFlags
	cmd := &cobra.Command{
		Use:     "undo [NUMBER]",
		Short:   "Take a change back, the last one by default",
		Long:    "Take a change back by its number in the list, the last one by default: by another change,\nso that nothing is lost. What was stated before the change stays as it was.",
		Example: "  lacuna facts undo -g films.tsv --facts films-facts\n  lacuna facts undo -g films.tsv --facts films-facts 3",
		Args:    command.Arguments(0, 1, "the number of a change, or none"),
		RunE: func(cmd *cobra.Command, args []string) error {
			base, opened, err := flags.open(cmd, a)
			if err != nil {
				return err
			}
			defer opened.Log.Close()
			number := len(opened.Changes)
			if len(args) == 1 {
				if number, err = strconv.Atoi(args[0]); err != nil {
					return kg.Errorf(kg.Invalid, "", "undo: %q, expected the number of a change", args[0])
				}
			}
			undone, err := opened.Undo(number-1, base)
			if err != nil {
				return err
			}
			isNothing := len(slices.Concat(undone.Add, undone.Remove)) == 0
			if !isNothing {
				if err := appendTo(cmd.Context(), opened, undone); err != nil {
					return err
				}
			}
			switch {
			case a.JSON:
				return a.PrintJSON(undone)
			case isNothing:
				a.Screen.Printf("Change %d changed nothing.\n", number)
			default:
				a.showChange(len(opened.Changes)+1, undone, opened.Graph)
			}
			return nil
		},
	}
	flags.register(cmd)
	return cmd
}
