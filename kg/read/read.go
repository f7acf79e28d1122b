// Package read reads knowledge graphs from the files that people have: tables of
// triples, the syntaxes of RDF, the folders of benchmarks, and snapshots, compressed
// or not, from a file, a folder, a tar archive or a stream. A file of this folder reads
// a format; what it finds goes to one loader, which makes the graph at the end.
package read

import (
	"context"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/text/encoding"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// Format names a way in which triples are written.
type Format string

// The formats that are read. All may be compressed by gzip, bzip2 or zstd.
const (
	detected Format = "" // told by name and content
	TSV      Format = "tsv"
	CSV      Format = "csv"
	NTriples Format = "nt"
	NQuads   Format = "nq"
	Turtle   Format = "ttl"
	TriG     Format = "trig"
	RDFXML   Format = "rdf"
	JSONLD   Format = "jsonld"
	GraphML  Format = "graphml"
	APOC     Format = "apoc"
	GEXF     Format = "gexf"
	GML      Format = "gml"
	EdgeList Format = "edgelist"
	Parquet  Format = "parquet"
	Records  Format = "jsonl"
	OpenKE   Format = "openke"
	BetaE    Format = "betae"
	Folder   Format = "folder"
	Snapshot Format = "snapshot"
)

// Formats lists them with what each is, in the order of help and documents, and with the extensions that tell it for certain.
var Formats = []struct {
	Format     Format
	About      string
	Extensions []string
}{
	{TSV, "a triple a line, tabs between", []string{".tsv", ".tab"}},
	{CSV, "a triple a line, commas between, quotes as in RFC 4180", []string{".csv"}},
	{NTriples, "W3C N-Triples", []string{".nt", ".ntriples"}},
	{NQuads, "W3C N-Quads", []string{".nq", ".nquads"}},
	{Turtle, "W3C Turtle", []string{".ttl", ".turtle", ".n3"}},
	{TriG, "W3C TriG", []string{".trig"}},
	{RDFXML, "W3C RDF/XML", []string{".rdf", ".owl"}},
	{JSONLD, "W3C JSON-LD", []string{".jsonld"}},
	{GraphML, "a property graph in XML", []string{".graphml"}},
	{GEXF, "a property graph in XML, as Gephi has it", []string{".gexf"}},
	{GML, "a property graph as NetworkX and igraph have it", []string{".gml"}},
	{APOC, "a property graph in JSON lines, as Neo4j's APOC exports it", nil},
	{EdgeList, "two nodes a line, as NetworkX and SNAP have them", []string{".edgelist"}},
	{Parquet, "a table of triples or a wide one", []string{".parquet"}},
	{Records, "a table in JSON, an object a row, in lines or in an array", nil},
	{OpenKE, "a folder with entity2id, relation2id, train2id", nil},
	{BetaE, "a folder with train.txt of numbers, id2ent.pkl, id2rel.pkl", nil},
	{Folder, "a folder with train, valid and test files of any of the first four", nil},
	{Snapshot, "a graph that lacuna import wrote", nil},
}

// FormatNames are those of Formats.
func FormatNames() []string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = string(f.Format)
	}
	return names
}

// Choice overrides what is otherwise detected.
type Choice uint8

const (
	Auto Choice = iota
	Yes
	No
)

