package journal

import "github.com/lacuna-kg/lacuna/kg"

// Fold is a short list of changes with the outcome of a long one on any graph, names and their numbers included:
// every fact that was ever added, once, and then the removal of those that are not stated in the end.
func Fold(changes []Change) []Change {
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
