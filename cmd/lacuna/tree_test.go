package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/command"
)

// Names longer than a window are cut, whatever stands beside them.
func TestLongNamesFit(t *testing.T) {
	long := strings.Repeat("ö", 300)
	for _, names := range [][]string{{long}, {long, "b"}, {"a", long}, {"a", "b"}} {
		step := lacuna.Step{Op: "project", Relation: "/a/b/" + long, Cardinality: 5}
		for _, name := range names {
			step.Top = append(step.Top, lacuna.Answer{Entity: name, ID: "/m/1"})
		}
		if n := utf8.RuneCountInString(memberList(step, 40)); n > 40 {
			t.Errorf("%d members take %d characters of 40", len(names), n)
		}
		if n := utf8.RuneCountInString(stepLabel(step, 30)); n > 30 {
			t.Errorf("the label takes %d characters of 30", n)
		}
	}
	window := command.Screen{Terminal: true, Width: 60}
	if line := "  1.00  predicted  " + nameWithID(window, lacuna.Answer{Entity: long, ID: "/m/1"}); utf8.RuneCountInString(line) != 60 || !strings.HasSuffix(line, "…  /m/1") {
		t.Errorf("an answer in 60 characters: %q", line)
	}
	if got := nameWithID(command.Screen{Width: 60}, lacuna.Answer{Entity: long}); got != long {
		t.Errorf("a name that no terminal shows was cut: %q", got)
	}
}
