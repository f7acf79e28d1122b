package gnn_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

func initial(t *testing.T, seed uint64) (*gnn.Model, []float32) {
	d := plain.New()
	m, err := gnn.New(d, gnn.Default(), 20, seed)
	if err != nil {
		t.Fatal(err)
	}
	return m, d.Values(m.Parameters.Values)
}

func TestInitialParameters(t *testing.T) {
	m, values := initial(t, 3)
	for _, tensor := range m.Parameters.Tensors {
		x := values[tensor.Offset:][:tensor.Len()]
		mean, deviation := spread(x)
		switch {
		case strings.HasSuffix(tensor.Name, "layer_norm.weight"):
			if mean != 1 || deviation != 0 {
				t.Errorf("%s: mean %v, deviation %v, expected ones", tensor.Name, mean, deviation)
			}
		case strings.HasSuffix(tensor.Name, "layer_norm.bias"):
			if mean != 0 || deviation != 0 {
				t.Errorf("%s: mean %v, deviation %v, expected zeros", tensor.Name, mean, deviation)
			}
		case tensor.Name == "query.weight":
			if math.Abs(mean) > 0.15 || math.Abs(deviation-1) > 0.1 {
				t.Errorf("%s: mean %v, deviation %v, expected N(0,1)", tensor.Name, mean, deviation)
			}
		default:
			bound := float32(1 / math.Sqrt(float64(tensor.FanIn())))
			if slices.Max(x) > bound || slices.Min(x) < -bound {
				t.Errorf("%s: outside ±%v", tensor.Name, bound)
			}
			if want := float64(bound) / math.Sqrt(3); tensor.Len() > 500 && math.Abs(deviation-want) > 0.1*want {
				t.Errorf("%s: deviation %v, expected %v", tensor.Name, deviation, want)
			}
		}
	}
}

func spread(x []float32) (mean, deviation float64) {
	for _, v := range x {
		mean += float64(v) / float64(len(x))
	}
	for _, v := range x {
		deviation += (float64(v) - mean) * (float64(v) - mean) / float64(len(x))
	}
	return mean, math.Sqrt(deviation)
}

func TestSeedDecidesParameters(t *testing.T) {
	_, a := initial(t, 3)
	_, b := initial(t, 3)
	_, c := initial(t, 4)
	if !slices.Equal(a, b) {
		t.Error("the same seed gave other parameters")
	}
	if slices.Equal(a, c) {
		t.Error("another seed gave the same parameters")
	}
}

// The size the method states for FB15k-237.
func TestParameterCount(t *testing.T) {
	m, err := gnn.New(plain.New(), gnn.Default(), 474, 1)
	if err != nil {
		t.Fatal(err)
	}
	if n := m.Parameters.Len; n < 2.07e6 || n > 2.09e6 {
		t.Errorf("%d parameters, expected about 2.08 million", n)
	}
}
