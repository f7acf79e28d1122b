package read

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// Plan says what each table and each of its columns becomes. Tables are read by their
// plan and by nothing else, so that what was guessed and what is read cannot differ; a
// plan that was saved and edited is followed as one that was guessed. The words are
// those of R2RML and CSVW where these have one.
type Plan struct {
	Tables []*TablePlan `json:"tables"`
}

// What the rows of a table are.
const (
	RowsEntities = "entities" // a row is an entity, a column a property of it
	RowsTriples  = "triples"  // a row is one fact: head, relation, tail
	RowsFacts    = "facts"    // the format itself says what is what, as RDF does
	RowsIgnored  = "ignored"  // nothing is read of it
)

// What a column becomes.
const (
	RoleHead     = "head"     // of triples
	RoleRelation = "relation" // of triples
	RoleTail     = "tail"     // of triples
	// RoleAnnotation is said of the fact of a row, and kept beside it.
	RoleAnnotation = "annotation"
	RoleReference  = "reference" // a fact whose tail is an entity: of Table, or of that name
	RoleValue      = "value"     // a fact whose tail is a value: a number, a date, a text
	RoleIgnore     = "ignore"    // no fact; its cells may still be part of the subject or the label
)

// Rows that have the same subject.
const (
	PerRow = "row" // each is an entity of its own: a second of the same name is told apart by its number
	PerKey = "key" // they are one entity
)

// TablePlan is what becomes of one table.
type TablePlan struct {
	Table     string `json:"table"` // its name in references
	File      string `json:"file"`
	Format    Format `json:"format"`
	Delimiter string `json:"delimiter,omitempty"`
	SkipLines int    `json:"skipLines,omitempty"` // before the header
	Header    bool   `json:"header"`
	UnitRow   bool   `json:"unitRow,omitempty"` // the row below the header has units, and is left out
	Rows      string `json:"rows"`
	// Subject names the entity of a row: its cells in braces, {_row} for the number of the row.
	Subject string `json:"subject,omitempty"`
	// Undirected tells of triples that hold both ways.
	Undirected bool         `json:"undirected,omitempty"`
	Per        string       `json:"per,omitempty"`
	Label      string       `json:"label,omitempty"` // the readable name of the entity, as Subject
	Null       []string     `json:"null"`            // what cells say that are empty, beside nothing at all
	Columns    []ColumnPlan `json:"columns,omitempty"`
	// References are those that take several columns.
	References []ReferencePlan `json:"references,omitempty"`
	Seen       int             `json:"seen"`             // rows that the plan was made of
	Sample     bool            `json:"sample,omitempty"` // which are not all
	Found      string          `json:"found,omitempty"`  // why the rows are what they are, in words
	Doubts     []string        `json:"doubts,omitempty"`
}

// ColumnPlan is what becomes of one column.
type ColumnPlan struct {
	Name      string   `json:"name"`
	Role      string   `json:"role"`
	Property  string   `json:"property,omitempty"`  // the relation
	Table     string   `json:"table,omitempty"`     // whose keys a reference holds
	Type      string   `json:"datatype,omitempty"`  // of values: integer, decimal, double, date, dateTime, boolean, string
	Format    string   `json:"format,omitempty"`    // of dates that are written otherwise than ISO 8601 has them, one of dateForms
	Separator string   `json:"separator,omitempty"` // of several values in a cell
	Comma     bool     `json:"decimalComma,omitempty"`
	Filled    int      `json:"filled"`             // cells that are not empty
	Different int      `json:"different"`          // values among them
	Examples  []string `json:"examples,omitempty"` // the first values
	Keep      []string `json:"keep,omitempty"`     // words for an empty cell that are values here
	Doubt     string   `json:"doubt,omitempty"`
	keys      bool     // whole numbers that may be keys of a table that is not there
	unread    bool     // looks like numbers or dates in a form that is not read
}

// ReadPlan reads a plan as JSON.
func ReadPlan(r io.Reader, name string) (*Plan, error) {
	var p Plan
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return nil, kg.Errorf(kg.Invalid, name, "no reading plan: %s", strings.TrimPrefix(jsonProblem(err), "no JSON: "))
	}
	if err := p.check(); err != nil {
		return nil, kg.Errorf(kg.Invalid, name, "%v", err)
	}
	return &p, nil
}

// MakePlan looks at sources and says what would become of their tables.
func MakePlan(ctx context.Context, sources []string, opts Options) (*Plan, error) {
	return planWith(ctx, opts, func(l *loader) error {
		switch {
		case len(sources) == 1 && sources[0] == "-" && opts.Stdin != nil:
			return l.readStream(opts.Stdin, "stdin")
		case len(sources) == 1:
			return l.readPath(sources[0])
		}
		return l.readSources(sources)
	})
}

// StreamPlan says what would become of the tables of a stream.
func StreamPlan(ctx context.Context, r io.Reader, name string, opts Options) (*Plan, error) {
	return planWith(ctx, opts, func(l *loader) error { return l.readStream(r, name) })
}

func planWith(ctx context.Context, opts Options, read func(*loader) error) (*Plan, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l, err := newLoader(ctx, opts)
	if err != nil {
		return nil, err
	}
	l.planning = true
	defer l.close()
	if err := read(l); err != nil {
		return nil, err
	}
	return l.plan, nil
}

