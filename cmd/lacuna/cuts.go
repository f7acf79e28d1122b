package main

import (
	"fmt"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/internal/count"
)

// showCuts says where an answer is not by all of the graph: which steps followed the likeliest entities only, and on how many
// links were predicted.
func (a *app) showCuts(r *lacuna.Result) {
	if r.CutTo > 0 {
		a.Screen.Printf("  %s\n", a.Screen.Dim(fmt.Sprintf("links are predicted on the %s around each (--cut N)", count.Of(r.CutTo, "entity"))))
	}
	for _, step := range r.Steps {
		if step.LeftOut > 0 {
			a.Screen.Printf("  %s\n", a.Screen.Dim(fmt.Sprintf("%s: %s skipped, each at most %.2g likely (use %s to include more)",
				step.Relation, unlikelyText(step.LeftOut), step.LikeliestLeftOut, followMore[step.LeftOutBy])))
		}
	}
}

func unlikelyText(n int) string {
	return count.Of(n, "unlikely intermediate result") + count.Either(n, " was", " were")
}

// followMore is the flag by which the likeliest entity that a step left out is followed.
var followMore = map[exec.Bound]string{exec.ByNumber: "--follow N", exec.ByDegree: "--follow-from P", exec.ByLacking: "--follow-lacking N"}
