package read

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// spelled lists the facts and labels of a graph, sorted, for comparison.
func spelled(s *kg.Splits) []string {
	var list []string
	g := s.Train
	for t := range g.Triples() {
		list = append(list, fmt.Sprintf("%q %q %q", g.Entities.Names.At(uint32(t.Head)), g.Relations.Names.At(t.Relation.Base()), g.Entities.Names.At(uint32(t.Tail))))
	}
	for _, d := range []kg.Dictionary{g.Entities, g.Relations} {
		for id := range uint32(d.Names.Len()) {
			if d.Labels != nil && d.Labels.At(id) != "" {
				list = append(list, fmt.Sprintf("%q is %q", d.Names.At(id), d.Labels.At(id)))
			}
		}
	}
	slices.Sort(list)
	return list
}

// roundTrip reads a text again that was written from what another gave, and compares.
func roundTrip(t *testing.T, s *kg.Splits, written string, opts Options) {
	t.Helper()
	again, err := Stream(context.Background(), strings.NewReader(written), "again", opts)
	if err != nil {
		t.Fatalf("%q: %v", written, err)
	}
	if got, want := spelled(again), spelled(s); !slices.Equal(got, want) {
		t.Fatalf("%q: got %q, want %q", written, got, want)
	}
}

// asCSV writes facts with all names in quotes.
func asCSV(g *kg.Graph) string {
	quote := func(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
	var b strings.Builder
	for t := range g.Triples() {
		b.WriteString(strings.Join([]string{
			quote(g.Entities.Names.At(uint32(t.Head))), quote(g.Relations.Names.At(t.Relation.Base())), quote(g.Entities.Names.At(uint32(t.Tail))),
		}, ",") + "\n")
	}
	return b.String()
}

// asNTriples writes facts and labels as N-Triples.
func asNTriples(g *kg.Graph) string {
	term := func(name string) string {
		if strings.HasPrefix(name, "_:") || strings.HasPrefix(name, `"`) {
			return name
		}
		return "<" + name + ">"
	}
	var b strings.Builder
	for t := range g.Triples() {
		fmt.Fprintf(&b, "%s <%s> %s .\n", term(g.Entities.Names.At(uint32(t.Head))), g.Relations.Names.At(t.Relation.Base()), term(g.Entities.Names.At(uint32(t.Tail))))
	}
	for _, d := range []kg.Dictionary{g.Entities, g.Relations} {
		for id := range uint32(d.Names.Len()) {
			if d.Labels == nil || d.Labels.At(id) == "" {
				continue
			}
			literal := []byte{'"'}
			for _, char := range d.Labels.At(id) {
				literal = rdf.AppendEscaped(literal, char)
			}
			fmt.Fprintf(&b, "%s <%s> %s\" .\n", term(d.Names.At(id)), kg.RDFSLabel, literal)
		}
	}
	return b.String()
}

// knownKind fails on errors that do not say whose fault they are, or take more than a line.
func knownKind(t *testing.T, err error) {
	t.Helper()
	if kg.KindOf(err) == kg.Failure || strings.ContainsAny(err.Error(), "\n") {
		t.Fatalf("error %q", err)
	}
}

func FuzzTSV(f *testing.F) {
	f.Add("a\tr\tb\nb\tr\tc\n", "")
	f.Add("head,relation,tail\r\n\"a, \"\"b\"\"\",r,\"c\nd\"\r\n", "")
	f.Add("\xef\xbb\xbfa;b;r;1\n", "htr-")
	f.Add("\"Alan Turing\" field \"x\n", "rht")
	f.Add("a|r|\"b\"c\n", "")
	f.Add("id,name,year,genre\n1,Ran,1985,War|Drama\n2,Roma,1972,Drama\n", "")
	f.Add("p:ID(P),born:int,roles:string[],:LABEL\n1,1970,a;b,X;Y\n", "")
	f.Add("source,target,label,weight\na,b,r,1\n", "")
	f.Fuzz(func(t *testing.T, text, columns string) {
		s, err := Stream(t.Context(), strings.NewReader(text), "x.tsv", Options{Columns: columns})
		if err != nil {
			knownKind(t, err)
			return
		}
		s.Train.Entities.Labels = nil // which a table of triples cannot state
		roundTrip(t, s, asCSV(s.Train), Options{Format: CSV, Delimiter: ',', Columns: "hrt", Header: No})
	})
}

func FuzzNTriples(f *testing.F) {
	f.Add("<http://x/a> <http://x/r> _:b.1 .# c\n")
	f.Add("<x:a> <x:r> \"b\\\"\\u00e9\\n\"@en-GB .\n_:x <x:r> \"5\"^^<http://t> .\r\n")
	f.Add("<x:a> <" + kg.RDFSLabel + "> \"A\\n\" .\n<x:a> <x:r> <x:b> .\n<x:r> <" + kg.RDFSLabel + "> \"R\"@en .")
	f.Fuzz(func(t *testing.T, text string) { fuzzRDF(t, text, NTriples) })
}

func FuzzNQuads(f *testing.F) {
	f.Add("<x:a> <x:r> _:b <x:g> .\n<x:a> <x:r> \"b\"@en .")
	f.Fuzz(func(t *testing.T, text string) { fuzzRDF(t, text, NQuads) })
}

func FuzzTriG(f *testing.F) {
	f.Add("@prefix : <http://x/> . :a :r :b . :g { :b :r [ :s (1 2) ] } GRAPH [] { :c :r 'd' . }")
	f.Fuzz(func(t *testing.T, text string) { fuzzRDF(t, text, TriG) })
}

func FuzzTurtle(f *testing.F) {
	f.Add("@prefix : <http://x/> . @base <http://y/z> .\n:a a <b>, [ :r (1 2.5 -3e4 true) ] ; :s \"\"\"l\n\"\"\"@en, 'x'^^:t .")
	f.Add("PREFIX p.q: <x> p.q:a%20b p.q:r\\~ _:c.d .")
	f.Add("<a> <" + kg.RDFSLabel + "> \"A\", 'B' ; <r> <b> .")
	f.Add("[ <r> [] ] . _:anon.1 <r> ( () ) .")
	f.Fuzz(func(t *testing.T, text string) { fuzzRDF(t, text, Turtle) })
}

// fuzzRDF reads what was written again, as N-Triples where it is some and as Turtle,
// which also has IRIs without a scheme.
func fuzzRDF(t *testing.T, text string, format Format) {
	s, err := Stream(t.Context(), strings.NewReader(text), "x", Options{Format: format})
	if err != nil {
		knownKind(t, err)
		return
	}
	written := asNTriples(s.Train)
	if lines := format == NTriples || format == NQuads; lines || allAbsolute(written) {
		roundTrip(t, s, written, Options{Format: NTriples})
	}
	roundTrip(t, s, written, Options{Format: Turtle})
}

// allAbsolute tells whether every line is a statement of N-Triples.
func allAbsolute(written string) bool {
	var s statement
	for line := range strings.Lines(written) {
		if errors.Is(s.parse([]byte(strings.TrimSpace(line))), errRelative) {
			return false
		}
	}
	return true
}

// readFiles reads a folder that exists in memory only.
func readFiles(ctx context.Context, files map[string]string) (*kg.Splits, error) {
	f := &folder{name: "folder", sizes: map[string]int64{}, open: func(name string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(files[name])), nil
	}}
	for name, text := range files {
		f.sizes[name] = int64(len(text))
	}
	return readWith(ctx, Options{}, func(l *loader) error { return l.readFolder(f) })
}

