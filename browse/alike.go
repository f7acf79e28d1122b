package browse

import (
	"fmt"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Taken says of each name of a question that means more than one entity or relation which was taken, and names the others: a line for
// people each. An identifier goes before a label, and the same case before another.
func Taken(q *query.Query, g *kg.Graph) (lines []string) {
	told := map[string]bool{}
	tell := func(line string) {
		if line != "" && !told[line] {
			lines, told[line] = append(lines, line), true
		}
	}
	entity := func(t query.Term) {
		if c, isConstant := t.(query.Constant); isConstant && !c.ByID {
			tell(TakenEntity(g, c.Text))
		}
	}
	query.Map(q.Body, func(f query.Formula) query.Formula {
		switch f := f.(type) {
		case query.Atom:
			if !f.Relation.ByID {
				tell(takenRelation(g, f.Relation.Text))
			}
			entity(f.From)
			entity(f.To)
		case query.Equals:
			entity(f.Left)
			entity(f.Right)
		}
		return f
	})
	return lines
}

// TakenEntity says which entity a name was taken to mean, where others have it, too; "" where none has.
func TakenEntity(g *kg.Graph, name string) string {
	e, err := query.FindEntity(name, g.Vocabulary)
	if err != nil {
		return ""
	}
	return taken(g.Entities, name, uint32(e), func(id uint32) string { return Hint(g, kg.Entity(id)) })
}

func takenRelation(g *kg.Graph, name string) string {
	r, err := query.FindRelation(name, g.Vocabulary)
	if err != nil {
		return ""
	}
	return taken(g.Relations, name, r.Base(), func(uint32) string { return "" })
}

// mostAlike is how many others of a name are named.
const mostAlike = 3

func taken(names kg.Dictionary, name string, id uint32, hint func(uint32) string) string {
	others := names.Alike(name, id)
	if len(others) == 0 {
		return ""
	}
	described := func(id uint32) string {
		text := names.Names.At(id)
		if h := hint(id); h != "" {
			text += " (" + h + ")"
		}
		return text
	}
	var listed []string
	for _, other := range others[:min(mostAlike, len(others))] {
		listed = append(listed, described(other))
	}
	if len(others) > mostAlike {
		listed = append(listed, fmt.Sprintf("and %d more", len(others)-mostAlike))
	}
	return fmt.Sprintf("%q was taken to mean %s; others of that name: %s", name, described(id), strings.Join(listed, ", "))
}
