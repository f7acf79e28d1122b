package selftest

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/conformance"
	"github.com/lacuna-kg/lacuna/kernel/cuda"
	"github.com/lacuna-kg/lacuna/lab/golden"
)

// The flags let a test binary travel to a machine with a GPU, with its files.
var (
	goldenDir = flag.String("golden", "", "folder of golden files")
	triples   = flag.String("triples", "", "file of triples to measure on, a head, relation and tail a line, inverses included")
	samples   = flag.Int("samples", 192, "batch to measure")
	scratch   = flag.Int64("scratch", 0, "bytes of scratch memory")
)

// gpuLimits let a batch run together and keep everything.
func gpuLimits() gnn.Limits { return gnn.Limits{Workspace: 24 << 30, Kept: 48 << 30, KeepStats: true} }

func openGPU(t *testing.T) kernel.Device {
	t.Helper()
	d, err := cuda.Open(cuda.Options{Scratch: *scratch})
	if err != nil {
		t.Skipf("needs an NVIDIA GPU and its driver: %v", err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func report(t *testing.T, rows []Row, err error) {
	t.Helper()
	if writeErr := WriteRows(os.Stdout, rows); err == nil {
		err = writeErr
	}
	if err != nil {
		t.Error(err)
	}
	if n := len(Errors(rows)); n > 0 {
		t.Errorf("%d comparisons failed", n)
	}
}

func TestGPUModels(t *testing.T) {
	d := openGPU(t)
	fmt.Println(d.Describe())
	rows, err := Models(context.Background(), d, gpuLimits())
	report(t, rows, err)
}

func TestGPUConformance(t *testing.T) {
	rows, err := Conformance(context.Background(), openGPU(t), conformance.Float32())
	report(t, rows, err)
}

func TestGPUGolden(t *testing.T) {
	d := openGPU(t)
	dir, err := golden.Dir(*goldenDir, "gnnqe")
	if err != nil {
		t.Skip(err)
	}
	for _, limits := range []gnn.Limits{{}, gpuLimits(), {Workspace: 1}} {
		rows, err := Golden(context.Background(), d, dir, limits)
		report(t, rows, err)
	}
}

func TestGPUSpeed(t *testing.T) {
	d := openGPU(t)
	if *triples == "" {
		t.Skip("no graph to measure on: name one by -triples FILE")
	}
	g, err := readTriples(*triples)
	if err != nil {
		t.Fatal(err)
	}
	speed, err := Measure(context.Background(), d, g, gnn.Default(), gpuLimits(), *samples, 5)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteSpeed(os.Stdout, speed, 4.3e12); err != nil {
		t.Fatal(err)
	}
}

func readTriples(path string) (*kernel.Graph, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var edges []kernel.Edge
	nodes, relations := int32(0), int32(0)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var e kernel.Edge
		if _, err := fmt.Sscan(lines.Text(), &e.Head, &e.Relation, &e.Tail); err != nil {
			return nil, err
		}
		nodes, relations = max(nodes, e.Head+1, e.Tail+1), max(relations, e.Relation+1)
		edges = append(edges, e)
	}
	return kernel.NewGraph(int(nodes), int(relations), edges, nil)
}
