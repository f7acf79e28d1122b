package eval

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// Comparison is one or several reports laid out as the paper's tables: a column
// for each type, avg_p and avg_n first.
type Comparison struct{ reports []*Report }

// Table compares reports: models, or one with and without known facts. A single one is fine.
func Table(reports ...*Report) Comparison { return Comparison{reports} }

// JSON is the report itself if there is one, and a list of them otherwise.
func (c Comparison) JSON() ([]byte, error) {
	if len(c.reports) == 1 {
		return c.reports[0].JSON()
	}
	return json.MarshalIndent(c.reports, "", "  ")
}

// The columns before those of the types.
const columnP, columnN = "avg_p", "avg_n"

// section is one figure: a row where there is a single report, else a table with a row for each.
type section struct {
	title string
	cell  func(r *Report, column string) string
	// ofQueries marks what the queries decide alone, whatever answers them: said once for each set of them.
	ofQueries bool
}

// grid is a table ready to be written.
type grid struct {
	title   string
	columns []string
	rows    []gridRow
}

type gridRow struct {
	label string
	cells []string
}

// grids gives the tables over the columns of the benchmark, then those of the types beyond it.
func (c Comparison) grids() []grid {
	benchmark := append([]string{columnP, columnN}, query.Shapes...)
	all := c.gridsOf(benchmark)
	if others := c.otherShapes(); len(others) > 0 {
		all = append(all, c.gridsOf(others)...)
	}
	return all
}

func (c Comparison) gridsOf(columns []string) []grid {
	if len(c.reports) == 1 {
		all := []grid{c.single("%", columns, figures())}
		if links := c.linkSections(); len(links) > 0 {
			all = append(all, c.single("% by missing links", columns, links))
		}
		return all
	}
	var all []grid
	for _, s := range slices.Concat(figures(), c.linkSections()) {
		all = append(all, c.several(columns, s))
	}
	return all
}

// several has a row for each report.
func (c Comparison) several(columns []string, s section) grid {
	g := grid{title: s.title, columns: columns}
	for _, r := range c.reports {
		if !s.ofQueries {
			g.rows = append(g.rows, newRow(c.label(r), r, s, columns))
			continue
		}
		row := newRow(r.Dataset+" "+r.Split.String(), r, s, columns)
		if !slices.ContainsFunc(g.rows, row.equal) {
			g.rows = append(g.rows, row)
		}
	}
	return g
}

func (r gridRow) equal(o gridRow) bool { return r.label == o.label && slices.Equal(r.cells, o.cells) }

// single has a row for each figure of the only report.
func (c Comparison) single(title string, columns []string, sections []section) grid {
	g := grid{title: title, columns: columns}
	for _, s := range sections {
		g.rows = append(g.rows, newRow(s.title, c.reports[0], s, columns))
	}
	return g
}

func newRow(label string, r *Report, s section, columns []string) gridRow {
	row := gridRow{label: label}
	for _, column := range columns {
		row.cells = append(row.cells, s.cell(r, column))
	}
	return row
}

// label tells a report from the others: by what differs.
func (c Comparison) label(r *Report) string {
	label := strings.TrimSuffix(filepath.Base(r.Model), ".safetensors")
	switch {
	case r.Method.By == "links":
		label += " by links" // what is known is always kept there
	case r.Method.KeepKnown:
		label += " + known"
	}
	if r.Method.By == "sets" && c.differ(func(r *Report) string { return r.Method.By }) {
		label += " by sets"
	}
	if c.differ(func(r *Report) string { return r.Split.String() }) {
		label = r.Split.String() + " " + label
	}
	if c.differ(func(r *Report) string { return r.Dataset }) {
		label = r.Dataset + " " + label
	}
	return label
}

func (c Comparison) differ(what func(*Report) string) bool {
	return slices.ContainsFunc(c.reports, func(r *Report) bool { return what(r) != what(c.reports[0]) })
}

