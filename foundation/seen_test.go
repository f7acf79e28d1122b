package foundation

import (
	"flag"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

var update = flag.Bool("update", false, "write seen.tsv anew")

const data = "../../shared/data"

// The sketches are those of the graphs that scripts/gather-graphs.sh gathers to train on, and each is found in its graph whole.
func TestSeen(t *testing.T) {
	if _, err := os.Stat(data); err != nil {
		t.Skip("no public graphs in ../shared/data (docs/data.md): the sketches are not compared with them")
	}
	var text strings.Builder
	for _, path := range trainingGraphs(t) {
		splits, err := read.Graph(t.Context(), filepath.Join(data, path), read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		drawn := newSketch(name, names(splits))
		text.WriteString(drawn.String())
		if found := Seen(names(splits)); !*update && len(drawn.hashes) > 0 && !slices.ContainsFunc(found, func(o Overlap) bool { return o.Graph == name }) {
			t.Errorf("%s is not found in itself: %v", name, found)
		}
		splits.Close()
	}
	if *update {
		if err := os.WriteFile("seen.tsv", []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text.String() != sketches {
		t.Error("seen.tsv is not that of the training graphs: go test ./foundation -run TestSeen -update")
	}
}

// trainingGraphs are those that the script names.
func trainingGraphs(t *testing.T) []string {
	script := `eval "$(sed -n '/^trained=(/,/^chosen=/p' ../scripts/gather-graphs.sh | grep -v '^chosen=')"; printf '%s\n' "${trained[@]}" "${small[@]}"`
	out, err := exec.Command("bash", "-c", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

func names(s *kg.Splits) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for t := range s.Train.Triples() {
			if !yield(s.Train.Entities.Names.At(uint32(t.Head)), s.Train.Entities.Names.At(uint32(t.Tail))) {
				return
			}
		}
	}
}

// A graph of its own overlaps with nothing; a third of a training graph's facts, in any order of their ends, is found to be about a third.
func TestSeenByShare(t *testing.T) {
	graph := func(from, to int) iter.Seq2[string, string] {
		return func(yield func(string, string) bool) {
			for i := from; i < to && yield(fmt.Sprint("b", i), fmt.Sprint("a", i)); i++ {
			}
		}
	}
	s := newSketch("letters", graph(0, 9000))
	defer func(before string) { sketches = before }(sketches)
	sketches = s.String()
	if found := Seen(graph(9000, 20000)); len(found) != 0 {
		t.Errorf("another graph: %v", found)
	}
	found := Seen(graph(6000, 20000))
	if len(found) != 1 || found[0].Graph != "letters" || found[0].Facts < 2000 || found[0].Facts > 4000 {
		t.Errorf("a third of 9,000 facts: %v", found)
	}
}
