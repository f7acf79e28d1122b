package selftest

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/lab/golden"
)

// Topology is how a graph of facts becomes one for kernels.
type Topology func(*kg.Graph) (*kernel.Graph, error)

// Foundation runs the golden files of the public foundation models in a folder; their checkpoints and
// graphs lie in models and data beside the folder that holds it.
func Foundation(ctx context.Context, device kernel.Device, dir string, topology Topology, limits gnn.Limits) ([]Row, error) {
	files, err := golden.LoadUltra(dir)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return rows, err
		}
		row := Row{Name: "golden/ultra-" + strings.TrimSuffix(filepath.Base(f.Path), ".json")}
		off, err := foundationFile(ctx, device, f, topology, limits)
		row.add(off, 0, err)
		rows = append(rows, row)
	}
	return rows, device.Sync()
}

func foundationFile(ctx context.Context, device kernel.Device, f *golden.UltraFile, topology Topology, limits gnn.Limits) (off float64, err error) {
	facts, err := f.Graph(ctx)
	if err != nil {
		return 0, err
	}
	g, err := topology(facts)
	if err != nil {
		return 0, err
	}
	m, _, err := checkpoint.ImportTorch(f.CheckpointPath(), device)
	if err != nil {
		return 0, err
	}
	defer m.Close()
	m.Limits = limits
	return golden.CheckUltra(ctx, m, g, f)
}
