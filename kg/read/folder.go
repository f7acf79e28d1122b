package read

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// folder is a directory or the archive of one: names of files, in no order, with their sizes.
type folder struct {
	name  string
	sizes map[string]int64
	open  func(name string) (io.ReadCloser, error)
	// declared are keys and references that the format itself states.
	declared   map[string]*tableSchema
	undirected bool // edges among them go both ways
}

func (f *folder) path(file string) string { return filepath.Join(f.name, file) }

// packings are the extensions that a file of a folder may have on top of its own.
var packings = []string{"", ".gz", ".bz2", ".zst", ".zstd"}

// find gives the file of that name, packed or not, and "" if there is none.
func (f *folder) find(name string) string {
	for _, packing := range packings {
		if _, ok := f.sizes[name+packing]; ok {
			return name + packing
		}
	}
	return ""
}

// readDir reads a directory.
func (l *loader) readDir(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return kg.ReadError(path, err)
	}
	f := &folder{name: path, sizes: map[string]int64{}, open: func(name string) (io.ReadCloser, error) {
		file, err := os.Open(filepath.Join(path, name))
		if err != nil {
			return nil, kg.ReadError(filepath.Join(path, name), err)
		}
		return file, nil
	}}
	within := 0
	for _, entry := range entries {
		// Stat follows links, as data is often linked from elsewhere.
		info, err := os.Stat(filepath.Join(path, entry.Name()))
		switch {
		case err == nil && info.IsDir():
			within++
		case err == nil:
			f.sizes[entry.Name()] = info.Size()
		}
	}
	if within > 0 {
		l.note("%s: %s within it not read", path, count.Of(within, "folder"))
	}
	return l.readFolder(f)
}

func (l *loader) readFolder(f *folder) error {
	format, err := l.folderFormat(f)
	if err != nil {
		return err
	}
	l.report.Format = format
	if format != Folder {
		if err := l.opts.onlyForTables(f.name, format); err != nil {
			return err
		}
	}
	if l.planning && format != Folder {
		l.plan.Tables = append(l.plan.Tables, &TablePlan{Table: tableOf(f.name), File: f.name, Format: format, Rows: RowsFacts, Null: []string{}})
		return nil
	}
	switch format {
	case BetaE:
		err = l.readBetaE(f)
	case OpenKE:
		err = l.readOpenKE(f)
	default:
		err = l.readNamedSplits(f)
	}
	if err != nil {
		return err
	}
	return l.needTriples(f.name)
}

// folderFormat tells the format of a folder by the names of its files. A stated
// format of files means a folder of such files.
func (l *loader) folderFormat(f *folder) (Format, error) {
	switch l.opts.Format {
	case BetaE, OpenKE:
		return l.opts.Format, nil
	case Snapshot:
		return "", kg.Errorf(kg.Invalid, f.name, "a folder, expected a snapshot file")
	case detected:
	default:
		return Folder, nil
	}
	named, numbered := f.splitFiles(trainSplit), f.find("train2id.txt")
	switch {
	case len(named) > 0 && numbered != "":
		return "", kg.Errorf(kg.Invalid, f.name, "holds both %s and %s: state the format, folder or openke", named[0], numbered)
	case numbered != "":
		return OpenKE, nil
	case f.find("train.txt") != "" && (f.find("id2ent.pkl") != "" || f.find("ent2id.pkl") != ""):
		return BetaE, nil
	case len(named) == 0 && f.isQuery2Box():
		return "", kg.Errorf(kg.Invalid, f.name, "a Query2Box folder: it holds queries and no triples; its graph is that of the BetaE folder of the same name")
	}
	return Folder, nil
}

func (f *folder) isQuery2Box() bool {
	for name := range f.sizes {
		if strings.HasPrefix(name, "ind2ent.pkl") || strings.Contains(name, "_triples_") && strings.Contains(name, ".pkl") {
			return true
		}
	}
	return false
}

// splitStems are what the files of each split are called, apart from extensions.
var splitStems = [splitCount][]string{{"train"}, {"valid", "validation", "dev"}, {"test"}}

