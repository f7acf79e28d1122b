package snapshot_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// annotations lists what is said of facts.
func annotations(g *kg.Graph) map[kg.Triple][][]kg.Annotation {
	all := map[kg.Triple][][]kg.Annotation{}
	for t := range g.Triples() {
		if said := g.Annotations().Of(t); said != nil {
			all[t] = said
		}
	}
	return all
}

// A snapshot keeps annotations, every byte of them counts, and one without any is of the format that it was.
func TestAnnotationsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.lacuna")
	write := func(text string) *kg.Splits {
		t.Helper()
		s, err := read.Stream(t.Context(), strings.NewReader(text), "test.csv", read.Options{})
		if err == nil {
			err = snapshot.Write(t.Context(), path, s)
		}
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	write("head,relation,tail\na,knows,b\n")
	plain, err := os.ReadFile(path)
	if err != nil || plain[8] >= 5 {
		t.Errorf("a graph without annotations has format %d: %v", plain[8], err)
	}
	s := write("head,relation,tail,since,by\na,knows,b,1999,x\na,knows,b,2005,\nb,knows,c,,y\nc,knows,a,,\n")
	opened, err := snapshot.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if got, want := annotations(opened.Train), annotations(s.Train); !reflect.DeepEqual(got, want) || len(want) != 2 {
		t.Errorf("got %v, want %v", got, want)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(data); i += 7 {
		flipped := slices.Clone(data)
		flipped[i] ^= 1
		if err := os.WriteFile(path+".flipped", flipped, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := snapshot.Open(path + ".flipped"); err == nil {
			t.Fatalf("byte %d of %d is flipped, and nobody minds", i, len(data))
		}
	}
}
