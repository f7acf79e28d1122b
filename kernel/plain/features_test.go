package plain

import (
	"math"
	"reflect"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Degrees 3, 1, 1 with the boundary counted: log 3 over a mean of log(3)/3.
func TestScales(t *testing.T) {
	g, err := kernel.NewGraph(3, 1, []kernel.Edge{{Head: 1}, {Head: 2}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := scales(g); math.Abs(got[0]-3) > 1e-12 || got[1] != 0 || got[2] != 0 {
		t.Errorf("scales %v, expected [3 0 0]", got)
	}
	if got := scales(g.Thin([]int32{0, 1})); !reflect.DeepEqual(got, []float64{1, 1, 1}) {
		t.Errorf("scales without edges %v, expected ones", got)
	}
}