// Options says how to read; the zero value detects everything.
type Options struct {
	Format Format
	// Columns says what the columns of a table are called, in their order, between
	// commas, - for one to skip; of several tables: "films=id,title;people=id,name".
	// Letters are short for triples: h, r and t once each, as in "htr" or "h-rt".
	// Empty: by the header where there is one, else "hrt".
	Columns string
	// Key names the column that says what a row is about, a+b several and "row" none,
	// so that each row is an entity; of several tables: "films=id,casts=film+person".
	// Empty: the columns that tell rows apart.
	Key string
	// Plan says what becomes of tables; nil has one made.
	Plan *Plan
	// Missing are the words that stand for an empty cell; nil for the usual, NA and the like.
	Missing []string
	// SkipBad leaves out rows that cannot be read. BadRow, where given, is called with each.
	SkipBad bool
	BadRow  func(problem *kg.Error, row []byte) error
	// Separator parts several values in a cell of a wide table. Empty: a bar or a
	// semicolon where a column uses it so.
	Separator string
	// References tells which columns of wide tables hold keys of another table, by the
	// names of columns and tables, a+b for several columns. Those that are called after a table do so anyway.
	References map[string]string
	// KeepBlanks leaves the blanks around the cells of a table where they are, as parts of names.
	KeepBlanks bool
	// Delimiter of a table: 0 to detect tab, comma, semicolon, bar or space.
	Delimiter byte
	// Encoding of the text, by any name that browsers know. Empty: UTF-8, or UTF-16 where a mark at the beginning tells it.
	Encoding string
	// Header tells whether the first line of a table names its columns.
	Header Choice
	// Base is what relative IRIs of RDF are relative to, as long as the text states no other.
	Base string
	// EntityLabels and RelationLabels are files of readable names: id TAB name.
	EntityLabels, RelationLabels string
	// Unpacked is the most bytes of text, unpacked, that are read of a stream or file, and of those there
	// cannot be more facts than one in every four. 0: any number.
	Unpacked int64
	// Scratch is a folder for temporary files, which the facts of tables go to from the ScratchFrom-th on (0: 2 million),
	// and the edges of their graph, so that it need not fit into memory. Empty: everything stays in memory.
	Scratch     string
	ScratchFrom int
	// Stdin is what the source "-" means.
	Stdin io.Reader
	// Progress is called now and then with the bytes read so far, as stored, and their total, 0 if unknown.
	Progress func(read, total int64)
	// Report is called once after all was read.
	Report func(Report)
	// Trouble, where given, has a large snapshot come before it was checked (snapshot.OpenTrusting): it is called where
	// the check, which goes on, finds it unsound.
	Trouble func(error)
}

// Report tells what a reader decided and left out.
type Report struct {
	Format            Format
	Header            bool     // a table's first line was taken as names of columns
	LabelTriples      int      // rdfs:label statements, taken as labels and not as facts
	UnknownLabels     int      // labels of names that the graph lacks
	InNamedGraphs     int      // statements of RDF whose graph has a name
	SkippedProperties int      // that are no single value
	HeldOutDuplicates int      // validation and test triples given more than once and dropped
	UTF16             []string // files that were found to be UTF-16
	Tables            []TableReport
	Plan              *Plan          // by which tables were read
	BothWays          int            // undirected edges, stated in both directions
	SkippedRows       int            // bad ones, left out as the user said
	FirstSkipped      []string       // why, of the first
	Notes             []string       // what was found in files of several tables, a sentence each
	LostReferences    map[string]int // keys by table that others refer to and that no row has
	// ManyRelations tells that the tables have nearly as many relations as facts, which
	// columns in another order than expected would explain.
	ManyRelations bool
}

// TableReport tells how a table was read, which its user may have meant otherwise.
type TableReport struct {
	Name         string
	Header       bool           // the first line names the columns
	Rows         string         // what a row is, where the table has no key of its own
	Key          string         // of a wide table, the column that names the entity of a row; "" for triples
	Skipped      []string       // columns that give no part of a triple
	Separated    []string       // columns found to hold several values in a cell
	Doubled      []string       // columns of a wide table called like another, which are the same relation
	DecimalComma []string       // columns whose numbers have a comma for the point
	Dates        []string       // how dates are written that are not as ISO 8601 has them, and in which column
	Keys         []string       // columns of whole numbers called like keys of another table, which was not found
	Unread       []string       // columns of names that look like numbers or dates in another form than is read
	Repeated     int            // rows called like an earlier one, which were told apart
	Gaps         int            // rows of edges without an end, which give no fact
	Unnamed      int            // rows without a name
	Untyped      map[string]int // cells by column that are no value of its type
	Late         int            // cells of columns that the plan lacks
	Missing      int            // cells passed over because they say NA, NULL and the like
	Trimmed      int            // cells with blanks around them, which were dropped
	References   []string       // columns that hold keys of a table, and which
	Ambiguous    []string       // columns that may do so, of several tables
	Kept         []string       // columns where NA is a value
	HeaderAsFact bool           // the first line was read as a fact and looks like names of columns
}

