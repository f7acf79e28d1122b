package command

import (
	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/dataset"
)

// openSet opens a folder of queries, by the flags of how graphs are read.
func (a *App) OpenSet(cmd *cobra.Command, graph *GraphFlags, dir string) (*dataset.Set, error) {
	bar := a.Progress("reading " + dir)
	defer bar.Done()
	read, err := graph.Options(a, bar)
	if err != nil {
		return nil, err
	}
	set, err := dataset.Open(cmd.Context(), dir, dataset.Options{Graph: graph.Source, Read: read})
	if err == nil && set.Note != "" {
		a.Remark("%s", set.Note)
	}
	return set, err
}

// ofQueries is what messages call the graph of a folder of queries.
func (f *GraphFlags) OfQueries(dir string) string {
	if f.Source != "" {
		return f.Name()
	}
	return "the graph of " + dir
}

// Layouts are the values of --table.
var Layouts = []string{"text", "markdown", "csv"}
