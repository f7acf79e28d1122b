package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// toyBetaE is a graph in the form of BetaE's releases: numbers for names.
const toyBetaE = "../../dataset/testdata/toy-betae"

// anyCQ builds a question as AnyCQ's files have them around an entity: what is stated among it and those that it leads to, with letters for the numbers.
type anyCQ struct {
	letters map[string]string // by "s7" or "r2", a number and what it is of
	ids     map[string]int    // of letters that are given
	answers []int
	atoms   []string
}

// around takes triples of a graph in until there are so many.
func around(triples [][3]int, centre, atoms int) *anyCQ {
	q := &anyCQ{letters: map[string]string{}, ids: map[string]int{}}
	reached := []int{centre}
	used := map[[3]int]bool{}
	for i := 0; i < len(reached) && len(q.atoms) < atoms; i++ {
		for _, t := range triples {
			if !used[t] && len(q.atoms) < atoms && (t[0] == reached[i] || t[2] == reached[i]) {
				used[t] = true
				q.atoms = append(q.atoms, fmt.Sprintf("(%s(%s,%s))", q.relation(t[1]), q.entity(t[0]), q.entity(t[2])))
				reached = append(reached, t[0], t[2])
			}
		}
	}
	return q
}

func (q *anyCQ) relation(r int) string {
	key := fmt.Sprint("r", r)
	if q.letters[key] == "" {
		q.letters[key] = fmt.Sprint("r", len(q.letters)+1)
		q.ids[q.letters[key]] = r
	}
	return q.letters[key]
}

// entity makes the first three answers and of the others every third one given.
func (q *anyCQ) entity(e int) string {
	key := fmt.Sprint("s", e)
	if name := q.letters[key]; name != "" {
		return name
	}
	n := len(q.letters) + 1
	switch {
	case len(q.answers) < 3:
		q.answers = append(q.answers, e)
		q.letters[key] = fmt.Sprint("f", len(q.answers))
	case n%3 == 0:
		q.letters[key] = fmt.Sprint("s", n)
		q.ids[q.letters[key]] = e
	default:
		q.letters[key] = fmt.Sprint("e", n)
	}
	return q.letters[key]
}

func (q *anyCQ) formula() string { return strings.Join(q.atoms, "&") }

// toyTriples are those of a file of the toy graph.
func toyTriples(t *testing.T, file string) (triples [][3]int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(toyBetaE, file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var triple [3]int
		if _, err := fmt.Sscan(line, &triple[0], &triple[1], &triple[2]); err != nil {
			t.Fatal(err)
		}
		triples = append(triples, triple)
	}
	return triples
}

// evaluated is what tuples says of a file.
func evaluated(t *testing.T, file any, flags ...string) (of struct {
	Types []struct {
		Questions, Variables int
		Found                struct{ Answerable, Given, Right int }
		Told                 struct {
			Right, Wrong int
			F1, AUC      float64
		}
	}
}) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "efo3.json")
	text, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"tuples", "-d", path, "-g", toyBetaE, "--split", "valid", "--json", "-q"}, flags...)
	if err := json.Unmarshal([]byte(printed(t, exec.Command("lacuna-lab", args...), true)), &of); err != nil || len(of.Types) != 1 {
		t.Fatal(of, err)
	}
	return of
}

// Questions of AnyCQ's files, tens of atoms and three answer variables, are answered by what is stated and by predictions: an answer is found
// where there is one, and right tuples are told from wrong ones.
func TestAnyCQFiles(t *testing.T) {
	train := toyTriples(t, "train.txt")
	retrieval, classification := map[string][][]any{}, map[string][][]any{}
	for centre := range 4 {
		q := around(train, centre, 24+4*centre)
		if len(q.atoms) < 24 || len(q.answers) != 3 {
			t.Fatalf("%d atoms, answers %v", len(q.atoms), q.answers)
		}
		right := map[string][][]int{"f1&f2&f3": {q.answers}}
		wrong := slices.Clone(q.answers)
		wrong[0], wrong[2] = wrong[2], wrong[0]
		retrieval[q.formula()] = append(retrieval[q.formula()], []any{q.ids, right, "e"})
		classification[q.formula()] = append(classification[q.formula()], []any{q.ids, right, map[string][][]int{"f1&f2&f3": {wrong}}})
	}
	for _, flags := range [][]string{{"-m", "exact"}, {"--device", "cpu", "--no-calibration"}} {
		found := evaluated(t, retrieval, flags...).Types[0]
		if found.Questions != 4 || found.Variables != 3 || found.Found.Answerable != 4 || found.Found.Given != 4 || found.Found.Right != 4 {
			t.Errorf("%v: retrieved %+v", flags, found)
		}
		told := evaluated(t, classification, flags...).Types[0]
		if told.Told.Right != 4 || told.Told.Wrong != 4 || told.Told.AUC != 1 || told.Told.F1 != 1 {
			t.Errorf("%v: told %+v", flags, told)
		}
	}
}