// Graph reads the graph at source: a file, a folder, or "-" for standard input. A
// tar archive counts as the folder it was made of, so that folders may come from
// standard input too. All files of a folder share one vocabulary.
//
// Names are kept as they are written, IRIs without their angle brackets, literals
// in the form of N-Triples with their quotes. Text must be UTF-8 without NUL: a
// name that is not would be damaged on its way to a terminal, to JSON or to the
// query language, so the line is refused.
func Graph(ctx context.Context, source string, opts Options) (*kg.Splits, error) {
	if source == "-" {
		if opts.Stdin == nil {
			return nil, kg.Errorf(kg.Invalid, "stdin", "standard input is not available")
		}
		return Stream(ctx, opts.Stdin, "stdin", opts)
	}
	info, err := os.Stat(source)
	if err != nil {
		return nil, kg.ReadError(source, err)
	}
	if snapshot.IsFile(source, info) {
		return readSnapshot(ctx, source, opts)
	}
	return readWith(ctx, opts, func(l *loader) error { return l.readPath(source) })
}

// readPath reads a file or a folder.
func (l *loader) readPath(source string) error {
	info, err := os.Stat(source)
	if err != nil {
		return kg.ReadError(source, err)
	}
	if info.IsDir() {
		return l.readDir(source)
	}
	file, err := os.Open(source)
	if err != nil {
		return kg.ReadError(source, err)
	}
	defer file.Close()
	l.meter.total = info.Size()
	return l.readStream(file, source)
}

// Stream reads a graph from a stream; name stands in errors, and its extension tells the format where the content does not.
// It returns at once when the context ends, though a Read that waits for input may return, to nobody, only later.
func Stream(ctx context.Context, r io.Reader, name string, opts Options) (*kg.Splits, error) {
	return readWith(ctx, opts, func(l *loader) error { return l.readStream(r, name) })
}

// loader is the state of one reading: what was found so far, over one vocabulary.
type loader struct {
	ctx       context.Context
	opts      Options
	meter     meter
	entities  kg.Interner
	relations kg.Interner
	facts     [splitCount][]kg.Triple
	scratch   *snapshot.Scratch // nil before facts went there
	labels    statedLabels
	graphs    namedGraphs
	said      kg.AnnotationBuilder // of facts
	// statements are those that others may speak of.
	statements saidStatements
	reified    []reified // triples that others may speak of
	prefixes   []kg.Prefix
	nodes      blankNodes
	encoding   encoding.Encoding // that was stated
	opened     []*unpacker
	report     Report
	together   bool // several files make the graph
	heldOut    bool // so do train, valid and test files, as benchmarks have them
	plan       *Plan
	declared   *tableSchema // by the format, of the table that is looked at
	keepOpen   []io.Closer  // files that tables are read from
	planning   bool         // only the plan is wanted
	tables     map[string]*subjects
	blobs      map[string]*atomic.Int64 // cells of bytes left out, by table
	room       []byte                   // of a literal
	tooMany    bool                     // facts
	denies     bool                     // some of them are denials
}

// fact takes a triple by its names.
func (l *loader) fact(part split, head, relation, tail []byte) {
	if l.isFull(part) {
		return
	}
	l.facts[part] = append(l.facts[part], kg.Triple{
		Head: kg.Entity(l.entities.Intern(head)), Relation: l.relation(relation), Tail: kg.Entity(l.entities.Intern(tail)),
	})
}

// isFull tells of as many facts as the limit allows, which a table that packs its values itself may have.
func (l *loader) isFull(part split) bool {
	most := l.opts.Unpacked / 4
	full := most > 0 && int64(l.factCount(part)) >= most
	l.tooMany = l.tooMany || full
	return full
}

// split numbers the parts of a benchmark.
type split uint8

const (
	trainSplit split = iota
	validSplit
	testSplit
	splitCount
)

func readWith(ctx context.Context, opts Options, read func(*loader) error) (*kg.Splits, error) {
	// Cancelling on return ends the goroutines that read ahead.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l, err := newLoader(ctx, opts)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if err := read(l); err != nil {
		return nil, err
	}
	if l.tooMany {
		return nil, tooLong("", opts.Unpacked)
	}
	return l.splits()
}

// tooLong refuses what unpacks to more than the limit.
func tooLong(name string, most int64) error {
	return kg.Errorf(kg.TooLarge, name, "more than %d MB, unpacked, which is the limit", most>>20)
}

func (l *loader) close() {
	if l.scratch != nil {
		_ = l.scratch.Close() // nothing of it is wanted any more
	}
	for _, file := range l.keepOpen {
		file.Close()
	}
}

