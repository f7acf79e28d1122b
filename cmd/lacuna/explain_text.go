package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
)

// showWhy prints the reasons of one answer: the chain, then the paths of every predicted link.
//
//	why New York University
//	  u = New York University, a = Yann LeCun         0.19  predicted
//	  ├─ Win(Yann LeCun, Turing Award)                1.00  known
//	  └─ University(Yann LeCun, New York University)  0.15  predicted
func (a *app) showWhy(e *explain.Explanation) {
	s := a.Screen
	heading := s.Bold(strings.ToLower(e.Title()[:1]) + strings.TrimSuffix(e.Title()[1:], "?"))
	if !e.Answers() {
		heading += "  " + e.Verdict()
	}
	s.Printf("\n%s\n", heading)
	if e.Missing != "" {
		s.Printf("  %s\n", s.Yellow("nothing leads to it: "+e.Missing+" is missing"))
	}
	rows := chainRows(nil, e.Chain(), "", "")
	most, width := max(s.Width-40, s.Width/2), 0
	for _, row := range rows {
		width = max(width, utf8.RuneCountInString(row.left(most)))
	}
	for _, row := range rows {
		a.showChainRow(row, min(width, most))
	}
	if e.Others > 0 {
		s.Printf("  %s\n", s.Dim(fmt.Sprintf("%s it more likely than this one alone", count.Of(e.Others, "more derivation")+count.Either(e.Others, " makes", " make"))))
	}
	for i := range e.Links {
		if l := e.Links[i]; !l.Known && len(l.Paths) > 0 {
			a.showReasons(e.Links[i])
		}
	}
	s.Printf("\n%s\n", s.Dim(fmt.Sprintf("explained in %.0f ms", e.MS)))
}

type chainRow struct {
	branch string
	explain.ChainLine
}

// left is the line behind its branch, its relation cut short where it would not fit.
func (r chainRow) left(most int) string {
	before := r.branch + r.Prefix()
	return before + r.Brief(most-utf8.RuneCountInString(before))
}

// chainRows lists the lines of a chain, each behind the branches that lead to it.
func chainRows(rows []chainRow, lines []explain.ChainLine, branch, below string) []chainRow {
	for i, line := range lines {
		here, under := branch+"├─ ", below+"│  "
		if i == len(lines)-1 {
			here, under = branch+"└─ ", below+"   "
		}
		if len(rows) == 0 { // the answer itself
			here, under = "", ""
		}
		rows = append(rows, chainRow{here, line})
		rows = chainRows(rows, line.Of, under, under)
	}
	return rows
}

func (a *app) showChainRow(row chainRow, width int) {
	s := a.Screen
	style := s.Yellow
	switch {
	case row.Negated:
		style = s.Dim
	case row.Known:
		style = s.Green
	}
	standing := style(command.Pad(row.Standing(), len("predicted")))
	line := fmt.Sprintf("  %s  %s  %s  %s", command.Pad(command.Clip(row.left(width), width), width), explain.Percent(row.Probability), standing, s.Dim(row.Variable))
	s.Printf("%s\n", strings.TrimRight(line, " "))
}

// showReasons prints the paths of a link, the weight of each as a bar, and the counterfactual.
func (a *app) showReasons(l explain.Link) {
	s := a.Screen
	s.Printf("\n%s  %s %s\n", s.Bold("why "+l.Fact().String()), explain.Percent(l.Probability), s.Yellow(explain.Standing(l.Known, l.Implied, l.Probability)))
	if len(l.Paths) == 0 {
		s.Printf("  %s\n", s.Dim("no path in the graph supports it"))
	}
	for _, p := range l.Paths {
		s.Printf("  %s  %-7.2g %s\n", s.Yellow(command.Pad(bar(p.Weight/l.Paths[0].Weight, 8), 8)), p.Weight, pathText(s, p))
	}
	if c := l.Counterfactual; c != nil {
		s.Printf("  %s\n", counterfactualText(s, c))
	}
}

// bar is a share of a width in blocks, to an eighth of one.
func bar(share float64, width int) string {
	eighths := max(1, int(share*float64(8*width)+0.5))
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}

// pathText wraps a path at its arrows, which point from head to tail of each fact.
func pathText(s command.Screen, p explain.Path) string {
	const indent = 20
	start, _ := p.Edges[0].Ends()
	text, column := start, indent+utf8.RuneCountInString(start)
	for _, e := range p.Edges {
		_, to := e.Ends()
		relation := explain.ShortRelation(e.Relation)
		arrow := "─" + relation + "→"
		if e.Inverse {
			arrow = "←" + relation + "─"
		}
		room := 2 + utf8.RuneCountInString(arrow+to)
		if column+room > s.Width {
			text += "\n" + strings.Repeat(" ", indent-1) // a blank stands before every arrow
			column = indent
		}
		text += " " + s.Dim(arrow) + " " + to
		column += room
	}
	if p.Alike > 0 {
		text += "\n" + strings.Repeat(" ", indent) + s.Dim(p.AlikeText())
	}
	return text
}

func counterfactualText(s command.Screen, c *explain.Counterfactual) string {
	text := fmt.Sprintf("without %s of these paths: %s → %s", count.Of(len(c.Removed), "fact"), explain.Percent(c.Before), s.Bold(explain.Percent(c.After)))
	if c.Control != nil {
		text += s.Dim(fmt.Sprintf("; without %s nearby at random: %s (mean of %d)", count.Of(c.Control.Removed, "fact"), explain.Percent(c.Control.After), c.Control.Draws))
	}
	return text
}
