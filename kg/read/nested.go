package read

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// JSON with lists of objects within objects is several tables: each list one of its own, whose rows refer
// to the row that they stand in. It is held in memory.

// listOfObjects opens a list of objects within an object.
var listOfObjects = regexp.MustCompile(`"\s*:\s*\[\s*\{`)

// isNested tells JSON that is several tables by its beginning.
func isNested(sample []byte) bool {
	return listOfObjects.Match(sample) || objectOfObjects.Match(sample) || isMap.Match(sample)
}

// objectOfObjects begins an object whose members are the rows, by their keys.
var objectOfObjects = regexp.MustCompile(`^(?:\xef\xbb\xbf)?\s*\{\s*"[^"]*"\s*:\s*\{`)

// nested are the tables of a text, in the order in which they were found.
type nested struct {
	names       []string
	tables      map[string][]jsonObject
	schemas     map[string]*tableSchema
	skipped     int  // lists within lists, which no table has a place for
	both        bool // edges go both ways
	isRewritten bool // its rows are others than those of the text
	// shapeless counts the rows of maps whose shapes are left out.
	shapeless int
}

// jsonObject is an object with its members in their order.
type jsonObject []jsonMember

type jsonMember struct {
	name  string
	value any // jsonObject, []any or json.RawMessage of anything else
}

// nestedFolder makes a folder of the tables of a text; nil where it is a plain table after all.
func (l *loader) nestedFolder(in *input) (*folder, []byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, containerLimit+1))
	if err != nil {
		return nil, nil, err
	}
	if len(data) > containerLimit {
		return nil, nil, tooLong(in.name, containerLimit)
	}
	if !utf8.Valid(data) {
		return nil, nil, kg.Errorf(kg.Invalid, in.name, notUTF8)
	}
	n := &nested{tables: map[string][]jsonObject{}, schemas: map[string]*tableSchema{}}
	if err := n.read(in.name, bytes.TrimPrefix(data, []byte(utf8Mark))); err != nil {
		return nil, nil, err
	}
	if len(n.names) < 2 && !n.rewritten(tableOf(in.name)) {
		return nil, data, nil
	}
	l.report.SkippedProperties += n.skipped
	if n.shapeless > 0 {
		l.note("%s: the shapes of %s left out", in.name, count.Of(n.shapeless, "row"))
	}
	f := &folder{name: in.name, sizes: map[string]int64{}, declared: map[string]*tableSchema{}, undirected: n.both}
	texts := map[string][]byte{}
	for _, name := range n.names {
		file := strings.ReplaceAll(name, "/", "-") + ".jsonl"
		texts[file] = linesOf(n.tables[name])
		f.sizes[file], f.declared[file] = 0, n.schemas[name]
	}
	f.open = func(name string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(texts[name])), nil }
	return f, nil, nil
}

// rewritten tells of one table that is not the text as it stands.
func (n *nested) rewritten(table string) bool {
	return len(n.names) == 1 && (n.names[0] != table || n.schemas[table] != nil || n.isRewritten)
}

// read parses the text, objects in lines or one value.
func (n *nested) read(name string, data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var values []any
	for {
		value, err := jsonValue(decoder, 0)
		if err == io.EOF && len(values) > 0 {
			break
		}
		if kg.KindOf(err) == kg.Invalid && err != nil {
			return kg.Errorf(kg.Invalid, name, "%v", err)
		}
		if err != nil {
			return kg.Errorf(kg.Invalid, name, "%s", jsonProblem(err))
		}
		values = append(values, value)
	}
	table := tableOf(name)
	if len(values) > 1 {
		n.add(table, values, nil)
		return nil
	}
	switch value := values[0].(type) {
	case []any:
		n.add(table, value, nil)
	case jsonObject:
		n.top(table, value)
	}
	return nil
}

// top takes one object for what it holds: lists of objects, a table each, or rows by their keys.
func (n *nested) top(table string, o jsonObject) {
	if n.isMap(table, o) {
		return
	}
	objects := 0
	for _, m := range o {
		if _, ok := m.value.(jsonObject); ok {
			objects++
		}
		if text, ok := m.value.(json.RawMessage); ok && m.name == "directed" && string(text) == "false" {
			n.both = true
		}
	}
	if objects == len(o) && objects > 1 {
		var rows []any
		for _, m := range o {
			key, _ := json.Marshal(m.name)
			rows = append(rows, append(jsonObject{{"id", json.RawMessage(key)}}, m.value.(jsonObject)...))
		}
		n.schemas[table] = &tableSchema{key: []string{"id"}}
		n.add(table, rows, nil)
		return
	}
	for _, m := range o {
		if list, ok := m.value.([]any); ok && hasObjects(list) {
			n.add(strings.ToLower(m.name), list, nil)
		}
	}
	n.network()
	if len(n.names) == 0 {
		n.add(table, []any{o}, nil)
	}
}

// network tells nodes and links, as NetworkX and D3 have them: links refer to nodes by their ids, else by their numbers.
func (n *nested) network() {
	nodes := n.tables["nodes"]
	for _, links := range []string{"links", "edges"} {
		if len(nodes) == 0 || len(n.tables[links]) == 0 {
			continue
		}
		if !slices.ContainsFunc(nodes[0], func(m jsonMember) bool { return m.name == "id" }) {
			for i := range nodes {
				nodes[i] = append(jsonObject{{"id", json.RawMessage(strconv.Itoa(i))}}, nodes[i]...)
			}
		}
		n.schemas["nodes"] = &tableSchema{key: []string{"id"}}
		n.schemas[links] = &tableSchema{references: map[string]string{"source": "nodes", "target": "nodes"}}
	}
}

