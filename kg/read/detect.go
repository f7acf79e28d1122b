package read

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path"
	"regexp"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// readStream reads a file or standard input in the format stated or detected.
func (l *loader) readStream(r io.Reader, name string) error {
	in := l.open(r, name)
	sample, err := in.sample()
	if err != nil {
		return err
	}
	switch format := l.opts.Format; {
	case snapshot.Is(sample) || format == Snapshot:
		return kg.Errorf(kg.Invalid, name, "a snapshot is opened by its path, uncompressed: it cannot be read from a stream")
	case isContainer(sample):
		f, err := l.container(in, sample)
		if err != nil {
			return err
		}
		return l.readFolder(f)
	case format == OpenKE || format == BetaE || format == Folder:
		return kg.Errorf(kg.Invalid, name, "%s is a folder of files, expected its path or a tar archive of it", format)
	}
	if f, err := l.readNested(in, sample); f != nil || err != nil {
		if err != nil {
			return err
		}
		return l.readTogether(f, f.parts())
	}
	if err := l.readFile(in, sample, trainSplit); err != nil {
		return err
	}
	return l.needTriples(name)
}

// readNested gives the tables of JSON that is several, nil for anything else.
func (l *loader) readNested(in *input, sample []byte) (*folder, error) {
	if format, err := l.formatOf(in, sample); err != nil || format != Records || !isNested(sample) {
		return nil, nil
	}
	f, data, err := l.nestedFolder(in)
	if f == nil && err == nil {
		in.Reader = bufio.NewReaderSize(bytes.NewReader(data), max(sampleSize, len(data)+1))
	}
	return f, err
}

// needTriples refuses what states nothing, which its user has hardly meant. RDF may, but for
// JSON-LD, where what no context explains is silently no statement.
func (l *loader) needTriples(name string) error {
	if len(l.facts[trainSplit]) == 0 && !l.planning && !l.report.Format.mayStateNothing() {
		return kg.Errorf(kg.Invalid, name, "no triples")
	}
	return nil
}

func (f Format) mayStateNothing() bool {
	switch f {
	case NTriples, NQuads, Turtle, TriG, RDFXML:
		return true
	}
	return false
}

// readFile reads one file of triples.
func (l *loader) readFile(in *input, sample []byte, part split) error {
	format, err := l.formatOf(in, sample)
	if err != nil {
		return err
	}
	if l.report.Format == detected {
		l.report.Format = format
	}
	if len(l.opts.References) > 0 && !l.together && format != TSV && format != CSV && format != Records && format != Parquet {
		return kg.Errorf(kg.Invalid, in.name, "--refer is of tables; this is %s", format)
	}
	switch format {
	case TSV, CSV:
		return l.readTable(in, sample, format, part)
	case Parquet:
		return l.readParquet(in, part)
	case Records:
		return l.readRecords(in, part)
	case NTriples, NQuads, Turtle, TriG, RDFXML, JSONLD, GraphML, GEXF, GML, APOC, EdgeList:
		if err := l.opts.onlyForTables(in.name, format); err != nil && !l.together {
			return err
		}
		if l.planning {
			l.plan.Tables = append(l.plan.Tables, &TablePlan{Table: tableOf(in.name), File: in.name, Format: format, Rows: RowsFacts, Null: []string{}})
			return nil
		}
		return l.readSyntax(in, format, part)
	}
	return kg.Errorf(kg.Invalid, "", "no format %q, expected one of %s", format, strings.Join(FormatNames(), ", "))
}

// readSyntax reads the formats that say themselves what is what.
func (l *loader) readSyntax(in *input, format Format, part split) error {
	switch format {
	case NTriples, NQuads:
		return l.readNTriples(in, part, format == NQuads)
	case RDFXML:
		return l.readRDFXML(in, part)
	case JSONLD:
		return l.readJSONLD(in, part)
	case GraphML:
		return l.readGraphML(in, part)
	case GEXF:
		return l.readGEXF(in, part)
	case GML:
		return l.readGML(in, part)
	case APOC:
		return l.readAPOC(in, part)
	case EdgeList:
		return l.readEdgeList(in, part)
	}
	return l.readTurtle(in, part, format == TriG)
}

// formatOf is the format of a file, stated or detected.
func (l *loader) formatOf(in *input, sample []byte) (Format, error) {
	if format := l.opts.Format; format != detected && format != Folder {
		return format, nil
	}
	return detectFormat(sample, in.name, l.opts)
}

// onlyForTables refuses options that would have no effect, rather than ignore what the user meant by them.
func (o *Options) onlyForTables(name string, format Format) error {
	if o.Columns != "" || o.Delimiter != 0 || o.Header != Auto || o.Key != "" || o.Separator != "" || o.KeepBlanks {
		return kg.Errorf(kg.Invalid, name, "columns, delimiter and header are options of tables, and so are key, separator and blanks; this is %s", format)
	}
	return nil
}

// formatOfExtension has the extensions that are certain.
var formatOfExtension = func() map[string]Format {
	all := map[string]Format{}
	for _, f := range Formats {
		for _, extension := range f.Extensions {
			all[extension] = f.Format
		}
	}
	return all
}()

