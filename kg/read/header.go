package read

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What the columns of triples are commonly called: by people, benchmarks, NetworkX
// and Gephi (source, target), Neo4j (:START_ID, :END_ID, :TYPE), KGTK (node1, label,
// node2), PrimeKG (x_name, y_name). Words are compared as bareWord gives them; where
// several columns have one, the earlier word in the list wins.
var (
	headWords = []string{
		"head", "h", "subject", "subj", "s", "startid", "start", "source", "src", "from", "headid", "subjectid", "sourceid", "fromid",
		"entity1", "entityone", "node1", "e1", "headentity", "sourcenode", "fromnode", "startnode", "sourcename", "subjectname", "headname", "xname",
		"头实体", "头节点", "主语", "主体", "起点", "实体1", "实体一", "主语实体", "sujet", "sujeto", "subjekt", "主語",
	}
	tailWords = []string{
		"tail", "t", "object", "obj", "o", "endid", "end", "target", "tgt", "dst", "dest", "destination", "to", "tailid", "objectid", "targetid", "toid",
		"entity2", "entitytwo", "node2", "e2", "tailentity", "targetnode", "tonode", "endnode", "targetname", "objectname", "tailname", "yname",
		"尾实体", "尾节点", "宾语", "客体", "终点", "实体2", "实体二", "属性值", "objet", "objeto", "objekt", "目的語", "value",
	}
	// relationWords say by themselves that a table is one of triples.
	relationWords = []string{
		"relation", "rel", "predicate", "pred", "relationship", "relationid", "relationtype", "relationname", "relationshiptype",
		"edgetype", "linktype", "predicateid", "edgelabel", "关系", "谓语", "谓词", "关系类型", "关系名称", "prédicat", "predicado", "prädikat", "beziehung", "relación", "述語",
	}
	// perhapsRelation are relations beside a head and a tail; elsewhere they are columns like any other.
	perhapsRelation = []string{"label", "type", "r", "p", "property", "attribute", "interaction", "edge", "kind", "link", "verb", "role", "key"}
	weightWords     = []string{
		"weight", "w", "score", "confidence", "conf", "probability", "prob", "count", "freq", "frequency", "strength", "similarity", "support",
	}
	// edgeWords are columns that edges have beside their ends.
	edgeWords = []string{"", "id", "edgeid", "label", "type", "kind", "graph", "context", "provenance", "evidence", "directed", "timeset", "rank", "since"}
	// keyWords name the column that says what a row is about.
	keyWords = slices.Concat([]string{"id", "key", "identifier", "uri", "iri", "entity", "item", "node", "code", "编号", "代码", "序号"}, nameWords)
)

// bareWord is a header's cell without what differs from writer to writer: case,
// underscores, Neo4j's colon and id space, as in ":START_ID(Person)".
func bareWord(cell string) string {
	cell, _, _ = strings.Cut(cell, "(")
	return strings.Map(func(char rune) rune {
		switch char {
		case '_', '-', ' ', ':', '.', '#', '~', '\'', '"':
			return -1
		}
		return char
	}, strings.ToLower(cell))
}

func bareWords(cells []string) []string {
	words := make([]string, len(cells))
	for i, cell := range cells {
		words[i] = bareWord(cell)
	}
	return words
}

// columnOf gives the column that is called by one of the words, absent if none is.
func columnOf(header, words []string) int {
	for _, word := range words {
		if at := slices.Index(header, word); at >= 0 {
			return at
		}
	}
	return absent
}

// absent stands for a column that a table does not have.
const absent = -1

// triplesHeader tells whether the first row names the columns of triples, and which
// they are. None of its cells may come up again below: a small graph may well have an
// entity called "s".
func triplesHeader(rows [][]string) (order columns, found bool) {
	if len(rows) == 1 {
		return unmistakable(rows[0])
	}
	if len(rows) == 0 {
		return order, false
	}
	header := bareWords(rows[0])
	order = columns{columnOf(header, headWords), columnOf(header, relationWords), columnOf(header, tailWords), len(header)}
	order.pair(header)
	if recurring := recurring(rows); recurring > 0 && !(recurring == 1 && order.isSpelledOut(header)) {
		return order, false
	}
	switch {
	case order.relation != absent:
		order.fill(header)
		return order, order.head != absent && order.tail != absent
	case order.head != absent && order.tail != absent:
		order.relation = columnOf(header, perhapsRelation)
		if order.relation == absent {
			order.relation = unnamedRelation(rows, order)
		}
		return order, !order.beside(header) && !order.amongOthers(rows[0])
	case order.tail != absent && order.tail == slices.Index(header, "value"): // Employee, Attribute, Value
		order.relation = columnOf(header, []string{"property", "attribute"})
		order.fill(header)
		return order, order.relation != absent && order.head != absent
	}
	return order, false
}

// endWords are those that belong together.
var endWords = [][2]string{{"source", "target"}, {"src", "dst"}, {"from", "to"}, {"subject", "object"}, {"head", "tail"}, {"start", "end"}}

