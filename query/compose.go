package query

import (
	"strconv"

	"github.com/lacuna-kg/lacuna/kg"
)

// FromExpr is the way back from operators to logic: a query whose decomposition
// is e, up to the nesting of its C and D and to operands that are the universe.
// Names come from the vocabulary; without one (nil) they are ids.
func FromExpr(e Expr, vocabulary *kg.Vocabulary) *Query {
	return compose(operationOf(e, vocabulary))
}

// NameVariables is e with the names that FromExpr gives its variables.
func NameVariables(e Expr) Expr {
	var c composer
	return exprOf(c.name(operationOf(e, nil)))
}

// operationOf is e with names in place of ids.
func operationOf(e Expr, vocabulary *kg.Vocabulary) operation {
	switch e := e.(type) {
	case Anchor:
		return operation{entity: entityName(e.Entity, vocabulary)}
	case Projection:
		return operation{kind: ProjectionKind, relation: relationName(e.Relation, vocabulary), of: operationsOf(vocabulary, e.Of)}
	case Intersection:
		return operation{kind: IntersectionKind, of: operationsOf(vocabulary, e.Of...)}
	case Union:
		return operation{kind: UnionKind, of: operationsOf(vocabulary, e.Of...)}
	case Complement:
		return operation{kind: ComplementKind, of: operationsOf(vocabulary, e.Of)}
	}
	return operation{kind: UniverseKind}
}

func operationsOf(vocabulary *kg.Vocabulary, of ...Expr) []operation {
	all := make([]operation, len(of))
	for i, e := range of {
		all[i] = operationOf(e, vocabulary)
	}
	return all
}

func entityName(e kg.Entity, vocabulary *kg.Vocabulary) Name {
	if vocabulary == nil {
		return Name{ID: uint32(e), ByID: true}
	}
	return uniqueName(vocabulary.Entities, uint32(e))
}

func relationName(r kg.Relation, vocabulary *kg.Vocabulary) RelationName {
	if vocabulary == nil {
		return RelationName{Name: Name{ID: uint32(r), ByID: true}}
	}
	name := uniqueName(vocabulary.Relations, r.Base())
	if name.ByID { // the id of a base relation, where one with a direction belongs
		return relationName(r, nil)
	}
	return RelationName{name, r.IsInverse()}
}

// uniqueName is the readable name of id where that leads back to id alone, else its identifier, or the id itself if that is empty.
func uniqueName(dictionary kg.Dictionary, id uint32) Name {
	readable := dictionary.Readable(id)
	if found := dictionary.Find(readable); readable != "" && len(found) == 1 && found[0] == id {
		return Name{Text: readable}
	}
	if identifier := dictionary.Names.At(id); identifier != "" {
		return Name{Text: identifier}
	}
	return Name{ID: id, ByID: true}
}

// compose gives the query that asks for the set of an operation.
func compose(o operation) *Query {
	var c composer
	answer := Variable{Name: "u"}
	return &Query{answer, closed(conjunction(c.name(o), answer))}
}

// composer hands out the names of variables.
type composer struct{ used int }

// fresh gives a, b, …, z without the answer's u, then a1, b1, …
func (c *composer) fresh() string {
	const letters = "abcdefghijklmnopqrstvwxyz"
	name := string(letters[c.used%len(letters)])
	if round := c.used / len(letters); round > 0 {
		name += strconv.Itoa(round)
	}
	c.used++
	return name
}

// name gives every projection the variable that it goes from, unless that is a given entity.
func (c *composer) name(o operation) operation {
	if o.kind == ProjectionKind && o.of[0].kind != AnchorKind {
		o.variable = c.fresh()
	}
	of := make([]operation, len(o.of))
	for i, operand := range o.of {
		of[i] = c.name(operand)
	}
	o.of = of
	return o
}

// conjunction says that v is in the set of o, whose variables are named, as conjuncts under existential
// variables. They stay apart so that ∃ and ∧ come out flat, as people write them.
func conjunction(o operation, v Variable) (vars []Variable, parts []Formula) {
	switch o.kind {
	case AnchorKind:
		return nil, []Formula{Equals{v, Constant{o.entity}}}
	case ProjectionKind:
		return projection(o, v)
	case IntersectionKind:
		for _, operand := range o.of {
			more, conjuncts := conjunction(operand, v)
			vars, parts = append(vars, more...), append(parts, conjuncts...)
		}
		return vars, parts
	case UnionKind:
		cases := make([]Formula, len(o.of))
		for i, operand := range o.of {
			cases[i] = closed(conjunction(operand, v))
		}
		return nil, []Formula{Or{cases}}
	case ComplementKind:
		return nil, []Formula{Not{closed(conjunction(o.of[0], v))}}
	}
	return nil, nil
}

// projection says that the relation holds from some member of its operand, the conjuncts of that first.
func projection(o operation, v Variable) (vars []Variable, parts []Formula) {
	if of := o.of[0]; of.kind == AnchorKind {
		return nil, []Formula{link(o.relation, Constant{of.entity}, v)}
	}
	from := Variable{Name: o.variable}
	vars, parts = conjunction(o.of[0], from)
	return append([]Variable{from}, vars...), append(parts, link(o.relation, from, v))
}

// link writes R^-1(x, y) as R(y, x).
func link(relation RelationName, from, to Term) Atom {
	if relation.Inverse {
		relation.Inverse = false
		from, to = to, from
	}
	return Atom{Relation: relation, From: from, To: to, Pos: relation.Pos}
}

func closed(vars []Variable, parts []Formula) Formula {
	var body Formula = And{parts}
	if len(parts) == 1 {
		body = parts[0]
	}
	if len(vars) == 0 {
		return body
	}
	return Exists{vars, body}
}
