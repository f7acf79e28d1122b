package main

import (
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
)

// drawTree prints the operator tree of a run, the answer at its root, with the
// size of the set at each node and its first members.
//
//	University        3  New York University, …
//	└─ and            3  Geoffrey Hinton, …
//	   ├─ Win^-1     79  …
func drawTree(s command.Screen, steps []lacuna.Step) {
	t := tree{steps: steps, seen: make([]bool, len(steps))}
	t.add(len(steps)-1, "", "")
	label, size := 0, 0
	for _, row := range t.rows {
		label = max(label, utf8.RuneCountInString(row.label(s.Width/2)))
		size = max(size, len(row.size))
	}
	for _, row := range t.rows {
		left := command.Pad(row.label(label), label)
		right := strings.Repeat(" ", size-len(row.size)) + row.size
		s.Printf("%s\n", strings.TrimRight("  "+left+"  "+s.Bold(right)+"  "+s.Dim(memberList(row.step, s.Width-label-size-6)), " "))
	}
}

type tree struct {
	steps []lacuna.Step
	seen  []bool
	rows  []treeRow
}

type treeRow struct {
	branch, size string
	step         lacuna.Step
	above        bool // its operands were drawn already
}

// label is what stands in the first column, in so many characters.
func (r treeRow) label(most int) string {
	note := ""
	if r.above {
		note = " (as above)"
	}
	return r.branch + stepLabel(r.step, most-utf8.RuneCountInString(r.branch+note)) + note
}

// add appends the rows of a step: branch stands before its own label, below before those of its operands.
func (t *tree) add(number int, branch, below string) {
	step := t.steps[number]
	row := treeRow{branch: branch, size: setSize(step), step: step}
	if t.seen[number] && len(step.Inputs) > 0 {
		row.above = true
		t.rows = append(t.rows, row)
		return
	}
	t.seen[number] = true
	t.rows = append(t.rows, row)
	for i, input := range step.Inputs {
		if i == len(step.Inputs)-1 {
			t.add(input, below+"└─ ", below+"   ")
		} else {
			t.add(input, below+"├─ ", below+"│  ")
		}
	}
}

// stepLabel names a step in so many characters.
func stepLabel(step lacuna.Step, most int) string {
	switch {
	case step.Relation != "":
		return explain.FitRelation(step.Relation, most)
	case step.Entity != "":
		return command.Clip("{"+step.Entity+"}", most)
	}
	return step.Op
}

// setSize is the number of members, rounded.
func setSize(step lacuna.Step) string { return count.Number(int(step.Cardinality + 0.5)) }

// memberList names the first members of a step's set, as many as fit into width; behind one that is less likely than not stands
// its probability.
func memberList(step lacuna.Step, width int) string {
	if step.Entity != "" {
		return "" // the label says it already
	}
	list, room := "", width-len(", …")
	for i, member := range step.Top {
		name := member.Entity
		if member.Probability < fuzzy.Threshold {
			name += " " + explain.Percent(member.Probability)
		}
		if i > 0 {
			name = ", " + name
		}
		if i > 0 && utf8.RuneCountInString(list+name) > room {
			return command.Clip(list, max(12, room)) + ", …"
		}
		list += name
	}
	if int(step.Cardinality+0.5) > len(step.Top) {
		list += ", …"
	}
	return command.Clip(list, max(12, width))
}
