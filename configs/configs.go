// Package configs holds the training configurations that come with Lacuna, so that
// one binary has them all: those of the paper, and a small default for any other graph.
package configs

import (
	"embed"
	"io/fs"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

//go:embed *.json
var files embed.FS

// Default is the name of the configuration for a graph that nothing is known about.
const Default = "default"

// FineTune is the name of that for a graph and a model to start from: it trains on single links. fine-tune-sets is for answers by sets.
const FineTune = "fine-tune"

// Names lists the configurations.
func Names() []string {
	paths, _ := fs.Glob(files, "*.json") // fails only for a malformed pattern
	for i, path := range paths {
		paths[i] = strings.TrimSuffix(path, ".json")
	}
	return paths
}

// Read gives a configuration as JSON.
func Read(name string) ([]byte, error) {
	data, err := files.ReadFile(name + ".json")
	if err != nil {
		return nil, kg.Errorf(kg.NotFound, "", "no configuration %q (expected one of %s)", name, strings.Join(Names(), ", "))
	}
	return data, nil
}
