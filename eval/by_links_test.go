package eval

import (
	"reflect"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/links"
)

// TestStatedLinksGiveTheReportOfTraversal: where all links are stated, the best derivation is an exact answer.
func TestStatedLinksGiveTheReportOfTraversal(t *testing.T) {
	set := randomSet(t, 4)
	want := figuresOf(mustRun(t, Options{Set: set, Split: dataset.Test, Method: NewTraversal(set.Graph.Train)}))
	method := ByLinks{Executor: links.NewExecutor(links.New(set.Graph.Train, nil, links.Options{}), links.Follow{Most: 2})}
	for _, batch := range []int{1, 5, 64} {
		report := mustRun(t, Options{Set: set, Split: dataset.Test, Method: method, Batch: batch})
		if got := figuresOf(report); !reflect.DeepEqual(got, want) {
			t.Errorf("batches of %d: %+v\nwant %+v", batch, got, want)
		}
		if report.Method.By != "links" || report.Method.Followed != 2 || !report.Method.KeepKnown {
			t.Errorf("described as %+v", report.Method)
		}
	}
}
