package browse

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// mostMeant is how many relations of like meaning an error names.
const mostMeant = 3

// Meant adds to the error of a relation that the graph lacks those whose names mean alike: who asks for nationality may find birth_country.
// Other errors stay as they are.
func Meant(err error, q *query.Query, g *kg.Graph) error {
	var user *kg.Error
	if kg.KindOf(err) != kg.NotFound || !errors.As(err, &user) {
		return err
	}
	query.Map(q.Body, func(f query.Formula) query.Formula {
		atom, isAtom := f.(query.Atom)
		if !isAtom || atom.Relation.ByID || !strings.Contains(user.What, "no relation \""+atom.Relation.Text+"\"") {
			return f
		}
		var names []string
		for _, r := range RelationsLike(g, atom.Relation.Text, mostMeant) {
			names = append(names, g.Relation(r))
		}
		if len(names) > 0 && !strings.Contains(user.What, "like meaning") {
			user.What += "; relations of like meaning: " + strings.Join(names, ", ")
		}
		return f
	})
	return err
}

// RelationsLike are the relations that a text names best, by all of its words or else by one of them, at most so many.
func RelationsLike(g *kg.Graph, text string, most int) []kg.Relation {
	type scored struct {
		relation kg.Relation
		score    int
	}
	wanted := words(text)
	for _, tried := range append([][]string{wanted}, single(wanted)...) {
		var list []scored
		for base := range uint32(g.Relations.Names.Len()) {
			r := kg.Forward(base)
			if score := matches(tried, append(words(g.Relation(r)), words(g.Relations.LabelledID(base))...)); score > 0 {
				list = append(list, scored{r, score})
			}
		}
		slices.SortStableFunc(list, func(a, b scored) int { return b.score - a.score })
		if len(list) > 0 {
			var best []kg.Relation
			for _, s := range list[:min(most, len(list))] {
				best = append(best, s.relation)
			}
			return best
		}
	}
	return nil
}

// single are the words that may name a relation by themselves: a by or an of does not.
func single(words []string) (each [][]string) {
	const shortest = 4
	for _, w := range words {
		if len(w) >= shortest {
			each = append(each, []string{w})
		}
	}
	return each
}

// IsSentence tells a question in words from a formula that has a mistake: three words or more without any sign of a formula.
func IsSentence(text string) bool {
	return len(strings.Fields(text)) >= 3 && !strings.ContainsAny(text, "():&|∧∨¬∃∀<>[]{}=\"") &&
		strings.IndexFunc(text, unicode.IsLetter) == 0
}
