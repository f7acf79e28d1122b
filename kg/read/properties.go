package read

import (
	"encoding/json"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// Property graphs, as Neo4j and GraphML have them: nodes by their ids, with kinds and
// properties, and edges of a type. A property is a literal with its type; the one
// that names a node is its label. Properties of edges are annotations of their facts.

// kindOfNode is the relation between a node and its kinds, which Neo4j calls labels.
const kindOfNode = "label"

// nodeNames are the properties that name a node, the first that it has.
var nodeNames = []string{"name", "title", "label"}

// node notes a node, its kinds and its properties.
func (l *loader) node(part split, id string, kinds []string, properties map[string]any) {
	l.entities.Intern([]byte(id)) // a node without facts is an entity nevertheless
	for _, kind := range kinds {
		l.fact(part, []byte(id), []byte(kindOfNode), []byte(kind))
	}
	naming := ""
	for _, name := range nodeNames {
		if text, ok := properties[name].(string); ok && naming == "" && text != "" {
			l.labels.addText([]byte(id), []byte(text))
			naming = name
		}
	}
	for _, name := range sortedKeys(properties) {
		if name != naming && name != "" {
			l.property(part, id, name, properties[name])
		}
	}
}

func sortedKeys(properties map[string]any) []string {
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// property states a property of a node, each value of a list. What has parts, such as a point, is left out.
func (l *loader) property(part split, id, name string, value any) {
	var tail kg.Entity
	switch v := value.(type) {
	case []any:
		for _, each := range v {
			l.property(part, id, name, each)
		}
		return
	case string:
		tail = l.literal([]byte(v), "")
	case json.Number:
		tail = l.literal([]byte(v.String()), numberType([]byte(v.String())))
	case bool:
		tail = l.literal([]byte(map[bool]string{true: "true", false: "false"}[v]), "boolean")
	case typedText:
		tail = l.literal([]byte(v.text), v.kind)
	case map[string]any:
		typed, ok := typedMember(v)
		if !ok {
			l.report.SkippedProperties++
			return
		}
		tail = l.literal([]byte(typed.text), typed.kind)
	default:
		if value != nil {
			l.report.SkippedProperties++
		}
		return
	}
	head := kg.Entity(l.entities.Intern([]byte(id)))
	relation := l.relation([]byte(name))
	l.facts[part] = append(l.facts[part], kg.Triple{Head: head, Relation: relation, Tail: tail})
}

// typedText is a value whose type the file states.
type typedText struct{ text, kind string }

// typedMember reads a value whose type JSON lacks, as a copy of a database has it: {"type": "date", "value": "2026-01-31"}.
func typedMember(object map[string]any) (typedText, bool) {
	kind, _ := object["type"].(string)
	text, ok := object["value"].(string)
	return typedText{text, kind}, ok && len(object) == 2 && slices.Contains([]string{"date", "dateTime", "time", "duration", "double"}, kind)
}
