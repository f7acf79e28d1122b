package lacuna_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/answer"
)

// A known answer is listed or at least counted, however likely the model makes what the question negates.
func TestKnownAnswersAreNeverSilentlyLeftOut(t *testing.T) {
	engine := joinEngine(t)
	for _, question := range []string{
		"?p : Win(p, Turing Award) & !CitizenOf(p, United States)",
		"?p, ?u : Win(p, Turing Award) & University(p, u) & !CitizenOf(p, United States)",
	} {
		ask := func(options ...lacuna.AskOption) *lacuna.Result {
			r, err := engine.Ask(t.Context(), question, append(options, lacuna.Limit(lacuna.All))...)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		stated := ask(lacuna.By(lacuna.Exact))
		doubts := 0
		for _, threshold := range []float64{0.5, 0.9, 0.999, 1} {
			r := ask(lacuna.Threshold(threshold))
			doubts += r.Doubted
			if r.KnownTotal+r.Doubted != stated.Total {
				t.Errorf("%s from %v on: %d known and %d doubted of %d stated", question, threshold, r.KnownTotal, r.Doubted, stated.Total)
			}
			if told := strings.Contains(strings.Join(r.Hints, "\n"), "below the threshold"); told != (r.Doubted > 0) {
				t.Errorf("%s from %v on: %d doubted, hints %q", question, threshold, r.Doubted, r.Hints)
			}
			checkLessLikely(t, r, threshold)
		}
		if doubts == 0 {
			t.Errorf("%s: the model doubts nothing, so that nothing was tested", question)
		}
		if r := ask(lacuna.Threshold(1), lacuna.Predicted(true)); r.Doubted != 0 || slices.ContainsFunc(r.Shown(), isKnown) {
			t.Errorf("%s: what is known is listed among predictions: %+v", question, r)
		}
	}
}

func isKnown(a lacuna.Answer) bool { return a.Known }

// checkLessLikely wants the likeliest doubted answers in their place among the predictions.
func checkLessLikely(t *testing.T, r *lacuna.Result, threshold float64) {
	t.Helper()
	known := 0
	for i, a := range r.LessLikely {
		if a.Known {
			known++
		}
		if float64(a.Probability) >= threshold || i > 0 && a.Probability > r.LessLikely[i-1].Probability {
			t.Errorf("%s from %v on: %+v is no less likely, or out of order", r.Query, threshold, a)
		}
	}
	if want := min(r.Doubted, answer.Shown); known != want {
		t.Errorf("%s from %v on: %d doubted answers are listed of %d, want %d", r.Query, threshold, known, r.Doubted, want)
	}
}
