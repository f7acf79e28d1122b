package read_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

func gzipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// skipped puts a frame to skip before the others, as pzstd does.
func skipped(packed []byte) []byte {
	return append([]byte{0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4}, packed...)
}

func zstandard(t testing.TB, text []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(text, nil)
}

// tarred makes the archive of a folder.
func tarred(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := w.WriteHeader(&tar.Header{Name: "data/" + name, Size: int64(len(files[name])), Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
}

func writeFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// The same two facts in every format of files, with a scheme where names need one.
var streams = map[string]string{
	"x.tsv":  "a\tr\tb\nb\tr\tc\n",
	"x.csv":  "\"a\",r,b\nb,r,c\n",
	"x.nt":   "<x:a> <x:r> <x:b> .\n<x:b> <x:r> <x:c> .\n",
	"x.nq":   "<x:a> <x:r> <x:b> <x:g> .\n<x:b> <x:r> <x:c> .\n",
	"x.ttl":  "<a> <r> <b> . <b> <r> <c> .\n",
	"x.trig": "<a> <r> <b> . <g> { <b> <r> <c> }\n",
}

// And in every format of folders.
var folders = map[read.Format]map[string]string{
	read.Folder: {"train.txt": "a\tr\tb\nb\tr\tc\n", "valid.txt": "a\tr\tc\n", "test.txt": "c\tr\ta\n"},
	read.OpenKE: {
		"entity2id.txt": "3\nb\t1\na\t0\nc\t2\n", "relation2id.txt": "1\nr\t0\n",
		"train2id.txt": "2\n0 1 0\n1 2 0\n", "valid2id.txt": "1\n0 2 0\n", "test2id.txt": "1\r\n2\t0\t0\r\n",
	},
	read.BetaE: {
		"id2ent.pkl": idMap("a", "b", "c"), "id2rel.pkl": idMap("+r", "-r"),
		"train.txt": "0\t0\t1\n1\t1\t0\n1\t0\t2\n2\t1\t1\n", "valid.txt": "0\t0\t2\n2\t1\t0\n", "test.txt": "2\t0\t0\n0\t1\t2\n",
	},
}

func packings(t testing.TB) map[string]func(text []byte) []byte {
	return map[string]func([]byte) []byte{
		"plain": func(text []byte) []byte { return text },
		"gzip":  func(text []byte) []byte { return gzipped(t, text) },
		"zstd":  func(text []byte) []byte { return zstandard(t, text) },
		"pzstd": func(text []byte) []byte { return skipped(zstandard(t, text)) },
		"twice": func(text []byte) []byte { return append(gzipped(t, text[:5]), gzipped(t, text[5:])...) },
	}
}

func checkSame(t *testing.T, what string, s *kg.Splits, err error, heldOut int) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	got := facts(s.Train)
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], "x:", "") // the scheme that some formats need
	}
	if !slices.Equal(got, []string{"a|r|b", "b|r|c"}) || s.Train.Duplicates() != 0 {
		t.Errorf("%s: got %q, %d duplicates", what, got, s.Train.Duplicates())
	}
	if len(s.Valid) != heldOut || len(s.Test) != heldOut {
		t.Errorf("%s: %d valid, %d test", what, len(s.Valid), len(s.Test))
		return
	}
	if heldOut == 0 {
		return
	}
	valid, test := s.Valid[0], s.Test[0]
	names := s.Train.Entities.Names
	if names.At(uint32(valid.Head)) != "a" || names.At(uint32(valid.Tail)) != "c" || valid.Inverse().Tail != test.Tail || valid.Relation != test.Relation {
		t.Errorf("%s: valid %v, test %v", what, valid, test)
	}
}

