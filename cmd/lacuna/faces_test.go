package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/server"
)

// The Go API, the command line and HTTP give the same answers, to the bit.
func TestFacesAgree(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	engine, err := lacuna.Open(t.Context(), "", lacuna.Device("cpu"), lacuna.Calibrating(lacuna.CalibrationOptions{Time: -1}))
	if err != nil {
		t.Fatal(err)
	}
	service, err := server.New(t.Context(), server.Options{Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	site := httptest.NewServer(service.Handler(server.Guard{Hosts: server.LoopbackHosts}))
	defer site.Close()
	for _, question := range []string{
		lacuna.DefaultQuestion,
		"?p : Field(p, Deep Learning) & !Win(p, Turing Award)",
		"?p, ?u : exists c: Workplace(p, u) & LocatedIn(u, c) & BornIn(p, c)",
	} {
		own, err := engine.Ask(t.Context(), question, lacuna.Limit(12))
		if err != nil {
			t.Fatal(err)
		}
		want := answersAsText(t, own.Answers, own.LessLikely)
		var out, problems bytes.Buffer
		if code := run(t.Context(), []string{"ask", "--json", "-q", "--device", "cpu", "-n", "12", question}, nil, &out, &problems); code != exitOK {
			t.Fatalf("%s: exit code %d: %s", question, code, &problems)
		}
		compareFace(t, "the command line: "+question, out.Bytes(), want)
		body, err := json.Marshal(map[string]any{"question": question, "limit": 12})
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.Post(site.URL+"/api/ask", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if _, err := text.ReadFrom(response.Body); err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		compareFace(t, "HTTP: "+question, text.Bytes(), want)
	}
}

// answersAsText writes answers with every bit of their probabilities.
func answersAsText(t *testing.T, lists ...[]lacuna.Answer) string {
	t.Helper()
	var all strings.Builder
	for _, list := range lists {
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(append(text, '\n'))
	}
	return all.String()
}

func compareFace(t *testing.T, face string, text []byte, want string) {
	t.Helper()
	var r lacuna.Result
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%s: %v in %s", face, err, text)
	}
	if got := answersAsText(t, r.Answers, r.LessLikely); got != want {
		t.Errorf("%s gives\n%s\nthe API\n%s", face, got, want)
	}
}
