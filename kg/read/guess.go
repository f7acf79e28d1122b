package read

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
)

// draft is the plan of a table on its way, with what it is made of.
type draft struct {
	TablePlan
	*survey
	key    int   // the only column of the subject; absent where there are several or none
	keys   []int // those of a subject of several, in its order
	stated bool  // the user said what a row is

	declared *tableSchema // by a database
	order    columns      // of triples
	doubtful bool         // the first row was taken for a fact and looks like a header
}

// guessEntities works out what the columns of a table become whose rows are entities.
func (l *loader) guessEntities(t *TablePlan, s *survey, stated []int) *draft {
	d := &draft{TablePlan: *t, survey: s, key: absent, stated: stated != nil}
	d.Rows, d.Per, d.Seen, d.Sample = RowsEntities, PerRow, len(s.rows), !s.whole
	for i := range s.names {
		d.Columns = append(d.Columns, l.guessColumn(s, i))
	}
	if stated != nil {
		d.Per = PerKey
	}
	d.name(stated)
	d.label()
	if len(s.names) > 0 && isRowNumberColumn(s) && d.key != 0 {
		d.Columns[0].Role = RoleIgnore
	}
	return d
}

// guessColumn tells what the cells of a column are.
func (l *loader) guessColumn(s *survey, at int) ColumnPlan {
	stats := &s.stats[at]
	name := strings.TrimSpace(s.names[at])
	c := ColumnPlan{Name: s.names[at], Role: RoleReference, Property: name, Filled: stats.filled, Different: stats.different(), Keep: stats.keep}
	if name == "" {
		c.Role = RoleIgnore
		return c
	}
	c.Separator = l.opts.Separator
	switch {
	case stats.lists:
		c.Separator = listSeparator
	case c.Separator == "" && !stats.isProse():
		c.Separator = s.separatorOf(at)
	}
	if c.Separator != "" {
		stats = s.splitStats(at, c.Separator)
	}
	cells := s.cells(stats)
	c.Comma = commaColumn(cells, 0)
	form, dates := dateForm(stats)
	switch kind := stats.valueType(); {
	case c.Comma:
		c.Role, c.Type = RoleValue, "decimal"
	case kind == "" && form != "":
		c.Role, c.Type, c.Format = RoleValue, dates, form
	case kind != "":
		c.Role, c.Type = RoleValue, kind
		if others := stats.different() - typedCells(stats); others > 0 {
			c.Doubt = fmt.Sprintf("%s no %s, kept as text", count.Of(others, "different value")+" "+count.Either(others, "is", "are"), kind)
		}
	case stats.isProse():
		c.Role, c.Type = RoleValue, "string"
	}
	c.keys = withoutID(name) != name && c.Type == "integer"
	c.unread = c.Role == RoleReference && unreadColumn(cells, 0)
	return c
}

func typedCells(s *columnStats) (n int) {
	for _, each := range s.typed {
		n += each
	}
	return n
}

// cells are the values of a column, a row each.
func (s *survey) cells(stats *columnStats) [][]string {
	cells := make([][]string, 0, len(stats.values))
	for value := range stats.values {
		cells = append(cells, []string{value})
	}
	return cells
}

// splitStats are those of the single values of a column of lists.
func (s *survey) splitStats(at int, separator string) *columnStats {
	var rows [][]string
	for value := range s.stats[at].values {
		for part := range strings.SplitSeq(value, separator) {
			rows = append(rows, []string{strings.TrimSpace(part)})
		}
	}
	return &newSurvey([]string{""}, rows, s.null, nil).stats[0]
}

// isRowNumberColumn tells the column without name that pandas and R put before a table.
func isRowNumberColumn(s *survey) bool {
	return strings.TrimSpace(s.names[0]) == "" && s.unique(0) && s.stats[0].allDigits()
}

// name finds what the entity of a row is called: one column, several, or the number of the row.
func (d *draft) name(stated []int) {
	key := stated
	if key == nil {
		key = d.guessKey()
	}
	switch {
	case len(key) == 0:
		d.Subject = d.Table + "/{" + rowWord + "}"
		d.Found = d.notUnique()
	case len(key) == 1:
		d.nameByOne(key[0])
	default:
		d.Subject, d.keys = d.subjectOf(key), key
		d.Found = d.notUnique()
	}
}

// nameByOne names rows by one column: as it stands if it holds names, behind the name of the table if ids, as 1 is another entity in each.
func (d *draft) nameByOne(at int) {
	d.key = at
	c := &d.Columns[at]
	d.Subject = "{" + c.Name + "}"
	if c.Role == RoleValue || c.unread || d.stats[at].allDigits() {
		d.Subject = d.Table + "/" + d.Subject
	}
	if kind := d.kindOf(at); kind == "" && !c.unread || kind == "integer" || d.stated {
		c.Role, c.Type, c.Format, c.Separator, c.Doubt, c.keys, c.unread = RoleIgnore, "", "", "", "", false, false
	}
	if !d.unique(at) && d.Per == PerKey {
		d.Found = fmt.Sprintf("%s different in %s", count.Number(d.stats[at].different()), c.Name)
	}
}