// TestStreams reads every format of files, plain and packed, by path and from
// standard input, where it has no name to go by.
func TestStreams(t *testing.T) {
	for name, text := range streams {
		for packing, pack := range packings(t) {
			data := pack([]byte(text))
			path := filepath.Join(writeFiles(t, map[string]string{name: string(data)}), name)
			s, err := read.Graph(t.Context(), path, read.Options{})
			checkSame(t, name+" "+packing, s, err, 0)
			format := read.Format(filepath.Ext(name)[1:])
			s, err = read.Graph(t.Context(), "-", read.Options{Stdin: iotest.OneByteReader(bytes.NewReader(data)), Format: format})
			checkSame(t, "stdin, stated "+name+" "+packing, s, err, 0)
			if format == read.Turtle || format == read.TriG {
				continue // no more than a first line tells this one
			}
			s, err = read.Graph(t.Context(), "-", read.Options{Stdin: bytes.NewReader(data)})
			checkSame(t, "stdin "+name+" "+packing, s, err, 0)
		}
	}
}

func TestTurtleIsToldByItsPrefix(t *testing.T) {
	for _, text := range []string{"# x\n@prefix : <http://x/> .\n:a :r :b .", "PREFIX : <http://x/>\n:a :r :b .", "@base <http://x/> .\n<a> <r> <b> ."} {
		expectFacts(t, "stdin", text, read.Options{}, "http://x/a|http://x/r|http://x/b")
	}
}

// TestFolders reads every format of folders, with files plain and packed, from a
// folder and from an archive on standard input.
func TestFolders(t *testing.T) {
	for format, files := range folders {
		for packing, pack := range packings(t) {
			packed := map[string]string{}
			for name, text := range files {
				extension := map[string]string{"plain": "", "gzip": ".gz", "zstd": ".zst", "pzstd": ".zstd", "twice": ".gz"}[packing]
				packed[name+extension] = string(pack([]byte(text)))
			}
			var report read.Report
			s, err := read.Graph(t.Context(), writeFiles(t, packed), read.Options{Report: func(r read.Report) { report = r }})
			checkSame(t, string(format)+" "+packing, s, err, 1)
			if report.Format != format {
				t.Errorf("read as %s, want %s", report.Format, format)
			}
			archive := pack(tarred(t, files))
			s, err = read.Graph(t.Context(), "-", read.Options{Stdin: bytes.NewReader(archive)})
			checkSame(t, "archive of "+string(format)+" "+packing, s, err, 1)
		}
	}
}

func TestDamagedCompression(t *testing.T) {
	text := []byte(strings.Repeat("some\ttriple\there\n", 10_000))
	for packing, data := range map[string][]byte{"gzip": gzipped(t, text), "zstd": zstandard(t, text)} {
		_, err := read.Stream(t.Context(), bytes.NewReader(data[:len(data)/2]), "x.tsv", read.Options{})
		expectError(t, err, kg.Invalid, "x.tsv: the compressed data")
		damaged := bytes.Clone(data)
		damaged[len(data)-3] ^= 0xff
		if _, err = read.Stream(t.Context(), bytes.NewReader(damaged), "x.tsv", read.Options{}); err == nil {
			t.Errorf("%s: no error for a wrong checksum", packing)
		} else {
			expectError(t, err, kg.Invalid, "x.tsv: the compressed data is damaged")
		}
	}
}

func TestDamagedArchive(t *testing.T) {
	archive := tarred(t, folders[read.Folder])
	for length := 512; length <= len(archive)-1024; length += 128 { // within and between files
		_, err := read.Stream(t.Context(), bytes.NewReader(archive[:length]), "x.tar", read.Options{})
		expectError(t, err, kg.Invalid, "x.tar: the archive ends early")
	}
	damaged := bytes.Clone(archive)
	damaged[1024+148] ^= 0xff // the checksum of the second header
	_, err := read.Stream(t.Context(), bytes.NewReader(damaged), "x.tar", read.Options{})
	expectError(t, err, kg.Invalid, "x.tar: the archive is damaged")
	twice := append(bytes.Clone(archive[:1024]), archive...)
	_, err = read.Stream(t.Context(), bytes.NewReader(twice), "x.tar", read.Options{})
	expectError(t, err, kg.Invalid, "x.tar: holds two files named test.txt")
}

