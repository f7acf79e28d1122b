package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// planFlags are those of the reading plan.
type planFlags struct {
	show bool
	by   string
}

func (f *planFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.show, "plan", false, "show what each table and column becomes, and read nothing; -o FILE.json saves it")
	cmd.Flags().StringVar(&f.by, "use-plan", "", "`file` with a plan, saved by --plan -o and perhaps edited, to read tables by")
	command.Moved(cmd, "by", "--use-plan FILE")
	for _, flag := range []string{"plan", "key", "columns", "refer", "header", "delimiter", "separator", "null"} { // which the plan says
		cmd.MarkFlagsMutuallyExclusive("use-plan", flag)
	}
}

// follow has a graph read by the plan that was saved.
func (f *planFlags) follow(graph *command.GraphFlags) error {
	if f.by == "" {
		return nil
	}
	file, err := os.Open(f.by)
	if err != nil {
		return kg.ReadError(f.by, err)
	}
	defer file.Close()
	graph.Read.Plan, err = read.ReadPlan(file, f.by)
	return err
}

// showReadingPlan prints the plan of what would be read, or saves it.
func (a *app) showReadingPlan(cmd *cobra.Command, graph *command.GraphFlags, output string) error {
	bar := a.Progress("looking at " + graph.Source)
	defer bar.Done()
	opts, err := graph.Options(a.App, bar)
	if err != nil {
		return err
	}
	plan, err := read.MakePlan(cmd.Context(), append([]string{graph.Source}, graph.More...), opts)
	if err != nil {
		return err
	}
	bar.Done()
	switch {
	case output != "":
		if err := os.WriteFile(output, plan.JSON(), 0o644); err != nil {
			return kg.WriteError(output, err)
		}
		a.Screen.Printf("%s: the plan of %s; follow it by --use-plan %s\n", output, count.Of(len(plan.Tables), "table"), output)
	case a.JSON:
		a.Screen.Printf("%s", plan.JSON())
	default:
		a.Screen.Printf("%s", plan)
	}
	return nil
}

// leftOut is the file of rows that were left out, written when there is the first.
type leftOut struct {
	path  string
	file  *os.File
	count int
}

// add writes a row, with the reason in a line before.
func (f *leftOut) add(problem *kg.Error, row []byte) (err error) {
	if f.file == nil {
		if f.file, err = os.Create(f.path); err != nil {
			return kg.WriteError(f.path, err)
		}
	}
	f.count++
	if _, err = fmt.Fprintf(f.file, "# %v\n%s\n", problem, bytes.TrimRight(row, "\r\n")); err != nil {
		return kg.WriteError(f.path, err)
	}
	return nil
}

// end closes the file and says where it is.
func (f *leftOut) end(a *app, err error) error {
	if f.file == nil {
		return err
	}
	if closing := f.file.Close(); closing != nil && err == nil {
		return kg.WriteError(f.path, closing)
	}
	if err == nil {
		a.Remark("%s: the %s left out, each behind its reason", f.path, count.Of(f.count, "row"))
	}
	return err
}
