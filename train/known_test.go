package train

import (
	"math"
	"reflect"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
)

func crispOf(members ...int) crisp {
	s := newCrisp(70)
	for _, v := range members {
		s.add(v)
	}
	return s
}

// What traversal finds beside the answers, 5 and 66, is left out.
func TestKnownAnswers(t *testing.T) {
	answers := kernel.NewLists([][]int32{{1, 2, 69}, {3}, {}})
	got := knownAnswers(answers, []crisp{crispOf(2, 5, 69), crispOf(66), crispOf(1)})
	if want := kernel.NewLists([][]int32{{2, 69}, {}, {}}); !reflect.DeepEqual(got, want) {
		t.Errorf("known %v, want %v", got, want)
	}
	if got := knownAnswers(answers, nil); got.Len() != 0 {
		t.Errorf("without dropout %v is known", got)
	}
}

// Of four queries the second has no hidden answer; in the last batch none has.
func TestQueryWeights(t *testing.T) {
	answers := kernel.NewLists([][]int32{{0}, {1, 2}, {3, 4}, {5, 6, 7}})
	some := kernel.NewLists([][]int32{{}, {1, 2}, {3}, {5, 6}})
	for _, c := range []struct {
		name   string
		known  kernel.Lists
		config Config
		want   []float64
	}{
		{"nothing is told", kernel.Lists{}, Config{KnownWeight: 0}, []float64{0.25, 0.25, 0.25, 0.25}},
		{"weight 1", some, Config{KnownWeight: 1}, []float64{0.25, 0.25, 0.25, 0.25}},
		{"weight 0", some, Config{KnownWeight: 0}, []float64{1. / 3, 0, 1. / 3, 1. / 3}},
		{"weight 1/2", some, Config{KnownWeight: 0.5}, []float64{2. / 7, 1. / 7, 2. / 7, 2. / 7}},
		{"by answers", some, Config{KnownWeight: 0, SampleWeight: true}, []float64{1. / 6, 0, 2. / 6, 3. / 6}},
		{"by answers in pairs", kernel.Lists{}, Config{SampleWeight: true, SampleWeightGroup: 2}, []float64{1. / 6, 1. / 3, 1. / 5, 3. / 10}},
		{"by answers in threes", kernel.Lists{}, Config{SampleWeight: true, SampleWeightGroup: 3}, []float64{3. / 20, 3. / 10, 3. / 10, 1. / 4}},
		{"a group without weights", kernel.Lists{}, Config{SampleWeightGroup: 2}, []float64{0.25, 0.25, 0.25, 0.25}},
		{"no hidden answer", answers, Config{KnownWeight: 0}, []float64{0.25, 0.25, 0.25, 0.25}},
	} {
		for i, got := range queryWeights(&batch{answers: answers, known: c.known}, c.config) {
			if math.Abs(float64(got)-c.want[i]) > 1e-7 {
				t.Errorf("%s: query %d weighs %v, want %v", c.name, i, got, c.want[i])
			}
		}
	}
}