func TestMissingSources(t *testing.T) {
	_, err := read.Graph(t.Context(), filepath.Join(t.TempDir(), "none.tsv"), read.Options{})
	expectError(t, err, kg.NotFound, "none.tsv: no such file or folder")
	_, err = read.Graph(t.Context(), "-", read.Options{})
	expectError(t, err, kg.Invalid, "stdin: standard input is not available")
	_, err = read.Graph(t.Context(), t.TempDir(), read.Options{})
	expectError(t, err, kg.Invalid, "not a folder of triples")
}

func TestReadErrorsOfTheSource(t *testing.T) {
	_, err := read.Stream(t.Context(), iotest.ErrReader(errors.New("cable pulled")), "x.tsv", read.Options{})
	expectError(t, err, kg.Failure, "x.tsv: cable pulled")
}

func TestSnapshotIsDetected(t *testing.T) {
	s, err := readText(t, "x.tsv", streams["x.tsv"], read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "graph") // no extension: the content tells
	if err := snapshot.Write(t.Context(), path, s); err != nil {
		t.Fatal(err)
	}
	labels := filepath.Join(writeFiles(t, map[string]string{"l": "a\tAlpha\n"}), "l")
	opened, err := read.Graph(t.Context(), path, read.Options{EntityLabels: labels})
	checkSame(t, "snapshot", opened, err, 0)
	if got := opened.Train.Entity(0); got != "Alpha" {
		t.Errorf("entity 0 is %q", got)
	}
	opened.Train.Close()
	_, err = read.Graph(t.Context(), path, read.Options{Format: read.TSV})
	expectError(t, err, kg.Invalid, "a snapshot, not tsv as stated")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = read.Graph(t.Context(), "-", read.Options{Stdin: bytes.NewReader(data)})
	expectError(t, err, kg.Invalid, "stdin: a snapshot is opened by its path")
}

func TestProgress(t *testing.T) {
	text := strings.Repeat("some\ttriple\there\n", 100_000)
	path := filepath.Join(writeFiles(t, map[string]string{"x.tsv": text}), "x.tsv")
	calls, last, total := 0, int64(0), int64(0)
	_, err := read.Graph(t.Context(), path, read.Options{Progress: func(read, of int64) {
		if read < last {
			t.Errorf("%d bytes after %d", read, last)
		}
		calls, last, total = calls+1, read, of
	}})
	if err != nil || calls < 3 || last != int64(len(text)) || total != int64(len(text)) {
		t.Errorf("%d calls, the last with %d of %d; %v", calls, last, total, err)
	}
	for format, files := range folders {
		size := int64(0)
		for _, text := range files {
			size += int64(len(text))
		}
		_, err := read.Graph(t.Context(), writeFiles(t, files), read.Options{Progress: func(read, of int64) { last, total = read, of }})
		if err != nil || last != size || total != size {
			t.Errorf("%s: %d of %d, want %d; %v", format, last, total, size, err)
		}
	}
}

// bzipped is streams["x.tsv"] packed by bzip2, which Go cannot write.
const bzipped = "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x16\x4b\xb7\xcb\x00\x00\x03\x41\x80\x00\x30\x38\x00\x10\x00\x20\x00\x21\x28\x69\xe8\x30\x04\x9e\xea\x21\x45\xdc\x91\x4e\x14\x24\x05\x92\xed\xf2\xc0"

func TestBzip2(t *testing.T) {
	s, err := read.Stream(t.Context(), strings.NewReader(bzipped), "x", read.Options{})
	checkSame(t, "bzip2", s, err, 0)
	_, err = read.Stream(t.Context(), strings.NewReader(bzipped[:20]), "x", read.Options{})
	expectError(t, err, kg.Invalid, "x: the compressed data ends early")
	_, err = read.Stream(t.Context(), strings.NewReader(bzipped[:30]+"xx"+bzipped[32:]), "x", read.Options{})
	expectError(t, err, kg.Invalid, "x: the compressed data is damaged")
}
