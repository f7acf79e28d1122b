package read

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// Files that hold several tables: a workbook, a database, an archive, one object of JSON. Each is a
// folder whose files are its tables, so that all tables are read in one way.

const (
	zipMark    = "PK\x03\x04"
	sqliteMark = "SQLite format 3\x00"
	// containerLimit bounds what is held in memory of a part that cannot be read as a stream.
	containerLimit = 1 << 30
)

var containerExtensions = []string{".xlsx", ".xlsm", ".ods", ".zip", ".sqlite", ".sqlite3", ".db", ".db3", ".gpkg"}

// isContainer tells a file that holds several.
func isContainer(sample []byte) bool {
	return bytes.HasPrefix(sample, []byte(zipMark)) || bytes.HasPrefix(sample, []byte(sqliteMark)) || isTar(sample)
}

// container opens a file that holds several, as a folder.
func (l *loader) container(in *input, sample []byte) (*folder, error) {
	if isTar(sample) {
		return l.tarFolder(in)
	}
	mark := zipMark
	if bytes.HasPrefix(sample, []byte(sqliteMark)) {
		mark = sqliteMark
	}
	data, size, err := in.whole(mark)
	if err != nil {
		return nil, err
	}
	if mark == sqliteMark {
		return l.sqliteFolder(in, data, size)
	}
	archive, err := zip.NewReader(data, size)
	if err != nil {
		return nil, kg.Errorf(kg.Invalid, in.name, "the archive is damaged: %v", err)
	}
	switch {
	case hasEntry(archive, "xl/workbook.xml"):
		return l.xlsxFolder(in.name, archive)
	case hasEntry(archive, "content.xml"):
		return l.odsFolder(in.name, archive)
	}
	return l.zipFolder(in.name, archive)
}

func hasEntry(archive *zip.Reader, name string) bool {
	return slices.ContainsFunc(archive.File, func(f *zip.File) bool { return f.Name == name })
}

// zipFolder is an archive as the folder it was made of, without what systems put there.
func (l *loader) zipFolder(name string, archive *zip.Reader) (*folder, error) {
	f := &folder{name: name, sizes: map[string]int64{}}
	entries, twice := map[string]*zip.File{}, map[string]int{}
	for _, entry := range archive.File {
		if !strings.HasPrefix(entry.Name, "__MACOSX/") {
			twice[path.Base(entry.Name)]++
		}
	}
	for _, entry := range archive.File {
		base := path.Base(entry.Name)
		if twice[base] > 1 { // in several folders, which tell them apart
			base = strings.ReplaceAll(strings.Trim(path.Clean("/"+entry.Name), "/"), "/", "-")
		}
		if strings.HasSuffix(entry.Name, "/") || strings.HasPrefix(base, ".") || strings.HasPrefix(entry.Name, "__MACOSX/") {
			continue
		}
		if entries[base] != nil {
			return nil, kg.Errorf(kg.Invalid, name, "holds two files named %s, expected the archive of one folder", base)
		}
		entries[base], f.sizes[base] = entry, int64(min(entry.UncompressedSize64, 1<<62))
	}
	f.open = func(file string) (io.ReadCloser, error) {
		r, err := entries[file].Open()
		if err != nil {
			return nil, kg.Errorf(kg.Invalid, f.path(file), "the archive is damaged: %v", err)
		}
		return &entryReader{r, f.path(file)}, nil
	}
	return f, nil
}

// entryReader says of what file in an archive the trouble is.
type entryReader struct {
	io.ReadCloser
	name string
}

func (r *entryReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = kg.Errorf(kg.Invalid, r.name, "the archive is damaged: %v", err)
	}
	return n, err
}

// entry reads a part of an archive into memory.
func (l *loader) entry(name string, archive *zip.Reader, part string) ([]byte, error) {
	r, err := archive.Open(part)
	if err != nil {
		return nil, kg.Errorf(kg.Invalid, name, "%s is missing from the archive, or the archive is damaged", part)
	}
	defer r.Close()
	most := int64(containerLimit)
	if l.opts.Unpacked > 0 {
		most = min(most, l.opts.Unpacked)
	}
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return nil, kg.Errorf(kg.Invalid, name, "the archive is damaged: %v", err)
	case int64(len(data)) > most:
		return nil, tooLong(name, most)
	}
	return data, nil
}

