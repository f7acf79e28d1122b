package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/turing"
)

// needNode skips a test of the page's source where the tools for it are missing.
func needNode(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is missing (Debian: apt install nodejs npm, then npm ci --prefix server/web): the page's source is not checked")
	}
	if _, err := os.Stat("node_modules/esbuild"); err != nil {
		t.Skip("server/web/node_modules is missing (npm ci --prefix server/web): the page's source is not checked")
	}
}

func node(t *testing.T, arguments ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "node", arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("node %s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
	return string(out)
}

func TestBuiltIsCurrent(t *testing.T) {
	needNode(t)
	folder := t.TempDir()
	node(t, "build.mjs", "--page", folder)
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 7 {
		t.Fatalf("built %v, %v", files, err)
	}
	for _, file := range files {
		fresh, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(filepath.Join("built", file.Name()))
		if err != nil || !bytes.Equal(fresh, committed) {
			t.Errorf("built/%s is not what src makes (run go generate ./server/web)", file.Name())
		}
	}
}

func TestTypes(t *testing.T) {
	needNode(t)
	node(t, "node_modules/typescript/bin/tsc", "--noEmit")
}

func TestUnits(t *testing.T) {
	needNode(t)
	folder := t.TempDir()
	node(t, "build.mjs", "--test", folder)
	files, err := filepath.Glob(filepath.Join(folder, "*.test.mjs"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no unit tests were built (%v)", err)
	}
	out := node(t, append([]string{"--test"}, files...)...)
	if !strings.Contains(out, "# fail 0") && !strings.Contains(out, "ℹ fail 0") {
		t.Error(out)
	}
}

// questions cover every operation, nested in every other that may hold it.
var questions = []string{
	turing.PaperQuestion,
	"?x : x = Turing Award",
	"?p : Win(p, Turing Award) & !Field(p, Cryptography)",
	"?p : Win(p, Turing Award) & (Field(p, Cryptography) | CitizenOf(p, Norway) | BornIn(p, London))",
	"?c : exists p, u, t: Workplace(p, Bell Labs) & AlmaMater(p, u) & LocatedIn(u, t) & CityIn(t, c)",
	"?u : exists p: (Win(p, Turing Award) | Win(p, Nobel Prize in Physics)) & University(p, u) & !AlmaMater(p, Stanford University)",
	"?p : Win(p, Turing Award) & !exists s: (Advisor(s, p) & Win(s, Turing Award))",
	"?p : (exists s: Advisor(s, p) & Field(s, Deep Learning)) | (exists u: University(p, u) & LocatedIn(u, Toronto))",
	"?p : exists w: KnownFor(p, w) & !(WorkField(w, Operating Systems) & DevelopedAt(w, Bell Labs))",
	"?w : exists p: KnownFor(p, w) & p != Ken Thompson & Workplace(p, Bell Labs)",
	"?p : exists u: University(p, u)",
	"?p : Win(p, Turing Award) & forall f: (Field(p, f) -> SubfieldOf(f, Computer Science))",
}

// The picture is drawn from the steps of a result, and an edit of it writes the text anew:
// what it writes must be the question that was drawn.
func TestPictureWritesTheQuestionItShows(t *testing.T) {
	needNode(t)
	ctx := t.Context()
	splits, err := lacuna.Read(ctx, "", lacuna.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	engine := laureates.Exact(t, splits.Train)
	var steps bytes.Buffer
	var asked []*lacuna.Result
	for _, q := range questions {
		result, err := engine.Ask(ctx, q, lacuna.Limit(lacuna.All))
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		asked = append(asked, result)
		if err := json.NewEncoder(&steps).Encode(result.Steps); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range written(t, steps.String()) {
		compare(t, engine, asked[i], text)
	}
}

// written gives the text that the page makes of each line of steps.
func written(t *testing.T, steps string) []string {
	t.Helper()
	folder := t.TempDir()
	node(t, "build.mjs", "--test", folder)
	command := exec.CommandContext(t.Context(), "node", filepath.Join(folder, "roundtrip.mjs"))
	command.Stdin = strings.NewReader(steps)
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func compare(t *testing.T, engine *lacuna.Engine, asked *lacuna.Result, text string) {
	t.Helper()
	key := func(question string) string {
		q, err := engine.Prepare(question)
		if err != nil {
			t.Fatalf("%s became %s: %v", asked.Query, text, err)
		}
		return query.Key(query.Rewrite(q.Expr, query.Passes...))
	}
	if key(text) != key(asked.Query) {
		t.Errorf("%s became another question, %s", asked.Query, text)
	}
	again, err := engine.Ask(context.Background(), text, lacuna.Limit(lacuna.All))
	if err != nil || again.Total != asked.Total {
		t.Errorf("%s: %v answers became %v (%v)", text, asked.Total, again.Total, err)
	}
}
