package journal

import (
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// Fold is a short list of changes with the outcome of a long one on any graph, names and their numbers included:
// every fact that was ever added, once, and then the removal of those that are not stated in the end.
// Where something is said of facts it is the changes themselves, as few as can be.
func Fold(changes []Change) []Change {
	if speak(changes) {
		return inTurn(changes)
	}
	added, removed := outcome(changes)
	seen := make(map[kg.Fact]bool, len(added))
	var once []kg.Fact
	for _, f := range added {
		if !seen[f] {
			seen[f] = true
			once = append(once, f)
		}
	}
	var folded []Change
	if len(once) > 0 {
		folded = append(folded, Change{Add: once})
	}
	if len(removed) > 0 {
		folded = append(folded, Change{Remove: removed, Add: restated(once, removed)})
	}
	return folded
}

// speak tells whether changes say something of facts: a fact that goes takes that along, so that their order counts.
func speak(changes []Change) bool {
	says := func(f kg.Fact) bool { return f.Said != "" }
	return slices.ContainsFunc(changes, func(c Change) bool { return slices.ContainsFunc(c.Add, says) || slices.ContainsFunc(c.Remove, says) })
}

// inTurn is a list of changes with those made together that only add.
func inTurn(changes []Change) (list []Change) {
	for _, c := range changes {
		if last := len(list) - 1; last >= 0 && len(c.Remove) == 0 {
			list[last].Add = append(slices.Clip(list[last].Add), c.Add...)
		} else if len(c.Add)+len(c.Remove) > 0 {
			list = append(list, c)
		}
	}
	return list
}

// madeInTurn is a graph with changes made one after the other.
func madeInTurn(ctx context.Context, g *kg.Graph, changes []Change) (*kg.Graph, error) {
	var edits []kg.Edit
	for _, c := range inTurn(changes) {
		edits = append(edits, kg.Edit(c))
	}
	made, _, err := g.ChangeEach(ctx, edits, true)
	return made, err
}
