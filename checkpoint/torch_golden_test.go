package checkpoint_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/lab/golden"
)

// largeEntities is the size from which the plain device takes seconds for a projection.
const largeEntities = 5000

// checkUltra runs every golden file of the public checkpoints on a device.
func checkUltra(t *testing.T, device kernel.Device, skipLarge bool) {
	dir, err := golden.Dir(os.Getenv("LACUNA_GOLDEN"), "ultraquery")
	if err != nil {
		t.Skip(err)
	}
	files, err := golden.LoadUltra(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("%s holds no golden files (docs/data.md)", dir)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f.Path), ".json"), func(t *testing.T) {
			if skipLarge && f.Entities > largeEntities {
				t.Skipf("%d entities take too long on the plain device; lacuna-lab selftest --golden runs them on others", f.Entities)
			}
			checkUltraFile(t, device, f)
		})
	}
}

func checkUltraFile(t *testing.T, device kernel.Device, f *golden.UltraFile) {
	for _, path := range []string{f.CheckpointPath(), f.DataPath()} {
		if _, err := os.Stat(path); err != nil {
			t.Skipf("%s is missing (docs/data.md)", path)
		}
	}
	m, card, err := checkpoint.ImportTorch(f.CheckpointPath(), device)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if card.Config.Threshold != f.Threshold {
		t.Errorf("threshold %v, expected %v", card.Config.Threshold, f.Threshold)
	}
	ctx := context.Background()
	facts, err := f.Graph(ctx)
	if err != nil {
		t.Fatal(err)
	}
	topology, err := exec.Topology(facts)
	if err != nil {
		t.Fatal(err)
	}
	off, err := golden.CheckUltra(ctx, m, topology, f)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d queries on %s: off by %.1e at most", len(f.Queries), device.Name(), off)
}

func TestGoldenUltraQuery(t *testing.T) {
	device, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkUltra(t, device, false)
}

func TestGoldenUltraQueryPlain(t *testing.T) { checkUltra(t, plain.New(), true) }

func TestGoldenUltraQueryFloat64(t *testing.T) { checkUltra(t, plain.New64(), true) }