// detectFormat tells the format by the extension where that is certain, else by the content.
func detectFormat(sample []byte, name string, opts Options) (Format, error) {
	extension := extensionOf(name)
	if format, ok := formatOfExtension[extension]; ok {
		return format, nil
	}
	if bytes.HasPrefix(sample, []byte(parquetMark)) {
		return Parquet, nil
	}
	text := bytes.TrimPrefix(sample, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(text)) == 0 {
		return "", kg.Errorf(kg.Invalid, name, "no triples")
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return "", unknownFormat(name)
	}
	if format, ok := detectMarkup(text); ok {
		return format, nil
	}
	if graphOfGML.Match(text) {
		return GML, nil
	}
	if format, ok := detectRDF(text); ok {
		return format, nil
	}
	if opts.Delimiter == 0 && opts.Columns == "" && opts.Key == "" && opts.Header != Yes && isEdgeList(text, len(sample) < sampleSize) {
		return EdgeList, nil
	}
	// A plain text file may be a table whose first lines are wrong: let the table reader say which.
	if _, fits := bestDelimiter(text, opts, tableOf(name)); fits || extension == ".txt" || opts.Delimiter != 0 {
		return TSV, nil
	}
	return "", unknownFormat(name)
}

func unknownFormat(name string) error {
	return kg.Errorf(kg.Invalid, name, "cannot tell the format, expected one of %s; state it if this is one of them", strings.Join(FormatNames(), ", "))
}

// extensionOf is the last extension in lower case, those of compression left out.
func extensionOf(name string) string {
	name = strings.ToLower(path.Base(name))
	for _, packed := range []string{".gz", ".gzip", ".bz2", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, packed)
	}
	return path.Ext(name)
}

// detectMarkup tells XML and JSON, which may be of several kinds.
func detectMarkup(text []byte) (Format, bool) {
	text = bytes.TrimSpace(text)
	switch {
	case bytes.HasPrefix(text, []byte("<?xml")) || bytes.HasPrefix(text, []byte("<!DOCTYPE")), bytes.HasPrefix(text, []byte("<rdf:RDF")), bytes.HasPrefix(text, []byte("<graphml")), bytes.HasPrefix(text, []byte("<gexf")):
		if bytes.Contains(text, []byte("<gexf")) {
			return GEXF, true
		}
		if bytes.Contains(text, []byte("<graphml")) {
			return GraphML, true
		}
		return RDFXML, true
	case bytes.HasPrefix(text, []byte("{")) || bytes.HasPrefix(text, []byte("[")):
		return detectJSON(text)
	}
	return "", false
}

// detectJSON tells what apoc.export.json writes by its first line, JSON-LD by its
// keywords, and takes other objects for the rows of a table.
func detectJSON(text []byte) (Format, bool) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	var first apocLine
	if json.Unmarshal(line, &first) == nil && (first.Type == "node" || first.Type == "relationship") {
		return APOC, true
	}
	if jsonLDKeyword.Match(text) {
		return JSONLD, true
	}
	return Records, openObject.Match(text)
}

var (
	graphOfGML    = regexp.MustCompile(`(?m)^\s*graph\s*\[\s*$|^\s*graph\s*\[\s*(?:directed|node)\b`)
	jsonLDKeyword = regexp.MustCompile(`"@(context|id|type|graph|value|list|set|reverse|included)"\s*:`)
	openObject    = regexp.MustCompile(`^(\[\s*)?\{\s*("|\})`) // which nothing of TriG is, as its subjects are no texts
)

// detectRDF looks at the first line that is neither blank nor a comment. A term in
// angle brackets or a blank node may open a line of both formats: it is
// N-Triples if the line is a statement of it.
func detectRDF(text []byte) (Format, bool) {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if startsTurtle(line) {
			if hasGraphs(text) {
				return TriG, true
			}
			return Turtle, true
		}
		if line[0] == '<' || bytes.HasPrefix(line, []byte("_:")) {
			return detectLine(line)
		}
		return "", false
	}
	return "", false
}

// detectLine tells the formats with a statement a line.
func detectLine(line []byte) (Format, bool) {
	s := statement{quads: true}
	switch err := s.parse(line); {
	case errors.Is(err, errRelative):
		return Turtle, bytes.HasSuffix(line, []byte("."))
	case err != nil:
		return "", false
	case s.graph != nil:
		return NQuads, true
	}
	return NTriples, true
}

// hasGraphs tells whether a brace stands outside of strings, as far as a line shows.
func hasGraphs(text []byte) bool {
	for line := range bytes.Lines(text) {
		if at := bytes.IndexByte(line, '{'); at >= 0 && line[0] != '#' && !bytes.ContainsAny(line[:at], "\"'") {
			return true
		}
	}
	return false
}

func startsTurtle(line []byte) bool {
	word, _, _ := bytes.Cut(line, []byte(" "))
	switch strings.ToLower(string(word)) {
	case "@prefix", "@base":
		return true
	case "prefix", "base":
		return bytes.Contains(line, []byte("<"))
	}
	return false
}
