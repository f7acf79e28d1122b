package train

import (
	"math"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

func TestRateAtEveryStep(t *testing.T) {
	constant := Config{Rate: 2, Steps: 100, Schedule: Constant}
	warm := Config{Rate: 2, Steps: 100, Warmup: 10, Schedule: Constant}
	cosine := Config{Rate: 2, Steps: 110, Warmup: 10, Schedule: Cosine}
	for _, c := range []struct {
		config Config
		step   int
		want   float64
	}{
		{constant, 1, 2}, {constant, 100, 2}, {warm, 1, 0.2}, {warm, 5, 1}, {warm, 10, 2}, {warm, 90, 2},
		{cosine, 5, 1}, {cosine, 10, 2}, {cosine, 60, 1.01}, {cosine, 110, 0.02}, {cosine, 500, 0.02},
	} {
		if got := c.config.rateAt(c.step); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v at step %d: rate %v, want %v", c.config, c.step, got, c.want)
		}
	}
}

// The average is that of its definition, on devices whose Adam is plain Go and not.
func TestAverageFollowsTheParameters(t *testing.T) {
	simd, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []kernel.Device{plain.New(), simd} {
		m, err := gnn.New(d, tinyUltra(), 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		a := newAverage(m, m.NewSlab())
		c, want := Config{Average: 0.95}, make([]float64, m.Parameters.Len)
		values := make([]float32, m.Parameters.Len)
		for step := 1; step <= 300; step += 13 {
			for i := range values {
				values[i] = float32(math.Sin(float64(step + i)))
				want[i] = c.decayAt(step)*want[i] + (1-c.decayAt(step))*float64(values[i])
			}
			d.Upload(m.Parameters.Values, values)
			a.follow(m, c.decayAt(step))
		}
		restore := a.swap(m)
		for i, got := range parametersOf(m) {
			if math.Abs(float64(got)-want[i]) > 1e-5 {
				t.Fatalf("%s: average %d is %v, want %v", d.Name(), i, got, want[i])
			}
		}
		restore()
		if !slices.Equal(parametersOf(m), values) {
			t.Errorf("%s: the parameters did not come back", d.Name())
		}
		a.close(d)
	}
}