func hasObjects(list []any) bool {
	return slices.ContainsFunc(list, func(value any) bool { _, ok := value.(jsonObject); return ok })
}

// add takes a list of objects as the rows of a table; parent is the member that each refers to its own by.
func (n *nested) add(table string, list []any, parent []jsonMember) {
	if n.tables[table] == nil {
		n.names = append(n.names, table)
	}
	key := n.keyOf(table, list)
	for i, value := range list {
		o, ok := value.(jsonObject)
		if !ok {
			n.skipped++
			continue
		}
		row := jsonObject{}
		if parent != nil {
			row = append(row, parent[i])
		}
		if key == numbered {
			row = append(jsonObject{{"id", json.RawMessage(strconv.Itoa(len(n.tables[table]) + 1))}}, row...)
		}
		rest, children := parted(o)
		row = append(row, rest...)
		n.tables[table] = append(n.tables[table], row)
		n.children(table, key, row, children)
	}
}

const numbered = "\x00number"

// children puts the lists of objects of a row into tables of their own.
func (n *nested) children(table, key string, row jsonObject, children []jsonMember) {
	for _, child := range children {
		at := slices.IndexFunc(row, func(m jsonMember) bool { return m.name == key || key == numbered && m.name == "id" })
		if at < 0 {
			n.skipped++
			continue
		}
		list, name, up := child.value.([]any), table+"-"+child.name, singular(table)
		if slices.ContainsFunc(list, func(v any) bool { o, ok := v.(jsonObject); return ok && has(o, up) }) {
			up += "_id"
		}
		var parents []jsonMember
		for range list {
			parents = append(parents, jsonMember{up, row[at].value})
		}
		n.schemas[name] = &tableSchema{references: map[string]string{up: table}}
		n.add(name, list, parents)
	}
}

func has(o jsonObject, name string) bool {
	return slices.ContainsFunc(o, func(m jsonMember) bool { return m.name == name })
}

// parted parts an object's members from its lists of objects.
func parted(o jsonObject) (rest jsonObject, children []jsonMember) {
	for _, m := range o {
		if list, ok := m.value.([]any); ok && hasObjects(list) {
			children = append(children, m)
		} else {
			rest = append(rest, m)
		}
	}
	return rest, children
}

// keyOf is the member by which rows of other tables refer to those of this one: one that all have, each another; "" where
// nothing does, numbered where nothing tells them apart.
func (n *nested) keyOf(table string, list []any) string {
	refers := false
	for _, value := range list {
		if o, ok := value.(jsonObject); ok {
			_, children := parted(o)
			refers = refers || len(children) > 0
		}
	}
	if !refers {
		return ""
	}
	if n.schemas[table] == nil {
		n.schemas[table] = &tableSchema{}
	}
	for _, word := range slices.Concat([]string{"id", "_id", "key", "code", "slug", "uuid", "identifier"}, nameWords) {
		if name := uniqueMember(list, word); name != "" {
			n.schemas[table].key = []string{name}
			return name
		}
	}
	n.schemas[table].key = []string{"id"}
	return numbered
}

// uniqueMember is the member of that word if all objects have it, each another.
func uniqueMember(list []any, word string) (name string) {
	seen := map[string]bool{}
	for _, value := range list {
		o, _ := value.(jsonObject)
		at := slices.IndexFunc(o, func(m jsonMember) bool { return bareWord(m.name) == bareWord(word) })
		if at < 0 {
			return ""
		}
		text, plain := o[at].value.(json.RawMessage)
		if !plain || string(text) == "null" || seen[string(text)] {
			return ""
		}
		seen[string(text)], name = true, o[at].name
	}
	return name
}

// linesOf writes objects, a line each.
func linesOf(rows []jsonObject) []byte {
	var b bytes.Buffer
	for _, row := range rows {
		writeJSON(&b, row)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func writeJSON(b *bytes.Buffer, value any) {
	switch v := value.(type) {
	case jsonObject:
		for i, m := range v {
			name, _ := json.Marshal(m.name)
			fmt.Fprintf(b, "%c%s:", "{,"[min(i, 1)], name)
			writeJSON(b, m.value)
		}
		if len(v) == 0 {
			b.WriteByte('{')
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, each := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, each)
		}
		b.WriteByte(']')
	case json.RawMessage:
		b.Write(v)
	}
}

// jsonValue reads the next value, io.EOF where there is none.
func jsonValue(decoder *json.Decoder, depth int) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	delimiter, nests := token.(json.Delim)
	if !nests {
		text, err := json.Marshal(token)
		return json.RawMessage(text), err
	}
	if depth > maxNesting {
		return nil, kg.Errorf(kg.Invalid, "", "objects nest deeper than %d", maxNesting)
	}
	var list []any
	object := jsonObject{}
	for decoder.More() {
		name := ""
		if delimiter == '{' {
			token, err := decoder.Token()
			if err != nil {
				return nil, early(err)
			}
			name, _ = token.(string)
		}
		value, err := jsonValue(decoder, depth+1)
		if err != nil {
			return nil, early(err)
		}
		list, object = append(list, value), append(object, jsonMember{name, value})
	}
	if _, err := decoder.Token(); err != nil {
		return nil, early(err)
	}
	if delimiter == '{' {
		return object, nil
	}
	return list, nil
}

// early makes an end within a value another than that behind the last.
func early(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
