package lacuna

import (
	"github.com/lacuna-kg/lacuna/browse"
	"github.com/lacuna-kg/lacuna/plan"
)

// whyNone says why the graph states no answer, a line for people: the first step that finds nothing although those before it did.
func (a *answering) whyNone(t trace) []string {
	none := func(i int) bool { return t.sets(i).known.Cardinality() == 0 }
	for i, in := range a.Program.Code {
		if in.Op == plan.Load || !none(i) {
			continue
		}
		switch inputs := a.Program.Inputs[i]; in.Op {
		case plan.Project:
			if before := a.Program.Code[inputs[0]]; before.Op == plan.Entity {
				return []string{browse.Lacking(a.Graph, before.Entity, in.Relation)}
			}
			if before := t.sets(inputs[0]).known.Cardinality(); before > 0 {
				return []string{browse.LackingOfSome(a.Graph, int(before), in.Relation)}
			}
		case plan.And:
			if !none(inputs[0]) && !none(inputs[1]) {
				return []string{browse.NoneTogether}
			}
		}
	}
	return nil
}

// whyNoneJoined is the same of a question whose variables form no tree.
func (a *answering) whyNoneJoined() []string {
	if lines := browse.LackingLinks(a.normal.Body, a.Graph); len(lines) > 0 {
		return lines
	}
	return []string{browse.NoneTogether}
}
