package read

import (
	"bytes"
	"os"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// statedLabels are labels that the data itself gives (rdfs:label), by name: whether
// a name is an entity, a relation or neither is known only at the end.
type statedLabels struct {
	names kg.Interner // of subjects and literals
	pairs []statedLabel
}

// statedLabel is a statement by the numbers of its names.
type statedLabel struct{ subject, literal uint32 }

func (s *statedLabels) add(subject, literal []byte) {
	s.pairs = append(s.pairs, statedLabel{s.names.Intern(subject), s.names.Intern(literal)})
}

// addText adds a label of data that has no literals.
func (s *statedLabels) addText(subject, text []byte) {
	s.add(subject, []byte(rdf.Quoted(string(text))))
}

// triples are the labels as statements, nil where there are none. Numbers of tables have readable names, too, but a literal is the subject of nothing.
func (s *statedLabels) triples(entities *kg.Names) *kg.LabelTriples {
	names, all := s.names.Names(), kg.NewLabelBuilder(entities)
	for _, pair := range s.pairs {
		if !names.Begins(pair.subject, '"') {
			all.Add(names.At(pair.subject), names.At(pair.literal))
		}
	}
	return all.Triples()
}

// label gives the vocabulary its labels: those of the files named in the options
// first, then those of the data for what has none.
func (l *loader) label(v *kg.Vocabulary) error {
	entities, err := l.labelsFrom(l.opts.EntityLabels, v.Entities.Names)
	if err != nil {
		return err
	}
	relations, err := l.labelsFrom(l.opts.RelationLabels, v.Relations.Names)
	if err != nil {
		return err
	}
	l.spread(v, &entities, &relations)
	if entities != nil {
		v.Entities.Labels = kg.NewLabels(entities)
	}
	if relations != nil {
		v.Relations.Labels = kg.NewLabels(relations)
	}
	return nil
}

// spread hands the labels of the data to the entities and relations of that name, the
// first of each as what it is called.
func (l *loader) spread(v *kg.Vocabulary, entities, relations *[]string) {
	names, seen := l.labels.names.Names(), map[uint32]bool{}
	for _, pair := range l.labels.pairs {
		if seen[pair.subject] {
			continue
		}
		seen[pair.subject] = true
		name, label := names.At(pair.subject), rdf.Readable(names.At(pair.literal))
		isEntity := fillLabel(entities, v.Entities.Names, name, label)
		isRelation := fillLabel(relations, v.Relations.Names, name, label)
		if !isEntity && !isRelation {
			l.report.UnknownLabels++
		}
	}
	if stated := l.labels.triples(v.Entities.Names); stated != nil {
		v.Stated = stated
	}
}

// fillLabel labels a name if it is one of names and has no label yet, and tells whether it is one.
func fillLabel(labels *[]string, names *kg.Names, name, label string) bool {
	id, ok := names.Find(name)
	if !ok {
		return false
	}
	if *labels == nil {
		*labels = make([]string, names.Len())
	}
	if (*labels)[id] == "" {
		(*labels)[id] = label
	}
	return true
}

// labelsFrom reads a file of labels, nil for no file.
func (l *loader) labelsFrom(path string, names *kg.Names) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, kg.ReadError(path, err)
	}
	defer file.Close()
	l.meter = meter{} // progress is that of the triples, which are all read
	return l.readLabels(l.open(file, path), names)
}

// readLabels reads lines of id TAB name. Ids that the graph lacks are counted, as
// such files usually cover more than one graph; two labels for one id are an error.
func (l *loader) readLabels(in *input, names *kg.Names) ([]string, error) {
	labels := make([]string, names.Len())
	lines := newLineBlocks(in)
	err := lines.each(func(line int, text []byte) error {
		if len(text) == 0 {
			return nil
		}
		name, label, ok := bytes.Cut(text, []byte{'\t'})
		if !ok || len(name) == 0 || len(label) == 0 || bytes.IndexByte(label, '\t') >= 0 {
			return kg.ErrorAt(kg.Invalid, lines.at(line), "expected an id, a tab and its label")
		}
		id, known := names.Find(string(name))
		if !known {
			l.report.UnknownLabels++
			return nil
		}
		if labels[id] != "" && labels[id] != string(label) {
			return kg.ErrorAt(kg.Invalid, lines.at(line), "a second label for %q, which has %q", name, labels[id])
		}
		labels[id] = string(label)
		return nil
	})
	return labels, err
}
