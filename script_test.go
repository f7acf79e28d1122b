package lacuna_test

import (
	"context"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/script"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// executor answers a question on a graph; all of them must agree with the scripts.
type executor struct {
	name    string
	answers func(*testing.T, *kg.Graph, string) ([]string, error)
}

func executors() []executor {
	all := []executor{{"traverser", traverse}}
	for _, logic := range fuzzy.Logics {
		for _, plain := range []bool{false, true} {
			name := "machine, " + logic.String()
			if plain {
				name += ", plain"
			}
			opts := []lacuna.AskOption{lacuna.Logic(logic), lacuna.Plain(plain), lacuna.Limit(lacuna.All)}
			all = append(all, executor{name, func(t *testing.T, g *kg.Graph, text string) ([]string, error) {
				return ask(t, g, text, opts...)
			}})
		}
	}
	return all
}

func ask(t *testing.T, g *kg.Graph, text string, opts ...lacuna.AskOption) ([]string, error) {
	result, err := laureates.Exact(t, g).Ask(t.Context(), text, opts...)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, answer := range result.Answers {
		names = append(names, answer.Entity)
	}
	return names, nil
}

func traverse(_ *testing.T, g *kg.Graph, text string) ([]string, error) {
	q, err := query.Parse(text)
	if err != nil {
		return nil, err
	}
	expr, err := query.Bind(q, g.Vocabulary)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range symbolic.NewTraverser(g).Answers(expr) {
		names = append(names, g.Entity(e))
	}
	return names, nil
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/scripts/*.script")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		for _, ex := range executors() {
			t.Run(filepath.Base(file)+"/"+ex.name, func(t *testing.T) { runScript(t, file, ex) })
		}
	}
}

func runScript(t *testing.T, file string, ex executor) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases, err := script.Read(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, c := range cases {
		checkCase(t, file, c, ex)
	}
}

func checkCase(t *testing.T, file string, c script.Case, ex executor) {
	got, err := ex.answers(t, graphOf(t, c.Facts), c.Query)
	switch {
	case c.Fail != "" && err == nil:
		t.Errorf("%s:%d: answered %q, want an error with %q", file, c.Line, got, c.Fail)
	case c.Fail != "" && !strings.Contains(err.Error(), c.Fail):
		t.Errorf("%s:%d: error %q, want one with %q", file, c.Line, err, c.Fail)
	case c.Fail == "" && err != nil:
		t.Errorf("%s:%d: %v", file, c.Line, err)
	case c.Fail == "":
		slices.Sort(got)
		slices.Sort(c.Want)
		if !slices.Equal(got, c.Want) {
			t.Errorf("%s:%d: %s\n got %q\nwant %q", file, c.Line, c.Query, got, c.Want)
		}
	}
}

func graphOf(t *testing.T, facts []script.Fact) *kg.Graph {
	var lines strings.Builder
	for _, f := range facts {
		lines.WriteString(f.Head + "\t" + f.Relation + "\t" + f.Tail + "\n")
	}
	splits, err := read.Stream(context.Background(), strings.NewReader(lines.String()), "script", read.Options{Format: "tsv"})
	if err != nil {
		t.Fatal(err)
	}
	return splits.Train
}
