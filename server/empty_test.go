package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

func emptyGraph(t *testing.T) *kg.Graph {
	t.Helper()
	splits, err := read.Stream(t.Context(), strings.NewReader(""), "nothing", read.Options{Format: read.NTriples})
	if err != nil {
		t.Fatal(err)
	}
	return splits.Train
}

// A graph without facts is served with the model that takes any, is told facts, predicts on them, and is fitted to when there are enough.
func TestEmptyGraphIsFilled(t *testing.T) {
	fits := 0
	s := small(t, Limits{}, func(o *Options) {
		o.Engine.Close()
		engine, err := lacuna.New(t.Context(), emptyGraph(t), lacuna.Device("cpu"),
			lacuna.Calibrating(lacuna.CalibrationOptions{Rows: 60, Done: func(c lacuna.Calibrated) {
				if c.Failed == nil {
					fits++
				}
			}}))
		if err != nil {
			t.Fatal(err)
		}
		o.Engine, o.Questions = engine, nil
	})
	base := serve(t, s).URL
	for _, path := range []string{"/api/info", "/api/relations", "/api/complete?kind=entity&q=a", "/api/complete?kind=relation"} {
		if response, body := call(t, "GET", base+path, ""); response.StatusCode != 200 {
			t.Errorf("%s: %d %s", path, response.StatusCode, body)
		}
	}
	if response, body := call(t, "POST", base+"/api/ask", ask("?x : likes(Ann, x)")); response.StatusCode != 404 {
		t.Errorf("nothing to ask about: %d %s", response.StatusCode, body)
	}
	tell := func(facts ...kg.Fact) {
		if _, err := s.Change(t.Context(), FactsRequest{Add: facts}); err != nil {
			t.Fatal(err)
		}
	}
	tell(fact("Ann", "likes", "Bob"), fact("Bob", "likes", "Cid"))
	if _, body := call(t, "POST", base+"/api/ask", ask("?x : likes(Ann, x)")); !strings.Contains(body, `{"entity":"Bob","probability":1,"known":true}`) {
		t.Errorf("%s", body)
	}
	if len(s.Info().Questions) == 0 {
		t.Error("no example questions of what it was told")
	}
	var many []kg.Fact
	for i := range 300 {
		many = append(many, fact(fmt.Sprint("person ", i), "speaks", fmt.Sprint("language ", i%5)), fact(fmt.Sprint("person ", i), "livesIn", fmt.Sprint("town ", i%20)), fact(fmt.Sprint("town ", i%20), "in", fmt.Sprint("country ", i%5)))
	}
	tell(many...)
	if _, err := s.Ask(t.Context(), AskRequest{Question: "?x : livesIn(person 7, x)"}); err != nil || fits != 1 {
		t.Errorf("%d fits, %v", fits, err)
	}
}

func TestNamesAreBounded(t *testing.T) {
	s := small(t, Limits{Name: 20})
	long := strings.Repeat("x", 21)
	for _, f := range []kg.Fact{fact(long, "in", "Italy"), fact("Rome", long, "Italy"), fact("Rome", "in", long)} {
		if _, err := s.Change(t.Context(), FactsRequest{Add: []kg.Fact{f}}); kg.KindOf(err) != kg.TooLarge {
			t.Errorf("%v: %v", f, err)
		}
	}
	if response, body := call(t, "POST", serve(t, s).URL+"/api/facts", `{"add": [{"head": "`+long+`", "relation": "in", "tail": "Italy"}]}`); response.StatusCode != 413 {
		t.Errorf("%d %s", response.StatusCode, body)
	}
	if _, err := s.Change(t.Context(), FactsRequest{Add: []kg.Fact{fact(long[1:], "in", "Italy")}}); err != nil {
		t.Error(err)
	}
}

// Versions go on where they ended, over restarts and compactions.
func TestVersionsNeverGoBack(t *testing.T) {
	folder, last := t.TempDir(), uint64(0)
	for run := range 4 {
		opened, err := journal.Open(t.Context(), folder, smallGraph(t))
		if err != nil {
			t.Fatal(err)
		}
		compact := int64(1 << 20)
		if run%2 == 1 {
			compact = 1 // after each change
		}
		s := small(t, Limits{Compact: compact}, func(o *Options) {
			o.Engine, err = lacuna.New(t.Context(), opened.Graph, lacuna.Model(lacuna.Exact))
			o.Facts = opened
		})
		if err != nil {
			t.Fatal(err)
		}
		if v := s.Info().Graph.Version; v < last {
			t.Errorf("run %d begins with version %d after %d", run, v, last)
		}
		for i := range 3 {
			response, err := s.Change(t.Context(), FactsRequest{Add: []kg.Fact{fact(fmt.Sprintf("town %d %d", run, i), "in", "Italy")}})
			if err != nil || response.Version <= last {
				t.Fatalf("version %+v after %d, %v", response, last, err)
			}
			last = response.Version
		}
		opened.Log.Close()
	}
	if last != 13 {
		t.Errorf("twelve changes led to version %d", last)
	}
}