func newLoader(ctx context.Context, opts Options) (*loader, error) {
	l := &loader{ctx: ctx, opts: opts, meter: meter{notify: opts.Progress}, plan: &Plan{}}
	if opts.Plan != nil {
		l.plan = opts.Plan.clone()
	}
	if err := opts.check(); err != nil {
		return nil, err
	}
	return l, l.setEncoding()
}

func (o *Options) check() error {
	for entry := range strings.SplitSeq(o.Columns, ";") {
		if _, columns, specific := strings.Cut(entry, "="); specific {
			entry = columns
		}
		if strings.Contains(entry, ",") {
			continue
		}
		if _, err := parseColumns(entry); err != nil {
			return err
		}
	}
	for _, text := range []string{o.Columns, o.Key, o.Separator} {
		if !utf8.ValidString(text) {
			return kg.Errorf(kg.Invalid, "", "the names of columns and separators are text in UTF-8")
		}
	}
	switch o.Delimiter {
	case 0, '\t', ',', ';', '|', ' ':
		return nil
	}
	return kg.Errorf(kg.Invalid, "delimiter", "%q cannot part columns, expected a tab, comma, semicolon, bar or space", o.Delimiter)
}

// splits makes the graph of all that was found.
func (l *loader) splits() (*kg.Splits, error) {
	if err := l.bringBack(); err != nil {
		return nil, err
	}
	l.settleReified()
	vocabulary := &kg.Vocabulary{
		Entities:  kg.Dictionary{Names: l.entities.Names()},
		Relations: kg.Dictionary{Names: l.relations.Names()},
		Prefixes:  l.prefixes,
	}
	if err := l.label(vocabulary); err != nil {
		return nil, err
	}
	l.settle()
	denied := l.denied()
	named := l.graphs.named(l.facts[trainSplit], &l.labels, vocabulary)
	l.report.ManyRelations = len(l.report.Tables) > 0 && l.hasManyRelations()
	train, err := l.build(vocabulary)
	if err != nil {
		return nil, err
	}
	said := l.annotations()
	l.reportAnnotations(said, train.WithNamed(named).WithDenied(denied).WithAnnotations(said).Annotations())
	s := &kg.Splits{Train: train, Valid: l.distinct(validSplit), Test: l.distinct(testSplit)}
	l.verify()
	for _, u := range l.opened {
		if u.isUTF16.Load() {
			l.report.UTF16 = append(l.report.UTF16, u.name)
		}
	}
	if l.opts.Report != nil {
		l.opts.Report(l.report)
	}
	return s, nil
}

// hasManyRelations tells of more than a relation to two facts, in a graph of more than a few.
func (l *loader) hasManyRelations() bool {
	facts := l.factCount(trainSplit)
	return facts >= 5 && 2*l.relations.Len() > facts
}

func stopped() error { return kg.Errorf(kg.Cancelled, "", "reading was stopped") }

// distinct drops held-out triples that repeat an earlier one, as ranking them twice would weigh them double.
func (l *loader) distinct(part split) []kg.Triple {
	given := l.facts[part]
	if len(given) == 0 {
		return nil
	}
	seen := make(map[kg.Triple]bool, len(given))
	kept := given[:0]
	for _, t := range given {
		if !seen[t] {
			seen[t] = true
			kept = append(kept, t)
		}
	}
	l.report.HeldOutDuplicates += len(given) - len(kept)
	return kept
}

func openSnapshot(path string, trouble func(error)) (*kg.Splits, error) {
	if trouble == nil {
		return snapshot.Open(path)
	}
	return snapshot.OpenTrusting(path, trouble)
}

// readSnapshot opens a snapshot; labels given along replace its own.
func readSnapshot(ctx context.Context, path string, opts Options) (*kg.Splits, error) {
	if opts.Format != detected && opts.Format != Snapshot {
		return nil, kg.Errorf(kg.Invalid, path, "a snapshot, not %s as stated", opts.Format)
	}
	s, err := openSnapshot(path, opts.Trouble)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &loader{ctx: ctx, opts: opts, report: Report{Format: Snapshot}}
	if err := l.label(s.Train.Vocabulary); err != nil {
		s.Train.Close()
		return nil, err
	}
	if opts.Report != nil {
		opts.Report(l.report)
	}
	return s, nil
}
