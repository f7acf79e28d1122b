package eval

import (
	"reflect"
	"sync"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/ranks"
)

// Ranks report what one process reports, also where some have nothing to do.
func TestRunTogether(t *testing.T) {
	set := toySet(t)
	alone := mustRun(t, Options{Set: set, Split: dataset.Test, Method: learnedBy(t, set.Graph.Train, false, doubting), Batch: 2, Model: "m"})
	alone.Seconds = 0
	for _, size := range []int{2, 3, 5} {
		network := ranks.Local(size)
		reports, errs := make([]*Report, size), make([]error, size)
		var all sync.WaitGroup
		for rank := range size {
			method := learnedBy(t, set.Graph.Train, false, doubting)
			all.Go(func() {
				team, err := ranks.Start(func() (ranks.Link, error) { return network[rank], nil }, ranks.Options{})
				if err == nil {
					reports[rank], err = Run(t.Context(), Options{Set: set, Split: dataset.Test, Method: method, Batch: 2, Model: "m", Team: team})
					team.Leave(ranks.LastWord(err))
				}
				errs[rank] = err
			})
		}
		all.Wait()
		for rank, err := range errs {
			if err != nil {
				t.Fatalf("rank %d of %d: %v", rank, size, err)
			}
		}
		reports[0].Seconds = 0
		if !reflect.DeepEqual(reports[0], alone) {
			t.Errorf("%d ranks report\n%+v\none process\n%+v", size, reports[0], alone)
		}
	}
}
