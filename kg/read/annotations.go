package read

import (
	"encoding/json"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// What is said of facts: properties of edges, and facts about what names a statement, which KGTK calls the id of an edge and
// RDF 1.2 a reifier. They are kept beside the facts, and are none.

// saidStatements are those that have names, with what was said of each so far.
type saidStatements struct {
	names kg.Interner
	facts []kg.Triple
	said  [][]kg.Annotation
}

// name notes that a statement of a fact has a name; a second fact of the same name is another.
func (s *saidStatements) name(name []byte, t kg.Triple) {
	if id := s.names.Intern(name); int(id) == len(s.facts) {
		s.facts, s.said = append(s.facts, t), append(s.said, nil)
	}
}

// say takes what is said of a statement by its name, and tells whether there is one.
func (s *saidStatements) say(name, relation, value []byte) bool {
	if s.names.Len() == 0 {
		return false
	}
	id, known := s.names.Find(string(name))
	if known {
		s.said[id] = append(s.said[id], kg.Annotation{Relation: string(relation), Value: string(value)})
	}
	return known
}

// annotate says something of the fact that was taken last.
func (l *loader) annotate(part split, said []kg.Annotation) {
	if facts := l.facts[part]; part == trainSplit && len(facts) > 0 && len(said) > 0 && !isDenied(facts[len(facts)-1]) {
		l.said.Add(facts[len(facts)-1], said)
	}
}

// edgeProperties are the properties of an edge as annotations. What has parts is left out and counted.
func (l *loader) edgeProperties(properties map[string]any) (said []kg.Annotation) {
	for _, name := range sortedKeys(properties) {
		values := []any{properties[name]}
		if list, ok := properties[name].([]any); ok {
			values = list
		}
		for _, value := range values {
			text, kind, ok := propertyText(value)
			switch {
			case ok && name != "":
				said = append(said, kg.Annotation{Relation: name, Value: string(appendLiteral(nil, []byte(text), kind))})
			case value != nil:
				l.report.SkippedProperties++
			}
		}
	}
	return said
}

// propertyText is a property's value as text with its type, as property has it.
func propertyText(value any) (text, kind string, ok bool) {
	switch v := value.(type) {
	case string:
		return v, "", true
	case json.Number:
		return v.String(), numberType([]byte(v.String())), true
	case bool:
		return map[bool]string{true: "true", false: "false"}[v], "boolean", true
	case typedText:
		return v.text, v.kind, true
	case map[string]any:
		typed, ok := typedMember(v)
		return typed.text, typed.kind, ok
	}
	return "", "", false
}

// annotations are all that was said, of facts that are stated.
func (l *loader) annotations() *kg.Annotations {
	for i, said := range l.statements.said {
		l.said.Add(l.statements.facts[i], said)
	}
	return l.said.Annotations()
}

// settle takes facts about a name that turned out, after them, to be that of a statement for what is said of it.
func (l *loader) settle() {
	if l.statements.names.Len() == 0 {
		return
	}
	names := l.statements.names.Names()
	late := map[kg.Entity]bool{}
	for id := range uint32(names.Len()) {
		if e, known := l.entities.Find(names.At(id)); known {
			late[kg.Entity(e)] = true
		}
	}
	if len(late) == 0 {
		return
	}
	entities, relations := l.entities.Names(), l.relations.Names()
	l.dropFacts(func(t kg.Triple) bool {
		return late[t.Head] && !isDenied(t) && l.statements.say([]byte(entities.At(uint32(t.Head))), []byte(relations.At(t.Relation.Base())), []byte(entities.At(uint32(t.Tail))))
	})
}

// dropFacts leaves out facts that are something else.
func (l *loader) dropFacts(isOther func(kg.Triple) bool) {
	facts, graphs := l.facts[trainSplit], l.graphs.beside(l.facts[trainSplit])
	kept := 0
	for i, t := range facts {
		if isOther(t) {
			continue
		}
		facts[kept] = t
		if i < len(graphs) {
			graphs[kept] = graphs[i]
		}
		kept++
	}
	l.facts[trainSplit] = facts[:kept]
	l.graphs.ofFact = graphs[:min(kept, len(graphs))]
}

// reportAnnotations says how much is kept beside facts, and how much is of facts that nothing states.
func (l *loader) reportAnnotations(all, kept *kg.Annotations) {
	if n := kept.Len(); n > 0 {
		l.note("%s with annotations, which are kept beside the facts", count.Of(n, "statement"))
	}
	if lost := all.Len() - kept.Len(); lost > 0 {
		l.note("annotations of %s left out, whose facts are not stated", count.Of(lost, "statement"))
	}
}