// inRange fails if a triple is outside the vocabulary, which would let later stages panic.
func inRange(t *testing.T, s *kg.Splits) {
	t.Helper()
	for _, triple := range slices.Concat(s.Valid, s.Test, slices.Collect(s.Train.Triples())) {
		entities := kg.Entity(s.Train.NumEntities())
		if triple.Head >= entities || triple.Tail >= entities || int(triple.Relation) >= s.Train.NumRelations() || triple.Relation.IsInverse() {
			t.Fatalf("triple %v of %d entities and %d relations", triple, entities, s.Train.NumRelations())
		}
	}
}

func FuzzOpenKE(f *testing.F) {
	f.Add("2\na\t0\nb\t1\n", "1\nr\t0\n", "1\n0 1 0\n", "1\r\n1\t0\t0\r\n")
	f.Add("2\na b 1\nb\t0\n", "1\nr 0\n", "2\n0 1 0\n0 1 0", "0")
	f.Fuzz(func(t *testing.T, entities, relations, train, test string) {
		s, err := readFiles(t.Context(), map[string]string{
			"entity2id.txt": entities, "relation2id.txt": relations, "train2id.txt": train, "test2id.txt": test,
		})
		if err != nil {
			knownKind(t, err)
			return
		}
		inRange(t, s)
	})
}

func FuzzBetaE(f *testing.F) {
	f.Add([]byte("(dI0\nVa\nsI1\nVb\ns."), []byte("(dI0\nV+r\nsI1\nV-r\ns."), "0\t0\t1\n1\t1\t0\n", "1 1 0\n")
	f.Add([]byte("(dVa\nI0\ns."), []byte("(dVr\nI0\nsVr_reverse\nI1\ns."), "0 0 0\n", "")
	f.Fuzz(func(t *testing.T, entities, relations []byte, train, valid string) {
		s, err := readFiles(t.Context(), map[string]string{
			"id2ent.pkl": string(entities), "id2rel.pkl": string(relations), "train.txt": train, "valid.txt": valid,
		})
		if err != nil {
			knownKind(t, err)
			return
		}
		inRange(t, s)
	})
}

func FuzzLabels(f *testing.F) {
	f.Add("a\tAlpha\nb\tBeta\r\n")
	f.Add("\xef\xbb\xbfa\tA\n\nz\tZ\na\tA")
	f.Add("a\nb\t\t\n")
	var interner kg.Interner
	for _, name := range []string{"a", "b", "0"} {
		interner.Intern([]byte(name))
	}
	names := interner.Names()
	f.Fuzz(func(t *testing.T, text string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		l := &loader{ctx: ctx}
		labels, err := l.readLabels(l.open(strings.NewReader(text), "labels"), names)
		if err != nil {
			knownKind(t, err)
			return
		}
		lines := l.report.UnknownLabels
		for id, label := range labels {
			if strings.ContainsAny(label, "\n\t\x00") || label != "" && !bytes.Contains([]byte(text), []byte(names.At(uint32(id))+"\t"+label)) {
				t.Fatalf("label %q of %q is not in the text", label, names.At(uint32(id)))
			}
			if label != "" {
				lines++
			}
		}
		if lines > strings.Count(text, "\n")+1 {
			t.Fatalf("%d labels from %q", lines, text)
		}
	})
}
