package cpu

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel/conformance"
)

// sets are the instruction sets to test: those of this CPU, or the one LACUNA_CPU names.
func sets(t testing.TB) []string {
	forced := os.Getenv("LACUNA_CPU")
	if forced == "" {
		return Instructions()
	}
	if !slices.Contains(Instructions(), forced) {
		t.Skipf("LACUNA_CPU=%s: this CPU has %v", forced, Instructions())
	}
	return []string{forced}
}

func open(t testing.TB, o Options) *Device {
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Every set of instructions meets the plain definition, with rows cut into segments and whole.
func TestConformance(t *testing.T) {
	for _, set := range sets(t) {
		for _, hub := range []int{hubEdges, 16} {
			t.Run(fmt.Sprintf("%s/hub=%d", set, hub), func(t *testing.T) {
				d := open(t, Options{Threads: 3, Instructions: set})
				d.hub = hub
				for _, c := range conformance.Cases() {
					if _, err := c.Run(d, conformance.Float32()); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}
