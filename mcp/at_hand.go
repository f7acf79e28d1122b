package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/browse"
	"github.com/lacuna-kg/lacuna/server"
)

// What a model is told of the graph at hand, so that it need not ask for it.

// relationsAtHand is how many relations the instructions name.
const relationsAtHand = 12

// atHand says what the relations lead from and to, and what can be asked, by the graph's own names.
func atHand(service *server.Service) string {
	var b strings.Builder
	relations := service.DescribedRelations()
	fmt.Fprintf(&b, "\nIts relations, head first, with a fact of each (%d of %d; find_names with kind relation finds others by meaning):\n", min(relationsAtHand, len(relations)), len(relations))
	for _, r := range relations[:min(relationsAtHand, len(relations))] {
		fmt.Fprintf(&b, "- %s\n", r.Example)
	}
	if examples := service.Examples(); len(examples) > 0 {
		b.WriteString("Questions on it:\n")
		for _, e := range examples {
			fmt.Fprintf(&b, "- %s\n", e.Question)
		}
	}
	return b.String()
}

// addAlike puts relations that mean what was typed before those that are only spelt like it.
func (t tools) addAlike(found *server.CompleteResponse, typed string) {
	var alike []server.Match
	for _, r := range browse.Among(t.service.DescribedRelations(), typed, 5) {
		isThere := slices.ContainsFunc(found.Matches, func(m server.Match) bool { return m.Name == r.Name })
		if !isThere {
			alike = append(alike, server.Match{Name: r.Name, ID: r.ID, Kind: server.KindRelation, Facts: r.Facts})
		}
	}
	found.Matches = append(alike, found.Matches...)
}

// hideRight takes the truth out of an answer: a model is not to read what it is judged by.
func hideRight(r *lacuna.Result) {
	lists := [][]lacuna.Answer{r.Answers, r.LessLikely}
	for _, s := range r.Steps {
		lists = append(lists, s.Top)
	}
	for _, list := range lists {
		for i := range list {
			list[i].Right = nil
		}
	}
}

// mostBytes is what a model reads of an answer, as its window is small and costs.
const mostBytes = 1000

// answersInWords is an answered question in a kilobyte: the answers, the likeliest first.
func answersInWords(r *lacuna.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d answers, %d of them stated by the graph.\n", r.Total, r.KnownTotal)
	listed := 0
	for _, a := range r.Answers {
		line := answerLine(a)
		if b.Len()+len(line) > mostBytes-100 {
			break
		}
		b.WriteString(line)
		listed++
	}
	if rest := r.Total - listed; rest > 0 {
		fmt.Fprintf(&b, "… and %d more\n", rest)
	}
	if len(r.LessLikely) > 0 && b.Len() < mostBytes/2 {
		b.WriteString("Less likely:\n")
		for _, a := range r.LessLikely {
			b.WriteString(answerLine(a))
		}
	}
	for _, hint := range r.Hints {
		b.WriteString("Note: " + hint + "\n")
	}
	return b.String()
}

func answerLine(a lacuna.Answer) string {
	standing, name := "predicted", a.Entity
	if a.Known {
		standing = "known"
	}
	if len(a.Entities) > 0 { // of several variables
		name = strings.Join(a.Entities, ", ")
	}
	if a.ID != "" {
		name += " (" + a.ID + ")"
	}
	return fmt.Sprintf("%.2f %s: %s\n", a.Probability, standing, name)
}