var splitExtensions = []string{"", ".txt", ".tsv", ".csv", ".nt", ".nq", ".ttl", ".trig", ".rdf", ".jsonld", ".parquet", ".jsonl", ".ndjson"}

// wholeExtensions are those of files that each may be a part of a graph in a folder without splits.
var wholeExtensions = slices.AppendSeq([]string{".jsonl", ".ndjson", ".json", ".dat", ".psv"}, maps.Keys(formatOfExtension))

// parts gives the files that make the graph of a folder without splits, sorted.
func (f *folder) parts() []string {
	var found []string
	for name := range maps.Keys(f.sizes) {
		known := slices.Contains(wholeExtensions, extensionOf(name)) || slices.Contains(containerExtensions, extensionOf(name))
		if known && !isAbout(name) {
			found = append(found, name)
		}
	}
	if len(found) == 0 { // a text may be a table, too
		for name := range f.sizes {
			if extensionOf(name) == ".txt" && !strings.HasPrefix(strings.ToLower(name), "readme") && !strings.HasPrefix(strings.ToLower(name), "license") {
				found = append(found, name)
			}
		}
	}
	slices.Sort(found)
	return found
}

// tableSchema is what a database says of a table.
type tableSchema struct {
	key        []string
	references map[string]string // column to table
	composites []compositeKey
}

// isAbout tells of a file that describes the tables beside it.
func isAbout(name string) bool {
	return name == "datapackage.json" || name == "package.json" || strings.HasSuffix(name, "-metadata.json") || strings.HasSuffix(name, ".schema.json") || name == "schema.json"
}

// splitFiles gives all files that may be the split, sorted.
func (f *folder) splitFiles(part split) []string {
	var found []string
	for name := range maps.Keys(f.sizes) {
		extension := extensionOf(name)
		stem, _, _ := strings.Cut(name, ".")
		plain := stem + extension
		known := slices.Contains(splitStems[part], stem) && slices.Contains(splitExtensions, extension)
		if known && slices.ContainsFunc(packings, func(p string) bool { return name == plain+p }) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// readNamedSplits reads train, valid and test files that hold names.
func (l *loader) readNamedSplits(f *folder) error {
	var files [splitCount]string
	for part := range splitCount {
		found := f.splitFiles(part)
		switch {
		case len(found) > 1:
			return kg.Errorf(kg.Invalid, f.name, "holds both %s and %s: keep one of them", found[0], found[1])
		case len(found) == 1:
			files[part] = found[0]
			l.meter.total += f.sizes[found[0]]
		case part == trainSplit && len(f.parts()) > 0:
			return l.readTogether(f, f.parts())
		case part == trainSplit:
			return kg.Errorf(kg.Invalid, f.name, "no train.txt (nor .tsv, .csv, .nt, .ttl), no train2id.txt, no tables: not a folder of triples")
		}
	}
	l.heldOut = files[validSplit] != "" || files[testSplit] != ""
	for part, name := range files {
		if name == "" {
			continue
		}
		if err := l.readSplit(f, name, split(part)); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) readSplit(f *folder, name string, part split) error {
	return l.within(f, name, func(in *input) error {
		sample, err := in.sample()
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(sample)) == 0 && part != trainSplit {
			return nil // nothing held out
		}
		return l.readFile(in, sample, part)
	})
}

// within opens a file of the folder for the time of a call.
func (l *loader) within(f *folder, name string, read func(in *input) error) error {
	file, err := f.open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return read(l.open(file, f.path(name)))
}

// need finds files that a format must have; a bar parts names of which one is enough.
func (f *folder) need(format Format, wanted ...string) ([]string, error) {
	found := make([]string, len(wanted))
	for i, alternatives := range wanted {
		names := strings.Split(alternatives, "|")
		for _, name := range names {
			if found[i] == "" {
				found[i] = f.find(name)
			}
		}
		if found[i] == "" {
			return nil, kg.Errorf(kg.NotFound, f.path(names[0]), "no such file, which %s needs", format)
		}
	}
	return found, nil
}
