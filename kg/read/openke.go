package read

import (
	"bytes"
	"math"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// readOpenKE reads a folder as OpenKE has it: every file starts with the number of
// its lines; entity2id and relation2id hold a name and its number, the others
// head, tail and relation by number.
func (l *loader) readOpenKE(f *folder) error {
	files, err := f.need(OpenKE, "entity2id.txt", "relation2id.txt", "train2id.txt")
	if err != nil {
		return err
	}
	for _, held := range []string{"valid2id.txt", "test2id.txt"} {
		files = append(files, f.find(held))
	}
	for _, name := range files {
		l.meter.total += f.sizes[name]
	}
	if err := l.within(f, files[0], func(in *input) error { return readNumbered(in, &l.entities) }); err != nil {
		return err
	}
	if err := l.within(f, files[1], func(in *input) error { return readNumbered(in, &l.relations) }); err != nil {
		return err
	}
	for part, name := range files[2:] {
		if name == "" {
			continue
		}
		if err := l.within(f, name, func(in *input) error { return l.readOpenKETriples(in, split(part)) }); err != nil {
			return err
		}
	}
	return nil
}

// counted reads the lines of a file that starts with their number.
func counted(lines *lineBlocks, begin func(count int), parse func(line int, text []byte) error) error {
	stated, seen, last := -1, 0, 0
	err := lines.each(func(line int, text []byte) error {
		text = bytes.TrimRight(text, " \t")
		if len(text) == 0 {
			return nil
		}
		last = line
		if stated < 0 {
			number, ok := parseID(text, math.MaxInt32)
			if !ok {
				return kg.ErrorAt(kg.Invalid, lines.at(line), "expected the number of lines that follow")
			}
			stated = int(number)
			begin(stated)
			return nil
		}
		if seen++; seen > stated {
			return kg.ErrorAt(kg.Invalid, lines.at(line), "more lines than the %d that line 1 states", stated)
		}
		return parse(line, text)
	})
	switch {
	case err != nil:
		return err
	case stated < 0:
		return kg.Errorf(kg.Invalid, lines.name, "empty, expected the number of lines that follow")
	case seen < stated:
		return kg.ErrorAt(kg.Invalid, lines.at(last), "the file ends after %s, expected %d as line 1 states", count.Of(seen, "line"), stated)
	}
	return nil
}

// readNumbered reads lines of a name and its number into names with these numbers.
func readNumbered(in *input, into *kg.Interner) error {
	lines := newLineBlocks(in)
	names := map[uint32]string{}
	total := 0
	err := counted(lines, func(count int) { total = count }, func(line int, text []byte) error {
		at := bytes.LastIndexAny(text, "\t ")
		if at < 0 {
			return kg.ErrorAt(kg.Invalid, lines.at(line), "expected a name and its number")
		}
		id, ok := parseID(text[at+1:], total)
		if !ok {
			return kg.ErrorAt(kg.Invalid, lines.at(line), "%q is no number below %d, the count in line 1", text[at+1:], total)
		}
		name := bytes.TrimRight(text[:at], "\t ")
		if len(name) == 0 {
			return kg.ErrorAt(kg.Invalid, lines.at(line), "the name is empty")
		}
		if other, taken := names[id]; taken {
			return kg.ErrorAt(kg.Invalid, lines.at(line), "number %d is already that of %q", id, other)
		}
		names[id] = string(name)
		return nil
	})
	if err != nil {
		return err
	}
	return internNumbered(in.name, names, into)
}

// internNumbered interns names 0 … n-1, all of which must be there and distinct.
func internNumbered(where string, names map[uint32]string, into *kg.Interner) error {
	for id := range uint32(len(names)) {
		name, ok := names[id]
		if !ok {
			return kg.Errorf(kg.Invalid, where, "no name has the number %d, expected 0 to %d", id, len(names)-1)
		}
		if first := into.Intern([]byte(name)); first != id {
			return kg.Errorf(kg.Invalid, where, "%d and %d are both named %q", first, id, name)
		}
	}
	return nil
}

func (l *loader) readOpenKETriples(in *input, part split) error {
	x := newIDs(in, l.entities.Len(), l.relations.Len())
	order := columns{head: 0, tail: 1, relation: 2}
	facts := &l.facts[part]
	return counted(x.lines, func(int) {}, func(line int, text []byte) error {
		t, err := x.triple(line, text, order)
		if err != nil {
			return err
		}
		t.Relation = kg.Forward(uint32(t.Relation))
		*facts = append(*facts, t)
		return nil
	})
}
