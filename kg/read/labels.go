package read

import (
	"bytes"
	"os"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// statedLabels are labels that the data itself gives. Those of RDF (rdfs:label) are kept by name: whether
// a name is an entity, a relation or neither is known only at the end. Those of tables are of entities, whose
// numbers are enough; a value is called by its own text, which is not kept once more.
type statedLabels struct {
	names  kg.Interner // of subjects and literals
	pairs  []statedLabel
	rows   []statedLabel // whose subject is an entity
	values []uint64      // a bit for each entity that is a value called by its text
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

// addRow adds the label of an entity.
func (s *statedLabels) addRow(entity uint32, text []byte) {
	s.rows = append(s.rows, statedLabel{entity, s.names.Intern([]byte(rdf.Quoted(string(text))))})
}

// renumber gives the labels of tables to entities by their new numbers.
func (s *statedLabels) renumber(numbers []uint32, gone func(id uint32) bool) {
	kept := s.rows[:0]
	for _, row := range s.rows {
		if !gone(row.subject) {
			kept = append(kept, statedLabel{numbers[row.subject], row.literal})
		}
	}
	s.rows = kept
	var values []uint64
	for id, to := range numbers {
		if isSet(s.values, uint32(id)) && !gone(uint32(id)) {
			set(&values, to)
		}
	}
	s.values = values
}

// triples are the labels as statements, nil where there are none. Numbers of tables have readable names, too, but a literal is the
// subject of nothing.
func (s *statedLabels) triples(entities *kg.Names) *kg.LabelTriples {
	names, all := s.names.Names(), kg.NewLabelBuilder(entities)
	for _, pair := range s.pairs {
		if !names.Begins(pair.subject, '"') {
			all.Add(names.At(pair.subject), names.At(pair.literal))
		}
	}
	if len(s.rows) == 0 {
		return all.Triples()
	}
	numbers := make([]kg.Entity, names.Len()) // of literals, which many rows share, one more than what each has
	for _, row := range s.rows {
		if entities.Begins(row.subject, '"') {
			continue
		}
		if numbers[row.literal] == 0 {
			numbers[row.literal] = all.Number(names.At(row.literal)) + 1
		}
		all.AddNumbers(kg.Entity(row.subject), numbers[row.literal]-1)
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
	l.labelEntities(v, entities, &relations)
	if relations != nil {
		v.Relations.Labels = kg.NewLabels(relations)
	}
	if stated := l.labels.triples(v.Entities.Names); stated != nil {
		v.Stated = stated
	}
	l.labels.values = nil
	return nil
}

// spread hands the labels of RDF to the entities and relations of that name, the
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
}

// labelEntities gives entities their labels: a stated one, that of their row, or their text as values. A relation
// that has the name of a row is called as it is.
func (l *loader) labelEntities(v *kg.Vocabulary, stated []string, relations *[]string) {
	rows := l.rowLabels(v.Entities.Names.Len())
	if stated == nil && rows == nil && l.labels.values == nil {
		return
	}
	names := l.labels.names.Names()
	v.Entities.Labels = kg.MakeLabels(v.Entities.Names.Len(), func(to []byte, id uint32) []byte {
		switch {
		case stated != nil && stated[id] != "":
			return append(to, stated[id]...)
		case rows != nil && rows[id] > 0:
			return append(to, rdf.Readable(names.At(rows[id]-1))...)
		case isSet(l.labels.values, id):
			return append(to, rdf.Readable(v.Entities.Names.At(id))...)
		}
		return to
	})
	for id := range uint32(v.Relations.Names.Len()) {
		name := v.Relations.Names.At(id)
		if entity, known := v.Entities.Names.Find(name); known && rows != nil && rows[entity] > 0 {
			fillLabel(relations, v.Relations.Names, name, rdf.Readable(names.At(rows[entity]-1)))
		}
	}
}

// rowLabels has one more than the first label of each entity, nil where no row has a label.
func (l *loader) rowLabels(entities int) (rows []uint32) {
	if len(l.labels.rows) == 0 {
		return nil
	}
	rows = make([]uint32, entities)
	for _, row := range l.labels.rows {
		if rows[row.subject] == 0 {
			rows[row.subject] = row.literal + 1
		}
	}
	return rows
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