// notUnique says how far the columns are from telling rows apart.
func (d *draft) notUnique() string {
	order := make([]int, len(d.names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.stats[b].different(), d.stats[a].different()) })
	var most []string
	none := "no unique column"
	for _, at := range order {
		if d.unique(at) {
			none = "no column that names rows"
		}
		if len(most) < 2 && d.Columns[at].Role != RoleIgnore && d.Columns[at].Type != "string" {
			most = append(most, fmt.Sprintf("%s %s different", d.names[at], count.Number(d.stats[at].different())))
		}
	}
	if len(most) == 0 {
		return none
	}
	return none + " (" + strings.Join(most, ", ") + ")"
}

// guessKey chooses the columns that tell rows apart, nil where none do.
func (d *draft) guessKey() []int {
	s := d.survey
	words := bareWords(s.names)
	start := 0
	if len(s.names) > 1 && isRowNumberColumn(s) {
		start = 1
	}
	table := bareWord(d.Table)
	for _, word := range []string{"id", singular(table) + "id", table + "id", "identifier", "uuid", "guid", "key", "code", singular(table) + "code", "uri", "iri", singular(table)} {
		if at := slices.Index(words, word); at >= 0 && s.unique(at) && len(word) > 1 && (at == 0 || len(words) > 2 && word != "code" && word != "key") {
			return []int{at}
		}
	}
	if at := d.firstUnique(start, words); at != absent {
		return []int{at}
	}
	if first, last := columnOf(words, firstNames), columnOf(words, lastNames); first != absent && last != absent && s.tellsApart(first, last) {
		return []int{first, last}
	}
	return d.together()
}

var (
	firstNames = []string{"firstname", "givenname", "forename", "first", "vorname", "prenom"}
	lastNames  = []string{"lastname", "surname", "familyname", "last", "nachname", "nom"}
)

// kindOf is the type of a column of values, also of dates that are written otherwise than ISO 8601 has them.
func (d *draft) kindOf(at int) string {
	if d.Columns[at].Format != "" {
		return "date"
	}
	return d.stats[at].valueType()
}

// firstUnique chooses among the columns that tell rows apart by themselves: names before ids, ids before dates.
func (d *draft) firstUnique(start int, words []string) int {
	best, bestRank := absent, 0
	first, last := columnOf(words, firstNames), columnOf(words, lastNames)
	for i := start; i < len(words); i++ {
		if !d.unique(i) || words[i] == "" || i > start && len(words) == 2 && !d.namesValues(i) {
			continue
		}
		rank := 0
		c, stats := &d.Columns[i], &d.stats[i]
		switch kind := d.kindOf(i); {
		case c.Separator != "" || stats.isProse():
		case i == first && last != absent || i == last && first != absent: // by chance: it is half of a name
		case c.unread:
			rank = 1
		case stats.allDigits() && (strings.HasSuffix(words[i], "id") || words[i] == "column1"):
			rank = 6
		case kind == "" && slices.Contains(nameWords, words[i]):
			rank = 5
		case kind == "" && !stats.allDigits():
			rank = 4
		case stats.allDigits() && i == start:
			rank = 3
		case kind == "date" || kind == "dateTime":
			rank = 2
		}
		if rank > bestRank {
			best, bestRank = i, rank
		}
	}
	return best
}

// namesValues tells of the second of two columns that names what the first has a value of: group 1, person Ann.
func (d *draft) namesValues(at int) bool {
	return d.Columns[0].Role == RoleValue && d.Columns[at].Role == RoleReference && !d.stats[at].allDigits()
}

// together finds two or three columns that tell rows apart together: ids, names, dates and what repeats, no measurements.
func (d *draft) together() []int {
	var columns []int
	for i := range d.names {
		c, stats := &d.Columns[i], &d.stats[i]
		if c.Role != RoleIgnore && stats.filled == len(d.rows) && c.Separator == "" && c.Type != "decimal" && c.Type != "double" && !stats.isProse() {
			columns = append(columns, i)
		}
	}
	rank := func(at int) int {
		word := bareWord(d.names[at])
		switch {
		case strings.HasSuffix(word, "id") && d.stats[at].different() > 1:
			return 0
		case slices.Contains(nameWords, word):
			return 1
		case slices.Contains(timeWords, word) || d.Columns[at].Type == "date" || d.Columns[at].Type == "dateTime":
			return 2
		case d.Columns[at].Role == RoleReference:
			return 3
		}
		return measured
	}
	slices.SortStableFunc(columns, func(a, b int) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(d.stats[b].different(), d.stats[a].different()))
	})
	columns = columns[:min(8, len(columns))]
	if key := d.pair(columns, rank); key != nil {
		return key
	}
	return d.triple(columns[:min(6, len(columns))], rank)
}

