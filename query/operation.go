package query

import "github.com/lacuna-kg/lacuna/kg"

// operation is a node of the operator form while its names are not yet bound to a
// vocabulary: between the text of the operator and tuple notations and the
// formula they are turned into, and between an Expr and its text.
type operation struct {
	kind     Kind
	entity   Name         // of an anchor
	relation RelationName // of a projection
	variable string       // that a projection goes from, once composer.name gave it one; "" from an entity
	of       []operation
}

// exprOf is the expression of an operation whose names all are ids.
func exprOf(o operation) Expr {
	switch o.kind {
	case AnchorKind:
		return Anchor{kg.Entity(o.entity.ID)}
	case ProjectionKind:
		return Projection{o.relation.directed(), exprOf(o.of[0]), o.variable}
	case IntersectionKind:
		return Intersection{exprsOf(o.of)}
	case UnionKind:
		return Union{exprsOf(o.of)}
	case ComplementKind:
		return Complement{exprOf(o.of[0])}
	}
	return Universe{}
}

func exprsOf(of []operation) []Expr {
	all := make([]Expr, len(of))
	for i, o := range of {
		all[i] = exprOf(o)
	}
	return all
}

// directed is the relation meant by a name that is an id.
func (r RelationName) directed() kg.Relation {
	if r.Inverse {
		return kg.Relation(r.ID).Inverse()
	}
	return kg.Relation(r.ID)
}

// operationOf is e with names in place of ids.
func operationOf(e Expr, names naming) operation {
	switch e := e.(type) {
	case Anchor:
		return operation{entity: names.entity(e.Entity)}
	case Projection:
		return operation{kind: ProjectionKind, relation: names.relation(e.Relation), of: operationsOf(names, e.Of)}
	case Intersection:
		return operation{kind: IntersectionKind, of: operationsOf(names, e.Of...)}
	case Union:
		return operation{kind: UnionKind, of: operationsOf(names, e.Of...)}
	case Complement:
		return operation{kind: ComplementKind, of: operationsOf(names, e.Of)}
	}
	return operation{kind: UniverseKind}
}

func operationsOf(names naming, of ...Expr) []operation {
	all := make([]operation, len(of))
	for i, e := range of {
		all[i] = operationOf(e, names)
	}
	return all
}

// naming gives names for the ids of an expression.
type naming interface {
	entity(kg.Entity) Name
	relation(kg.Relation) RelationName
}

// namingOf gives the names of a vocabulary, or the ids without one (nil).
func namingOf(vocabulary *kg.Vocabulary) naming {
	if vocabulary == nil {
		return idNames{}
	}
	return vocabularyNames{vocabulary}
}

type idNames struct{}

func (idNames) entity(e kg.Entity) Name { return Name{ID: uint32(e), ByID: true} }

func (idNames) relation(r kg.Relation) RelationName {
	return RelationName{Name: Name{ID: uint32(r), ByID: true}}
}

type vocabularyNames struct{ *kg.Vocabulary }

func (v vocabularyNames) entity(e kg.Entity) Name { return uniqueName(v.Entities, uint32(e)) }

func (v vocabularyNames) relation(r kg.Relation) RelationName {
	name := uniqueName(v.Relations, r.Base())
	if name.ByID { // the id of a base relation, where one with a direction belongs
		return idNames{}.relation(r)
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