// rowSource calls take with each row, until that fails.
type rowSource func(take func(row []string) error) error

// tablesFolder is a folder of tables that are written as CSV when they are opened.
func tablesFolder(name string, tables map[string]rowSource) *folder {
	f := &folder{name: name, sizes: map[string]int64{}}
	for table := range tables {
		f.sizes[table] = 0
	}
	f.open = func(table string) (io.ReadCloser, error) {
		r, w := io.Pipe()
		go func() {
			out := csv.NewWriter(w)
			err := safely(name, func() error { return tables[table](out.Write) })
			if err == nil {
				out.Flush()
				err = out.Error()
			}
			w.CloseWithError(err)
		}()
		return r, nil
	}
	return f
}

// sheetFile is what the file of a sheet is called: as the workbook if it has no other.
func sheetFile(book, sheet string, only bool) string {
	if only {
		stem, _, _ := strings.Cut(path.Base(strings.ReplaceAll(book, "\\", "/")), ".")
		sheet = stem
	}
	return strings.NewReplacer("/", "-", ".", "-").Replace(sheet) + ".csv"
}

// sheets makes a folder of the sheets of a workbook that hold anything; rows are padded to the same width.
func sheets(book string, names []string, rows func(sheet int) ([][]string, error)) (*folder, error) {
	filled, first := 0, map[int]bool{}
	for i := range names {
		cells, err := rows(i)
		if err != nil {
			return nil, err
		}
		if len(cells) > 0 {
			filled++
			first[i] = true
		}
	}
	if filled == 0 {
		return nil, kg.Errorf(kg.Invalid, book, "no sheet of the workbook holds a table")
	}
	tables := map[string]rowSource{}
	for i, name := range names {
		if !first[i] {
			continue
		}
		tables[sheetFile(book, name, filled == 1)] = func(take func([]string) error) error {
			cells, err := rows(i)
			if err != nil {
				return err
			}
			width := 0
			for _, row := range cells {
				width = max(width, len(row))
			}
			for _, row := range cells {
				for len(row) < width {
					row = append(row, "")
				}
				if err := take(row); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return tablesFolder(book, tables), nil
}

// mostCells is how many cells the text of a sheet may stand for: a cell takes more than a byte, but one far to the
// right or one that is repeated makes many.
func mostCells(text []byte) int { return len(text) + 1<<20 }

func tooManyCells(name string) error {
	return kg.Errorf(kg.TooLarge, name, "a sheet of far more cells than are filled")
}

// trimRow drops empty cells at the end of a row.
func trimRow(row []string) []string {
	for len(row) > 0 && row[len(row)-1] == "" {
		row = row[:len(row)-1]
	}
	return row
}

// expand puts the tables of containers among the files of a folder in their place.
func (l *loader) expand(f *folder, names []string) (*folder, []string, error) {
	if !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(containerExtensions, extensionOf(name)) }) {
		return f, names, nil
	}
	all := &folder{name: f.name, sizes: map[string]int64{}, declared: map[string]*tableSchema{}}
	inner := map[string]func() (io.ReadCloser, error){}
	var list []string
	add := func(name string, size int64, open func() (io.ReadCloser, error)) {
		all.sizes[name], inner[name] = size, open
		list = append(list, name)
	}
	all.open = func(name string) (io.ReadCloser, error) { return inner[name]() }
	for _, name := range names {
		if !slices.Contains(containerExtensions, extensionOf(name)) {
			add(name, f.sizes[name], func() (io.ReadCloser, error) { return f.open(name) })
			continue
		}
		file, err := f.open(name)
		if err != nil {
			return nil, nil, err
		}
		l.keepOpen = append(l.keepOpen, file)
		in := l.open(file, f.path(name))
		sample, err := in.sample()
		if err != nil {
			return nil, nil, err
		}
		if !isContainer(sample) {
			return nil, nil, unknownFormat(f.path(name))
		}
		sub, err := l.container(in, sample)
		if err != nil {
			return nil, nil, err
		}
		for _, part := range sub.parts() {
			add(path.Join(name, part), sub.sizes[part], func() (io.ReadCloser, error) { return sub.open(part) })
			if d := sub.declared[part]; d != nil {
				all.declared[path.Join(name, part)] = d
			}
		}
	}
	return all, list, nil
}