func (c Comparison) otherShapes() []string {
	others := map[string]bool{}
	for _, r := range c.reports {
		for shape := range r.Types {
			if !slices.Contains(query.Shapes, shape) {
				others[shape] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(others))
}

// figures are those of the paper's tables, the bounds and the numbers of queries.
func figures() []section {
	return []section{
		figure("MRR", func(m Metrics) string { return percent(m.MRR) }),
		figure("H@1", func(m Metrics) string { return percent(m.Hits1) }),
		figure("H@3", func(m Metrics) string { return percent(m.Hits3) }),
		figure("H@10", func(m Metrics) string { return percent(m.Hits10) }),
		figure("MAPE", func(m Metrics) string { return percent(m.MAPE) }),
		figure("Spearman (not %)", func(m Metrics) string {
			if m.Spearman == nil {
				return absent
			}
			return correlation(*m.Spearman)
		}),
		figure("MRR, ties at best", func(m Metrics) string { return percent(m.Optimistic.MRR) }),
		figure("MRR, ties at worst", func(m Metrics) string { return percent(m.Pessimistic.MRR) }),
		{"queries", cellOf(func(m Metrics) string { return short(m.Queries) }, ""), true},
	}
}

func figure(title string, text func(Metrics) string) section {
	return section{title: title, cell: cellOf(text, "*")}
}

// cellOf gives the text of a type's or an average's metrics. The mark warns that an
// average is not over all its types, and so is not the paper's figure.
func cellOf(text func(Metrics) string, mark string) func(r *Report, column string) string {
	return func(r *Report, column string) string {
		average := map[string]*Average{columnP: r.AvgP, columnN: r.AvgN}
		if a, isAverage := average[column]; isAverage {
			if a == nil {
				return absent
			}
			figure := text(a.Metrics)
			if a.complete(column) || figure == absent {
				return figure
			}
			return figure + mark
		}
		m, ok := r.Types[column]
		if !ok {
			return absent
		}
		return text(m)
	}
}

func (a *Average) complete(column string) bool {
	if column == columnN {
		return len(a.Types) == len(negatedShapes())
	}
	return len(a.Types) == len(positiveShapes())
}

// linkSections are two for each number of missing links: how many answers have it and how they rank.
func (c Comparison) linkSections() []section {
	keys := map[string]bool{}
	for _, r := range c.reports {
		for key := range r.ByMissingLinks {
			keys[key] = true
		}
	}
	var sections []section
	for _, key := range sortedLinks(keys) {
		cell := linkCell(key, func(in Ranking, _ int) string { return percent(in.MRR) })
		sections = append(sections, section{title: key + " missing: MRR", cell: cell})
	}
	for _, key := range sortedLinks(keys) {
		cell := linkCell(key, func(in Ranking, all int) string { return percent(float64(in.Answers) / float64(all)) })
		sections = append(sections, section{key + " missing: answers", cell, true})
	}
	return sections
}

// linkCell gives the text of a column's answers with the given missing links, out of all its answers.
func linkCell(key string, text func(in Ranking, all int) string) func(r *Report, column string) string {
	return func(r *Report, column string) string {
		stratum := r.ByMissingLinks[key]
		in, all := stratum.Types[column], r.Types[column].Answers
		switch {
		case column == columnP && stratum.AvgP != nil:
			in, all = *stratum.AvgP, r.AvgP.Answers
		case column == columnN && stratum.AvgN != nil:
			in, all = *stratum.AvgN, r.AvgN.Answers
		}
		if in.Answers == 0 {
			return absent
		}
		return text(in, all)
	}
}

// sortedLinks orders keys as numbers, underivedKey last.
func sortedLinks(keys map[string]bool) []string {
	number := func(key string) int {
		n, err := strconv.Atoi(key)
		if err != nil {
			return symbolic.MostMissing + 1
		}
		return n
	}
	return slices.SortedFunc(maps.Keys(keys), func(a, b string) int { return number(a) - number(b) })
}

// absent stands where there is no figure.
const absent = "-"

// correlation has the room of a cell, so that a sign takes the place of the last digit.
func correlation(rho float64) string {
	if text := fmt.Sprintf("%.3f", rho); text[0] != '-' {
		return text
	}
	return fmt.Sprintf("%.2f", rho)
}

func percent(x float64) string { return fmt.Sprintf("%.1f", 100*x) }

// short is a number of at most five characters, which is the room a cell has.
func short(n int) string {
	switch {
	case n < 100_000:
		return strconv.Itoa(n)
	case n < 10_000_000:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.Itoa(n/1_000_000) + "M"
}
