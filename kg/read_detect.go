package kg

import (
	"bytes"
	"io"
	"path"
	"strings"
)

// readStream reads a file or standard input in the format stated or detected.
func (l *loader) readStream(r io.Reader, name string) error {
	in := l.open(r, name)
	sample, err := in.sample()
	if err != nil {
		return err
	}
	switch format := l.opts.Format; {
	case IsSnapshot(sample) || format == FormatSnapshot:
		return Errorf(Invalid, name, "a snapshot is opened by its path, uncompressed: it cannot be read from a stream")
	case isTar(sample):
		return l.readTar(in)
	case format == FormatOpenKE || format == FormatBetaE || format == FormatFolder:
		return Errorf(Invalid, name, "%s is a folder of files, expected its path or a tar archive of it", format)
	}
	if err := l.readFile(in, sample, trainSplit); err != nil {
		return err
	}
	return l.needTriples(name)
}

func (l *loader) needTriples(name string) error {
	if len(l.facts[trainSplit]) == 0 {
		return Errorf(Invalid, name, "no triples")
	}
	return nil
}

// readFile reads one file of triples.
func (l *loader) readFile(in *input, sample []byte, part split) error {
	format := l.opts.Format
	if format == FormatAuto || format == FormatFolder {
		var err error
		if format, err = detectFormat(sample, in.name, l.opts); err != nil {
			return err
		}
	}
	if l.report.Format == FormatAuto {
		l.report.Format = format
	}
	switch format {
	case FormatTSV, FormatCSV:
		return l.readTable(in, sample, format, part)
	case FormatNTriples, FormatTurtle:
		if err := l.opts.onlyForTables(in.name, format); err != nil {
			return err
		}
		if format == FormatTurtle {
			return l.readTurtle(in, part)
		}
		return l.readNTriples(in, part)
	}
	return Errorf(Invalid, "", "no format %q, expected one of %s", format, formatNames)
}

// onlyForTables refuses options that would have no effect, rather than ignore what the user meant by them.
func (o *ReadOptions) onlyForTables(name string, format Format) error {
	if o.Columns != "" || o.Delimiter != 0 || o.Header != Auto {
		return Errorf(Invalid, name, "columns, delimiter and header are options of tables, and this is %s", format)
	}
	return nil
}

// detectFormat tells the format by the extension where that is certain, else by the content.
func detectFormat(sample []byte, name string, opts ReadOptions) (Format, error) {
	extension := extensionOf(name)
	switch extension {
	case ".nt", ".ntriples":
		return FormatNTriples, nil
	case ".ttl", ".turtle":
		return FormatTurtle, nil
	case ".tsv":
		return FormatTSV, nil
	case ".csv":
		return FormatCSV, nil
	}
	text := bytes.TrimPrefix(sample, []byte("\xef\xbb\xbf"))
	if err := refuseUTF16(text, name); err != nil {
		return "", err
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return "", Errorf(Invalid, name, "no triples")
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return "", unknownFormat(name)
	}
	if format, ok := detectRDF(text); ok {
		return format, nil
	}
	// A plain text file may be a table whose first lines are wrong: let the table reader say which.
	if _, fits := bestDelimiter(text, opts); fits || extension == ".txt" || opts.Delimiter != 0 {
		return FormatTSV, nil
	}
	return "", unknownFormat(name)
}

func unknownFormat(name string) error {
	return Errorf(Invalid, name, "cannot tell the format, expected one of %s; state it if this is one of them", formatNames)
}

// extensionOf is the last extension in lower case, those of compression left out.
func extensionOf(name string) string {
	name = strings.ToLower(path.Base(name))
	for _, packed := range []string{".gz", ".gzip", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, packed)
	}
	return path.Ext(name)
}

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
			return FormatTurtle, true
		}
		if line[0] == '<' || bytes.HasPrefix(line, []byte("_:")) {
			var s statement
			if err := s.parse(line); err == nil {
				return FormatNTriples, true
			}
		}
		return "", false
	}
	return "", false
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