// check finds what a plan cannot mean.
func (p *Plan) check() error {
	for i := range p.Tables {
		t := p.Tables[i]
		if !slices.Contains([]string{RowsEntities, RowsTriples, RowsFacts, RowsIgnored}, t.Rows) {
			return fmt.Errorf("table %s: rows %q, expected entities, triples, facts or ignored", t.Table, t.Rows)
		}
		if t.Rows == RowsEntities && t.Per != PerRow && t.Per != PerKey {
			return fmt.Errorf("table %s: an entity per %q, expected row or key", t.Table, t.Per)
		}
		for _, c := range t.Columns {
			if !slices.Contains([]string{RoleHead, RoleRelation, RoleTail, RoleAnnotation, RoleReference, RoleValue, RoleIgnore}, c.Role) {
				return fmt.Errorf("table %s: column %s has the role %q, expected reference, value, ignore, head, relation, tail or annotation", t.Table, c.Name, c.Role)
			}
			if c.Format != "" && !slices.Contains(dateForms, c.Format) {
				return fmt.Errorf("table %s: column %s has the format %q, expected one of %s", t.Table, c.Name, c.Format, strings.Join(dateForms, ", "))
			}
			if c.Table != "" && p.table(c.Table) == nil {
				return fmt.Errorf("table %s: column %s refers to a table %s, which is not in the plan", t.Table, c.Name, c.Table)
			}
		}
	}
	return nil
}

// table gives the plan of a table by its name, nil if there is none.
func (p *Plan) table(name string) *TablePlan {
	for i := range p.Tables {
		if p.Tables[i].Table == name {
			return p.Tables[i]
		}
	}
	return nil
}

// JSON is the plan as ReadPlan takes it.
func (p *Plan) JSON() []byte {
	text, _ := json.MarshalIndent(p, "", "  ")
	return append(text, '\n')
}

// String is the plan for people.
func (p *Plan) String() string {
	var b strings.Builder
	for i := range p.Tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		p.Tables[i].write(&b)
	}
	return b.String()
}

func (t *TablePlan) write(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %s\n", t.File, t.summary())
	width := 0
	for _, c := range t.Columns {
		width = max(width, min(30, len([]rune(c.Name))))
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		fmt.Fprintf(b, "  %-*s  %s\n", width, c.Name, t.describe(c))
	}
	for i := range t.References {
		fmt.Fprintf(b, "  %s\n", t.References[i].describe())
	}
	for _, doubt := range t.Doubts {
		fmt.Fprintf(b, "  ? %s\n", doubt)
	}
}

// summary says in a line what the rows are.
func (t *TablePlan) summary() string {
	rows := count.Of(t.Seen, "row")
	if t.Sample {
		rows = "the first " + rows
	}
	if t.SkipLines > 0 {
		rows += ", below " + count.Of(t.SkipLines, "line") + " of preamble"
	}
	if t.Found != "" {
		rows += ", " + t.Found
	}
	switch t.Rows {
	case RowsTriples:
		return rows + "; a row is a fact"
	case RowsFacts:
		return string(t.Format) + ", which states its facts itself"
	case RowsIgnored:
		return rows + "; not read"
	}
	text := fmt.Sprintf("%s; an entity per %s, named %s", rows, t.Per, t.Subject)
	if t.Label != "" {
		text += ", called " + t.Label
	}
	return text
}

// describe says what a column becomes.
func (t *TablePlan) describe(c *ColumnPlan) string {
	text := c.Role
	switch c.Role {
	case RoleReference:
		text = "names"
		if c.Table != "" {
			text = "reference to " + c.Table
		}
	case RoleValue:
		text = "value, " + c.Type
		if c.Format != "" {
			text += " as " + c.Format
		}
	case RoleAnnotation:
		text = "said of the fact"
	case RoleIgnore:
		text = "ignored"
		if t.namedBy(c.Name) {
			text = "key"
		} else if strings.Contains(t.Label, "{"+c.Name+"}") {
			text = "label"
		}
	case RoleHead, RoleTail:
		if c.Table != "" {
			text += ", reference to " + c.Table
		}
	}
	if c.Separator != "" {
		text += ", list"
		if c.Separator != listSeparator {
			text += " separated by " + c.Separator
		}
	}
	if c.Property != "" && c.Property != c.Name {
		text += ", as " + c.Property
	}
	text += fmt.Sprintf(" (%s filled, %s different)", count.Number(c.Filled), count.Number(c.Different))
	if c.Doubt != "" {
		text += " ? " + c.Doubt
	}
	return text
}

// namedBy tells whether the subject is made of the column.
func (t *TablePlan) namedBy(column string) bool { return strings.Contains(t.Subject, "{"+column+"}") }

// prefix is what stands before the only column of the subject: what names of a reference begin with.
func (t *TablePlan) prefix() string {
	before, _, _ := strings.Cut(t.Subject, "{")
	return before
}

// clone is a plan that may be changed.
func (p *Plan) clone() *Plan {
	copied := &Plan{}
	for _, t := range p.Tables {
		c := *t
		c.Columns, c.References = slices.Clone(t.Columns), slices.Clone(t.References)
		copied.Tables = append(copied.Tables, &c)
	}
	return copied
}
