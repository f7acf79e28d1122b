package gaps

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/reason"
)

// Format is one of a table.
type Format string

// The formats.
const (
	CSV     Format = "csv"
	TSV     Format = "tsv"
	JSONL   Format = "jsonl"
	Parquet Format = "parquet"
)

// Formats are all there are.
var Formats = []Format{CSV, TSV, JSONL, Parquet}

// FormatOf is the format that a file's name ends in.
func FormatOf(name string) (Format, error) {
	ending := Format(strings.TrimPrefix(filepath.Ext(name), "."))
	if ending == "ndjson" {
		ending = JSONL
	}
	for _, f := range Formats {
		if f == ending {
			return f, nil
		}
	}
	return "", kg.Errorf(kg.Invalid, name, "expected a name that ends in .csv, .tsv, .jsonl or .parquet")
}

// Line is a fact with the names of its graph, as a table has it.
type Line struct {
	Head        string  `json:"head" parquet:"head"`
	HeadID      string  `json:"head_id,omitempty" parquet:"head_id"` // where the head is a label
	Relation    string  `json:"relation" parquet:"relation"`
	Tail        string  `json:"tail" parquet:"tail"`
	TailID      string  `json:"tail_id,omitempty" parquet:"tail_id"`
	Probability float32 `json:"probability" parquet:"probability"`
	Stated      bool    `json:"stated" parquet:"stated"`
	Implied     string  `json:"implied,omitempty" parquet:"-"` // the rule by which the graph implies it, where it does not state it
	// Of an audit: its probability from the tail, how much speaks against it, and what the graph says instead.
	Against            float64 `json:"against,omitempty" parquet:"against"`
	Instead            string  `json:"instead,omitempty" parquet:"instead"`
	InsteadProbability float32 `json:"instead_probability,omitempty" parquet:"instead_probability"`
	Why                string  `json:"why,omitempty" parquet:"why"` // facts that speak for it, path by path
}

// NewLine names a fact.
func NewLine(g *kg.Graph, f Fact) Line {
	return Line{
		Head: g.Entity(f.Head), HeadID: g.Entities.LabelledID(uint32(f.Head)), Relation: g.Relation(f.Relation),
		Tail: g.Entity(f.Tail), TailID: g.Entities.LabelledID(uint32(f.Tail)),
		Probability: f.Probability, Stated: f.Stated, Why: WhyText(f.Why),
		Implied: reason.Of(g).Rule(f.Triple().Stated()),
	}
}

// NewDoubtLine names a doubted fact and what is said instead.
func NewDoubtLine(g *kg.Graph, d Doubt) Line {
	line := NewLine(g, d.Fact)
	line.Against = d.Against
	if d.Instead.Probability > 0 {
		t := d.Instead.Triple().Stated()
		line.Instead, line.InsteadProbability = g.Relation(t.Relation)+"("+g.Entity(t.Head)+", "+g.Entity(t.Tail)+")", d.Instead.Probability
	}
	return line
}

// WhyText is paths as one text: facts of a path are joined by &, paths by a semicolon; a path says how many more take the same relations.
func WhyText(paths []explain.Path) string {
	texts := make([]string, len(paths))
	for i, p := range paths {
		var facts []string
		for _, e := range p.Edges {
			facts = append(facts, e.Fact.String())
		}
		if texts[i] = strings.Join(facts, " & "); p.Alike > 0 {
			texts[i] += " " + p.AlikeText()
		}
	}
	return strings.Join(texts, "; ")
}

// Columns of a table beside those that every one has.
type Columns struct{ IDs, Doubts, Why bool }

// Table writes lines. Close ends it, and leaves what it writes to open.
type Table interface {
	Write(Line) error
	Close() error
}

// NewTable starts a table. Parquet has all columns in any case.
func NewTable(to io.Writer, f Format, c Columns) Table {
	switch f {
	case Parquet:
		return parquetTable{parquet.NewGenericWriter[Line](to)}
	case JSONL:
		encoder := json.NewEncoder(to)
		encoder.SetEscapeHTML(false)
		return jsonLines{encoder}
	}
	table := textTable{csv.NewWriter(to), c}
	if f == TSV {
		table.Comma = '\t'
	}
	_ = table.Writer.Write(c.header()) // what is wrong with the writer comes to light when it is flushed
	return table
}

type parquetTable struct {
	*parquet.GenericWriter[Line]
}

func (t parquetTable) Write(l Line) error { _, err := t.GenericWriter.Write([]Line{l}); return err }

type jsonLines struct{ *json.Encoder }

func (t jsonLines) Write(l Line) error { return t.Encode(l) }
func (t jsonLines) Close() error       { return nil }

type textTable struct {
	*csv.Writer
	columns Columns
}

func (c Columns) header() []string {
	names := []string{"head", "relation", "tail", "probability", "stated"}
	if c.Doubts {
		names = append(names[:4], "against", "instead", "instead_probability")
	}
	if c.IDs {
		names = append(names, "head_id", "tail_id")
	}
	if c.Why {
		names = append(names, "why")
	}
	return names
}

// Write implements Table.
func (t textTable) Write(l Line) error {
	cells := []string{l.Head, l.Relation, l.Tail, number(float64(l.Probability)), strconv.FormatBool(l.Stated)}
	if t.columns.Doubts {
		cells = append(cells[:4], number(l.Against), l.Instead, number(float64(l.InsteadProbability)))
	}
	if t.columns.IDs {
		cells = append(cells, l.HeadID, l.TailID)
	}
	if t.columns.Why {
		cells = append(cells, l.Why)
	}
	return t.Writer.Write(cells)
}

func (t textTable) Close() error { t.Flush(); return t.Error() }

func number(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
