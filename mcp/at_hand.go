package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/browse"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
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

// addAlike puts relations whose names have the words that were typed, or words of like meaning, before those that are only spelt nearly so.
func (t tools) addAlike(found *server.CompleteResponse, typed string) {
	var list []server.Match
	for _, r := range browse.Among(t.service.DescribedRelations(), typed, 5) {
		list = append(list, server.Match{Name: r.Name, ID: cmp.Or(r.ID, r.Name), Kind: server.KindRelation, Facts: r.Facts})
	}
	for _, m := range found.Matches {
		if !slices.ContainsFunc(list, func(other server.Match) bool { return other.ID == m.ID }) {
			list = append(list, m)
		}
	}
	found.Matches = list
}

// withExamples adds a fact to each relation, which shows its direction.
func (t tools) withExamples(matches []server.Match) foundNames {
	examples := map[string]string{}
	for _, r := range t.service.DescribedRelations() {
		examples[r.Name] = r.Example
	}
	list := foundNames{[]foundName{}}
	for _, m := range matches {
		list.Matches = append(list.Matches, foundName{m, examples[m.Name]})
	}
	return list
}

// withHints adds to each entity what tells it from others of its name.
func (t tools) withHints(matches []server.Match) foundNames {
	engine, _, done := t.service.Use()
	defer done()
	list := foundNames{[]foundName{}}
	for _, m := range matches {
		hint := ""
		if id, found := engine.Graph.Entities.Names.Find(m.ID); found {
			hint = browse.Hint(engine.Graph, kg.Entity(id))
		}
		list.Matches = append(list.Matches, foundName{m, hint})
	}
	return list
}

// hideRight takes the truth out of an answer: a model is not to read what it is judged by.
func hideRight(r *lacuna.Result) {
	lists := [][]lacuna.Answer{r.Answers, r.LessLikely}
	for _, s := range r.Steps {
		lists = append(lists, s.Top)
	}
	if r.Joined != nil {
		for _, v := range slices.Concat(r.Variables, r.Marginals) {
			lists = append(lists, v.Top)
		}
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
	switch {
	case r.Verdict != nil:
		b.WriteString(yesOrNo(r.Probability, r.Known, r.Implied))
	case r.More:
		fmt.Fprintf(&b, "%s, the likeliest, %d of them stated by the graph; there are more.\n", count.Of(r.Total, "answer"), r.KnownTotal)
	default:
		fmt.Fprintf(&b, "%s, %d of them stated by the graph.\n", count.Of(r.Total, "answer"), r.KnownTotal)
	}
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

// yesOrNo is the answer to a question without answer variables.
func yesOrNo(probability float32, known bool, implied string) string {
	verdict, origin := "No", "predicted"
	if probability >= 0.5 {
		verdict = "Yes"
	}
	switch {
	case known && probability < 0.5:
		origin = "yes by what the graph states, which the model doubts"
	case known:
		origin = explain.Standing(known, implied, probability)
	case probability == 0:
		origin = "nothing supports it"
	}
	return fmt.Sprintf("%s: %.2f, %s.\n", verdict, probability, origin)
}

func answerLine(a lacuna.Answer) string {
	standing, name := explain.Standing(a.Known, a.Implied, a.Probability), a.Entity
	if len(a.Entities) > 0 { // of several variables
		name = strings.Join(a.Entities, ", ")
	}
	if a.ID != "" {
		name += " (" + a.ID + ")"
	}
	return fmt.Sprintf("%.2f %s: %s\n", a.Probability, standing, name)
}
