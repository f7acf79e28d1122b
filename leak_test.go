package lacuna_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// ledger is a device that counts what was made on it and not given back.
type ledger struct {
	kernel.Device
	open int
}

func (d *ledger) NewBuffer(n int) kernel.Buffer { d.open++; return d.Device.NewBuffer(n) }
func (d *ledger) Free(b kernel.Buffer)          { d.open--; d.Device.Free(b) }

func (d *ledger) NewGraph(g *kernel.Graph) kernel.DeviceGraph { d.open++; return d.Device.NewGraph(g) }
func (d *ledger) FreeGraph(g kernel.DeviceGraph)              { d.open--; d.Device.FreeGraph(g) }

func (d *ledger) Thin(g kernel.DeviceGraph, dropped []int32) kernel.DeviceGraph {
	d.open++
	return d.Device.Thin(g, dropped)
}

// filmSnapshot is a file that stays mapped into memory while its graph is open.
func filmSnapshot(t *testing.T) string {
	t.Helper()
	splits, err := read.Stream(t.Context(), strings.NewReader(films), "films.tsv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "films.lacuna")
	if err := snapshot.Write(t.Context(), file, splits); err != nil {
		t.Fatal(err)
	}
	return file
}

// mapped tells whether a file is mapped into memory, where the system says so.
func mapped(t *testing.T, file string) bool {
	t.Helper()
	if runtime.GOOS != "linux" {
		return false
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(maps), file)
}

// Open that fails, at whatever point, leaves neither the graph's file nor anything on the device.
func TestFailedOpenLeavesNothing(t *testing.T) {
	file, device := filmSnapshot(t), &ledger{Device: plain.New()}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, open := range map[string]func() (*lacuna.Engine, error){
		"a model that is not there": func() (*lacuna.Engine, error) {
			return lacuna.Open(t.Context(), file, lacuna.Model("nowhere"), lacuna.OnDevice(device))
		},
		"a model of another graph": func() (*lacuna.Engine, error) {
			return lacuna.Open(t.Context(), file, lacuna.Model(lacuna.Turing), lacuna.OnDevice(device))
		},
		"an option": func() (*lacuna.Engine, error) {
			return lacuna.Open(t.Context(), file, lacuna.OnDevice(device), lacuna.Threshold(2))
		},
		"the end of the context": func() (*lacuna.Engine, error) {
			return lacuna.Open(ended, file, lacuna.OnDevice(device))
		},
	} {
		engine, err := open()
		if err == nil {
			engine.Close()
			t.Errorf("%s: no error", name)
		}
		if mapped(t, file) || device.open != 0 {
			t.Errorf("%s: file open %v, %d buffers and graphs on the device", name, mapped(t, file), device.open)
		}
	}
}

// New that fails leaves the graph to its caller, who can go on with it.
func TestFailedNewLeavesTheGraph(t *testing.T) {
	splits, err := read.Graph(t.Context(), filmSnapshot(t), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lacuna.New(t.Context(), splits.Train, lacuna.Model(lacuna.Turing), lacuna.OnDevice(plain.New())); err == nil {
		t.Fatal("a model of another graph was taken")
	}
	engine, err := lacuna.New(t.Context(), splits.Train, lacuna.Model(lacuna.Exact))
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if result, err := engine.Ask(t.Context(), "?f : Directed(Fellini, f)"); err != nil || result.Total != 1 {
		t.Errorf("%v, %v", result, err)
	}
}

// Whatever fails on an engine, what it took is given back, and Close gives back the rest.
func TestFailuresOfAnEngineLeaveNothing(t *testing.T) {
	file, device := filmSnapshot(t), &ledger{Device: plain.New()}
	engine, err := lacuna.Open(t.Context(), file, lacuna.OnDevice(device))
	if err != nil {
		t.Fatal(err)
	}
	const question = "?f : exists p: Directed(p, f) & BornIn(p, Rome)"
	if _, err := engine.Ask(t.Context(), question); err != nil { // makes what is kept from run to run
		t.Fatal(err)
	}
	took := device.open
	for name, attempt := range failures(t, engine, question) {
		if err := attempt(); err == nil {
			t.Errorf("%s: no error", name)
		}
		if device.open != took {
			t.Errorf("%s: %d buffers and graphs on the device, %d before", name, device.open, took)
		}
	}
	if _, err := engine.Ask(t.Context(), question); err != nil {
		t.Errorf("the engine does not answer any more: %v", err)
	}
	if err := engine.Close(); err != nil || device.open != 0 || mapped(t, file) {
		t.Errorf("after Close: %v, %d buffers and graphs, file open %v", err, device.open, mapped(t, file))
	}
}

// failures are calls that must fail.
func failures(t *testing.T, engine *lacuna.Engine, question string) map[string]func() error {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	laureates, err := lacuna.Read(t.Context(), "", lacuna.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	added := []kg.Fact{{Head: "Antonioni", Relation: "Directed", Tail: "Blow-Up"}}
	return map[string]func() error{
		"Ask, cancelled": func() error { _, err := engine.Ask(ended, question); return err },
		"Ask, misspelt":  func() error { _, err := engine.Ask(t.Context(), "?f : Direct(f, f)"); return err },
		"Explain, cancelled": func() error {
			prepared, err := engine.Prepare(question)
			if err == nil {
				_, _, err = engine.Explain(ended, prepared, []string{"Roma"}, explain.Options{})
			}
			return err
		},
		"Explain, no entity": func() error { _, _, err := explained(t, engine, question, "Romma"); return err },
		"SPARQL, cancelled": func() error {
			_, err := engine.SPARQL(ended, "SELECT ?f { :Fellini :Directed ?f }", lacuna.By(lacuna.Sets))
			return err
		},
		"Change, cancelled": func() error { _, _, err := engine.Change(ended, added, nil); return err },
		"Evaluate, of another graph": func() error {
			_, err := engine.Evaluate(t.Context(), eval.Options{Set: &dataset.Set{Graph: laureates}})
			return err
		},
		"Estimate, cancelled": func() error { _, err := engine.Estimate(ended, eval.FitOptions{}); return err },
	}
}

// A device that an engine opened itself is closed with the last engine that uses it: what Change made goes on.
func TestEnginesShareTheirDevice(t *testing.T) {
	engine, err := lacuna.Open(t.Context(), filmSnapshot(t), lacuna.Device("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	changed, _, err := engine.Change(t.Context(), []kg.Fact{{Head: "Wilder", Relation: "Directed", Tail: "Ariane"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	if result, err := changed.Ask(t.Context(), "?f : Directed(Wilder, f)"); err != nil || result.Total == 0 {
		t.Errorf("%v, %v", result, err)
	}
	if err := changed.Close(); err != nil {
		t.Error(err)
	}
}