// pair takes head and tail that are named together: in src, dst, type, source the last says where a row is from.
func (c *columns) pair(header []string) {
	if c.head == absent || c.tail == absent || slices.Contains(endWords, [2]string{header[c.head], header[c.tail]}) {
		return
	}
	for _, words := range endWords {
		if head, tail := slices.Index(header, words[0]), slices.Index(header, words[1]); head != absent && tail != absent {
			c.head, c.tail = head, tail
			return
		}
	}
}

// unmistakable tells of a row by itself, as in a table that has no other, whether it names the columns of triples: by whole words for all three.
func unmistakable(row []string) (order columns, found bool) {
	header := bareWords(row)
	order = columns{columnOf(header, headWords), columnOf(header, relationWords), columnOf(header, tailWords), len(header)}
	found = min(order.head, order.relation, order.tail) != absent
	return order, found && len(header[order.head]) > 3 && len(header[order.relation]) > 3 && len(header[order.tail]) > 3
}

// isLoneHeader tells of a row by itself that may well name columns, as nothing in it is capital or a number.
func isLoneHeader(rows [][]string) bool {
	return len(rows) == 1 && !slices.ContainsFunc(rows[0], func(cell string) bool {
		return len(cell) < 2 || strings.ContainsFunc(cell, func(char rune) bool { return !unicode.IsLower(char) && char != '_' && char != ' ' })
	})
}

// beside tells of a wide table that has a start and an end among its columns: its first column says what a row is about.
func (c *columns) beside(header []string) bool {
	return c.count > 3 && min(c.head, c.tail) > 0 && c.relation != 0 && header[0] != "" && header[0] != "id" && header[0] != "edgeid" && !slices.Contains(weightWords, header[0])
}

// fill finds head and tail by what is left of three columns, the relation and one of
// them perhaps named and weights left aside: Employee, Relation, Value.
func (c *columns) fill(header []string) {
	var rest []int
	for i, word := range header {
		if i != c.head && i != c.relation && i != c.tail && !slices.Contains(weightWords, word) {
			rest = append(rest, i)
		}
	}
	switch missing := min(c.head, c.tail); {
	case missing != absent:
	case c.head == absent && c.tail == absent && len(rest) == 2:
		c.head, c.tail = rest[0], rest[1]
	case c.head == absent && c.tail != absent && len(rest) == 1:
		c.head = rest[0]
	case c.tail == absent && c.head != absent && len(rest) == 1:
		c.tail = rest[0]
	}
}

// unnamedRelation looks for the relation of a list of edges: the third of three columns, unless it holds weights.
func unnamedRelation(rows [][]string, order columns) int {
	if order.count != 3 {
		return absent
	}
	third := 3 - order.head - order.tail
	if slices.Contains(weightWords, bareWord(rows[0][third])) || typedColumn(rows[1:], third) {
		return absent
	}
	return third
}

// isSpelledOut tells of a header whose words for head, relation and tail are long enough to be no names: node1, label,
// node2. One of them may then come up below, as the relation called label does in files of KGTK.
func (c *columns) isSpelledOut(header []string) bool {
	relation := c.relation
	if relation == absent {
		relation = columnOf(header, perhapsRelation)
	}
	return min(c.head, relation, c.tail) != absent && utf8.RuneCountInString(header[c.head]) > 3 && len(header[relation]) > 3 && len(header[c.tail]) > 3
}

// amongOthers tells of a wide table that has a source and a type among its columns: edges have few columns besides, and
// these are called as weights, times and the like are.
func (c *columns) amongOthers(cells []string) bool {
	if slices.ContainsFunc(cells, func(cell string) bool { return strings.HasPrefix(cell, ":") }) { // of Neo4j
		return false
	}
	others := 0
	for i, cell := range cells {
		word := bareWord(cell)
		if i != c.head && i != c.relation && i != c.tail && !slices.Contains(weightWords, word) && !slices.Contains(edgeWords, word) && !slices.Contains(timeWords, word) {
			others++
		}
	}
	return others > 1
}

// recurs tells whether a field of the first row comes up again in its column.
func recurs(rows [][]string) bool { return recurring(rows) > 0 }

// recurring counts the columns in which the field of the first row comes up again.
func recurring(rows [][]string) int {
	again := map[int]bool{}
	for _, row := range rows[1:] {
		for i, field := range row {
			if i < len(rows[0]) && field == rows[0][i] && field != "" {
				again[i] = true
			}
		}
	}
	return len(again)
}

// looksLikeHeader tells whether a row read as a fact has a word that columns are called by.
func looksLikeHeader(rows [][]string) bool {
	if len(rows) < 2 || recurs(rows) {
		return false
	}
	return slices.ContainsFunc(bareWords(rows[0]), func(word string) bool {
		return len(word) > 2 && slices.ContainsFunc([][]string{headWords, tailWords, relationWords, perhapsRelation, keyWords},
			func(words []string) bool { return slices.Contains(words, word) })
	})
}
