package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/train"
	"github.com/lacuna-kg/lacuna/train/prepare"
)

// prepareGraphs opens the graphs with their training queries and validation queries.
// What release gives back was opened, also after an error.
func (a *app) prepareGraphs(cmd *cobra.Command, flags *trainFlags) (release func(), err error) {
	var opened []func() error
	release = func() {
		for _, closeOne := range opened {
			closeOne()
		}
	}
	add := func(g train.Graph, closeOne func() error, err error) error {
		if closeOne != nil {
			opened = append(opened, closeOne)
		}
		flags.opts.Graphs = append(flags.opts.Graphs, g)
		return err
	}
	if len(flags.data) > 0 {
		if parts := flags.opts.Config.Parts; parts > 0 {
			return release, kg.Errorf(kg.Invalid, "", "parts is %d: parts are cut out of graphs (-g), stored queries (-d) have none; --set parts=0 trains without", parts)
		}
		return release, flags.eachFolder(func(name, dir string) error { return add(a.storedQueries(cmd, flags, name, dir)) })
	}
	if len(flags.graphs) == 0 {
		flags.graphs = []string{""}
	}
	for i, name := range graphNames(flags.graphs) {
		if err := add(a.drawnQueries(cmd, flags, name, flags.graphs[i])); err != nil {
			return release, err
		}
	}
	flags.opts.Graphs, err = flags.preparation().WithParts(cmd.Context(), flags.opts.Graphs)
	return release, err
}

// preparation is how the graphs are prepared, by the flags.
func (f *trainFlags) preparation() prepare.Options {
	return prepare.Options{
		Config: f.opts.Config, Device: f.opts.Device, Dir: f.opts.Dir, Several: len(f.graphs) > 1,
		Validate: f.validate, ValidateTrain: f.validateTrain,
	}
}

// eachFolder visits the folders of queries. A Query2Box folder may need its graph by -g.
func (f *trainFlags) eachFolder(visit func(name, dir string) error) error {
	if len(f.graphs) > 1 || len(f.graphs) == 1 && len(f.data) > 1 {
		return kg.Errorf(kg.Invalid, "", "train: -g beside -d names the graph of one folder of queries; give either several -g or several -d")
	}
	if len(f.graphs) == 1 {
		f.graph.source = f.graphs[0]
	}
	for i, name := range graphNames(f.data) {
		if err := visit(name, f.data[i]); err != nil {
			return err
		}
	}
	return nil
}

// graphNames calls graphs by the last part of their paths, or by the whole where two end alike.
func graphNames(paths []string) []string {
	names, seen := make([]string, len(paths)), map[string]int{}
	for i, path := range paths {
		names[i] = filepath.Base(filepath.Clean(path))
		seen[names[i]]++
	}
	for i, path := range paths {
		switch {
		case path == "":
			names[i] = new(graphFlags).name()
		case seen[names[i]] > 1:
			names[i] = path
		}
	}
	return names
}

// storedQueries trains on the queries of a folder.
func (a *app) storedQueries(cmd *cobra.Command, flags *trainFlags, name, dir string) (train.Graph, func() error, error) {
	set, err := a.openSet(cmd, &flags.graph, dir)
	if err != nil {
		return train.Graph{}, nil, err
	}
	g, err := flags.preparation().Stored(cmd.Context(), name, set)
	return g, set.Close, err
}

// drawnQueries draws training queries from a graph as they are needed.
func (a *app) drawnQueries(cmd *cobra.Command, flags *trainFlags, name, source string) (train.Graph, func() error, error) {
	if fraction := flags.opts.Config.TrainFraction; fraction != 1 {
		return train.Graph{}, nil, kg.Errorf(kg.Invalid, "", "train_fraction is %v: a part can be taken of stored queries (-d) only, not of those drawn without end", fraction)
	}
	graph := flags.graph
	graph.source = source
	splits, err := graph.open(cmd.Context(), a)
	if err != nil {
		return train.Graph{}, nil, err
	}
	g, missing, err := flags.preparation().Drawn(cmd.Context(), name, splits)
	if len(missing) > 0 {
		a.remark("%s yields no queries of the shapes %s; training goes on without", name, strings.Join(missing, ", "))
	}
	return g, splits.Close, err
}
