package main

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/command"
)

// A question of yes or no is answered by what is likelier, and says where that comes from. A negation may be doubted although the graph
// states nothing against it.
func TestYesOrNo(t *testing.T) {
	for _, c := range []struct {
		probability float32
		known       bool
		want        string
	}{
		{1, true, "Yes.\n  1.00  known\n"},
		{0.35, true, "No.\n  0.35  yes by what the graph states, which the model doubts\n"},
		{0.6, false, "Yes.\n  0.60  predicted\n"},
		{0.004, false, "No.\n  <.01  predicted\n"},
		{0, false, "No.\n  0.00\n"},
	} {
		var out strings.Builder
		a := &app{&command.App{Screen: command.Screen{Writer: &out, Width: 80}}}
		a.showYesOrNo(&lacuna.Verdict{Probability: c.probability, Known: c.known})
		if got := strings.TrimPrefix(out.String(), "\n"); got != c.want {
			t.Errorf("%+v is shown as %q", c, got)
		}
	}
}

// How many are expected to be right is said of lists with a prediction or a doubted answer, also where known answers are cut, of trees
// and joins alike.
func TestExpectedIsShown(t *testing.T) {
	known, predicted, doubted := lacuna.Answer{Entity: "a", Probability: 1, Known: true}, lacuna.Answer{Entity: "b", Probability: 0.25}, lacuna.Answer{Entity: "c", Probability: 0.25, Known: true}
	for shape, joined := range map[string]*lacuna.Joined{"1p": nil, lacuna.ShapeOfJoin: {}} {
		for _, c := range []struct {
			answers, lessLikely []lacuna.Answer
			want                bool
		}{
			{[]lacuna.Answer{known}, []lacuna.Answer{predicted}, true},
			{[]lacuna.Answer{known, predicted}, nil, true},
			{[]lacuna.Answer{known}, []lacuna.Answer{doubted}, true},
			{[]lacuna.Answer{known, known}, nil, false},
			{nil, []lacuna.Answer{predicted}, false},
			{nil, nil, false},
		} {
			var out strings.Builder
			a := &app{&command.App{Screen: command.Screen{Writer: &out, Width: 80}}}
			step := lacuna.Step{Op: "entity", Entity: "e"}
			a.showAnswers(&lacuna.Result{Shape: shape, Joined: joined, Answers: c.answers, LessLikely: c.lessLikely, Total: 9, KnownTotal: 9, Expected: 1.25, Steps: []lacuna.Step{step}})
			if got := strings.HasSuffix(out.String(), "expect about 1 of these 2 to be right\n"); got != c.want {
				t.Errorf("%s %+v is shown as\n%s", shape, c, out.String())
			}
		}
	}
}
