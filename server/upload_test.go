package server

import (
	"context"
	"encoding/json"
	"mime/multipart"
	"strconv"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// taking lets files be brought, without a model on what they hold.
func taking(t testing.TB) func(*Options) {
	return func(o *Options) {
		o.Open = func(_ context.Context, g *kg.Graph, _ string) (*lacuna.Engine, error) {
			return laureates.Exact(t, g), nil
		}
	}
}

const octets = "application/octet-stream"

// bring sends a file and reads what became of it.
func bring(t *testing.T, address, file string) (int, GraphResponse, string) {
	t.Helper()
	return brought(t, address, file, octets)
}

// bringForm sends a form, of names of parts and what they hold.
func bringForm(t *testing.T, address string, parts ...string) (int, GraphResponse, string) {
	t.Helper()
	var text strings.Builder
	form := multipart.NewWriter(&text)
	for i := 0; i < len(parts); i += 2 {
		if err := form.WriteField(parts[i], parts[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return brought(t, address, text.String(), form.FormDataContentType())
}

func brought(t *testing.T, address, file, contentType string) (int, GraphResponse, string) {
	t.Helper()
	response, body := call(t, "POST", address, file, "Content-Type", contentType)
	var read GraphResponse
	_ = json.Unmarshal([]byte(body), &read)
	return response.StatusCode, read, body
}

// A graph that is brought takes the place of the one before: its facts, names and examples; versions go on.
func TestBringGraph(t *testing.T) {
	s := demo(t, Limits{}, taking(t))
	base := serve(t, s).URL
	status, read, body := bring(t, base+`/api/graph?name=C:\data\films.csv`, "film,by,land\nRan,Kurosawa,Japan\nRoma,Fellini,Italy\nAmarcord,Fellini,Italy\n")
	if status != 200 || read.Facts != 6 || read.Graph.Triples != 6 || read.Graph.Version != 2 {
		t.Fatalf("%d %s", status, body)
	}
	if read.First[0] != (kg.Fact{Head: "Ran", Relation: "by", Tail: "Kurosawa"}) || len(read.Remarks) != 1 || !strings.HasPrefix(read.Remarks[0], "films.csv: a wide table") {
		t.Errorf("read as %s", body)
	}
	response, body := call(t, "POST", base+"/api/ask", ask("?f : by(f, Fellini)"))
	if response.StatusCode != 200 || !strings.Contains(body, "Amarcord") {
		t.Errorf("%d %s", response.StatusCode, body)
	}
	info := s.Info()
	if len(info.Questions) == 0 || strings.Contains(info.Questions[0].Question, "Turing") || info.Truth {
		t.Errorf("still of the graph before: %+v", info)
	}
	if _, read, body = bring(t, base+"/api/graph?name=more.tsv&as=add", "Ran\tby\tKurosawa\nSenso\tby\tVisconti\n"); read.Facts != 2 || read.Graph.Triples != 7 || read.Graph.Version != 3 {
		t.Errorf("added: %s", body)
	}
}

// The plan of a file is given before it is read; edited, it is followed.
func TestBringByPlan(t *testing.T) {
	s := demo(t, Limits{}, taking(t))
	base, films := serve(t, s).URL, "film,by,land\nRan,Kurosawa,Japan\nRoma,Fellini,Italy\n"
	status, looked, body := bring(t, base+"/api/graph?name=films.csv&as=plan", films)
	if status != 200 || looked.Facts != 0 || looked.Graph.Version != 1 || looked.Plan == nil || looked.Plan.Tables[0].Subject != "{film}" {
		t.Fatalf("%d %s", status, body)
	}
	looked.Plan.Tables[0].Subject = "work/{film}"
	for i := range 3000 { // more than an address may hold
		looked.Plan.Tables[0].Null = append(looked.Plan.Tables[0].Null, "an empty cell, "+strconv.Itoa(i))
	}
	status, read, body := bringForm(t, base+"/api/graph?name=films.csv", "plan", string(looked.Plan.JSON()), "file", films)
	if status != 200 || read.Facts != 4 || read.First[0].Head != "work/Ran" {
		t.Errorf("%d %s", status, body)
	}
	for _, c := range []struct {
		parts []string
		want  string
	}{
		{[]string{"plan", "x", "file", films}, "no reading plan"},
		{[]string{"plan", "{}"}, "expected a part plan"},
		{[]string{"by", "{}", "file", films}, "expected plan and file"},
	} {
		if status, _, body := bringForm(t, base+"/api/graph?name=films.csv", c.parts...); status != 400 || !strings.Contains(body, c.want) {
			t.Errorf("%v: %d %s, expected %s", c.parts, status, body, c.want)
		}
	}
}

func TestBringRefused(t *testing.T) {
	closed := serve(t, small(t, Limits{})).URL
	if status, _, body := bring(t, closed+"/api/graph?name=a.tsv", smallFacts); status != 403 {
		t.Errorf("a server that others reach: %d %s", status, body)
	}
	reading := serve(t, small(t, Limits{}, taking(t), func(o *Options) { o.ReadOnly = true })).URL
	if status, _, body := bring(t, reading+"/api/graph?name=a.tsv", smallFacts); status != 403 {
		t.Errorf("read-only: %d %s", status, body)
	}
	open := serve(t, small(t, Limits{Upload: 100, Body: 60}, taking(t))).URL
	for _, c := range []struct {
		what, query, file string
		status            int
	}{
		{"no name", "", smallFacts, 400},
		{"as", "?name=a.tsv&as=guess", smallFacts, 400},
		{"no table", "?name=a.tsv", "one\ntwo\n", 400},
		{"no facts", "?name=a.tsv", "\n", 400},
		{"large", "?name=a.tsv", strings.Repeat("a\tb\tc\n", 50), 413},
		{"key", "?name=a.csv&key=nothing", "film,by\nRan,Kurosawa\n", 400},
	} {
		if status, _, body := bring(t, open+"/api/graph"+c.query, c.file); status != c.status {
			t.Errorf("%s: %d %s, want %d", c.what, status, body, c.status)
		}
	}
	if _, body := call(t, "POST", open+"/api/ask", ask("?c : in(Rome, c)")); !strings.Contains(body, "Italy") {
		t.Errorf("what was served is gone: %s", body)
	}
}

// With a journal a file is added and lasts; it cannot take the place of the graph that the journal belongs to.
func TestBringWithJournal(t *testing.T) {
	opened, err := journal.Open(t.Context(), t.TempDir(), smallGraph(t))
	if err != nil {
		t.Fatal(err)
	}
	base := serve(t, small(t, Limits{}, taking(t), func(o *Options) { o.Facts = opened })).URL
	if status, _, body := bring(t, base+"/api/graph?name=a.tsv", "Pisa\tin\tItaly\n"); status != 400 || !strings.Contains(body, "--facts") {
		t.Errorf("%d %s", status, body)
	}
	before := opened.Log.Head().Bytes
	if status, read, body := bring(t, base+"/api/graph?name=a.tsv&as=add", "Pisa\tin\tItaly\n"); status != 200 || read.Graph.Triples != 4 || opened.Log.Head().Bytes == before {
		t.Errorf("%d %s", status, body)
	}
}

// Likely missing facts of an entity come when they are asked for.
func TestLikely(t *testing.T) {
	s := demo(t, Limits{})
	for most, want := range map[int]bool{0: false, 5: true} {
		info, err := s.EntityWithLikely(t.Context(), "Alan Kay", most)
		if err != nil || len(info.Likely) > most || len(info.Likely) > 0 != want {
			t.Errorf("%d: %+v %v", most, info, err)
		}
	}
	if _, err := s.EntityWithLikely(t.Context(), "Alan Kay", -1); err == nil {
		t.Error("a negative number of facts")
	}
	if _, err := small(t, Limits{}).EntityWithLikely(t.Context(), "Rome", 5); kg.KindOf(err) != kg.Invalid {
		t.Errorf("without a model: %v", err)
	}
}