// measured is the rank of columns whose cells tell rows apart by chance only.
const measured = 4

func (d *draft) pair(columns []int, rank func(int) int) []int {
	for j := range columns {
		for i := range j {
			a, b := columns[i], columns[j]
			if rank(a) < measured && rank(b) < measured && d.stats[a].different()*d.stats[b].different() >= len(d.rows) && d.tellsApart(a, b) {
				return []int{min(a, b), max(a, b)}
			}
		}
	}
	return nil
}

func (d *draft) triple(columns []int, rank func(int) int) []int {
	for k := range columns {
		for j := range k {
			for i := range j {
				key := []int{columns[i], columns[j], columns[k]}
				// A third column is chance unless all are such as keys are made of.
				if rank(key[0]) < measured && rank(key[1]) < measured && rank(key[2]) < measured && d.tellsApart(key...) {
					slices.Sort(key)
					return key
				}
			}
		}
	}
	return nil
}

var (
	// nameWords are what columns of names are called.
	nameWords = []string{
		"name", "fullname", "label", "title", "displayname", "longname", "commonname", "nom", "nombre", "nome", "titel", "titre", "titulo", "bezeichnung",
		"名称", "姓名", "名字", "标题", "名前", "氏名", "タイトル", "이름", "имя", "название",
	}
	timeWords = []string{"year", "date", "time", "timestamp", "month", "day", "season", "week", "quarter", "jahr", "datum", "annee", "fecha", "年份", "日期"}
)

// label finds the readable name of rows: what a column of names says, else first and last name.
func (d *draft) label() {
	if d.key != absent && d.Subject == "{"+d.names[d.key]+"}" && !isCode(bareWord(d.names[d.key])) {
		return
	}
	at := d.labelColumn()
	if at == absent {
		d.labelByTwo()
		return
	}
	d.Label = "{" + d.names[at] + "}"
	switch {
	case d.unique(at) || d.key != absent && d.stats[at].different()*10 >= d.stats[at].filled*8:
		d.Columns[at].Role, d.Columns[at].Type, d.Columns[at].Separator = RoleIgnore, "", ""
	default: // a name that is not the row's alone: the rest of the key tells which
		for i, name := range d.names {
			if i != at && d.namedBy(name) && d.key == absent && bareWord(name) != "id" && !strings.HasSuffix(bareWord(name), "id") {
				d.Label += ", {" + name + "}"
			}
		}
	}
}

// isCode tells of a column that is called as codes are, which name nothing to people.
func isCode(word string) bool {
	return slices.ContainsFunc([]string{"id", "code", "key", "number", "abbreviation", "symbol", "slug", "identifier", "ticker", "uri", "iri", "url", "iata", "icao"},
		func(end string) bool { return strings.HasSuffix(word, end) })
}

// labelColumn chooses a column of names: text, short, and nearly all different.
func (d *draft) labelColumn() int {
	words := bareWords(d.names)
	for i := range words {
		if name, _, typed := strings.Cut(d.names[i], ":"); typed {
			words[i] = bareWord(name)
		}
	}
	one := singular(bareWord(d.Table))
	for _, word := range slices.Concat(nameWords, []string{one + "name", one + "title", one, "companyname", "identifier", one + "label", one + "description"}) {
		if at := slices.Index(words, word); at >= 0 && d.mayLabel(at) {
			return at
		}
	}
	return slices.IndexFunc(words, func(word string) bool {
		return strings.HasSuffix(word, "name") && !slices.Contains(partialNames, word) && d.mayLabel(slices.Index(words, word))
	})
}

var partialNames = []string{"firstname", "lastname", "surname", "givenname", "familyname", "middlename", "nickname", "contactname", "filename"}

// mayLabel tells of a column whose cells name rows: a job title is no name, as many have the same.
func (d *draft) mayLabel(at int) bool {
	stats, enough := &d.stats[at], 8
	if bareWord(d.names[at]) == "name" { // which says itself what it is
		enough = 5
	}
	return at != d.key && !stats.lists && stats.filled*2 > len(d.rows) && !stats.isProse() && stats.valueType() == "" &&
		stats.different()*10 >= stats.filled*enough
}

// labelByTwo calls people by their first and last names.
func (d *draft) labelByTwo() {
	words := bareWords(d.names)
	first, last := columnOf(words, firstNames), columnOf(words, lastNames)
	if first != absent && last != absent && d.stats[last].filled*2 > len(d.rows) {
		d.Label = "{" + d.names[first] + "} {" + d.names[last] + "}"
	}
}

// tableOf is what a table is called by its file: "films" of "data/Films.csv.gz", "order-details" of "order-details.csv".
func tableOf(name string) string {
	stem, _, _ := strings.Cut(path.Base(strings.ReplaceAll(name, "\\", "/")), ".")
	return strings.ToLower(strings.ReplaceAll(strings.TrimSpace(stem), " ", "-"))
}
