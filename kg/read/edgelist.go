package read

import (
	"bytes"
	"regexp"

	"github.com/lacuna-kg/lacuna/kg"
)

// readEdgeList reads what NetworkX and SNAP call an edge list: two nodes a line,
// parted by blanks, perhaps a weight or the edge's data as Python writes a dict, and
// comments behind '#'. The data may say what relation the edge is.
func (l *loader) readEdgeList(in *input, part split) error {
	lines := newLineBlocks(in)
	return lines.each(func(line int, text []byte) error {
		source, target, data, ok := cutEdge(text)
		switch {
		case !ok:
			return kg.ErrorAt(kg.Invalid, lines.at(line), "expected two nodes, and a weight or data in {} perhaps")
		case source == nil:
			return nil
		}
		if len(data) > 0 {
			l.report.SkippedProperties++
		}
		relation := []byte(plainEdge)
		if found := edgeRelation.FindSubmatch(data); found != nil {
			relation = append(found[1], found[2]...)
			l.report.SkippedProperties--
		}
		l.fact(part, source, relation, target)
		return nil
	})
}

var edgeRelation = regexp.MustCompile(`['"](?:relation|relationship|predicate|label|type|rel)['"]: *(?:'([^'\\]+)'|"([^"\\]+)")`)

// cutEdge parts a line; source is nil for a line without edge.
func cutEdge(line []byte) (source, target, data []byte, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] == '#' {
		return nil, nil, nil, true
	}
	source, rest := cutWord(line)
	target, data = cutWord(rest)
	if len(target) == 0 || source[0] == '{' || target[0] == '{' {
		return nil, nil, nil, false
	}
	isData := len(data) > 1 && data[0] == '{' && data[len(data)-1] == '}'
	return source, target, data, len(data) == 0 || isData || numberType(data) != ""
}

// cutWord takes the first word of a line and gives the rest from the next word on.
func cutWord(line []byte) (word, rest []byte) {
	end := bytes.IndexAny(line, " \t")
	if end < 0 {
		return line, nil
	}
	return line[:end], bytes.TrimLeft(line[end:], " \t")
}

// isEdgeList tells an edge list by its first lines: all must be edges, and one have
// data in braces, or all be plain pairs whose nodes come up on both sides.
func isEdgeList(text []byte, whole bool) bool {
	left, right := map[string]bool{}, map[string]bool{}
	braces, pairs, count := false, true, 0
	for line := range bytes.Lines(text) {
		if !whole && line[len(line)-1] != '\n' {
			break // cut by the end of the sample
		}
		source, target, data, ok := cutEdge(line)
		if !ok || bytes.ContainsAny(line, ",;|") && len(data) == 0 && line[0] != '#' {
			return false
		}
		if source == nil {
			continue
		}
		count++
		left[string(source)], right[string(target)] = true, true
		braces = braces || len(data) > 0 && data[0] == '{'
		pairs = pairs && len(data) == 0
	}
	shared := false
	for node := range left {
		shared = shared || right[node]
	}
	return braces || pairs && shared && count > 1
}
