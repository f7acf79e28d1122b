package server

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/gaps"
)

// decodeLines decodes JSON lines.
func decodeLines(t *testing.T, text string) (lines []gaps.Line) {
	t.Helper()
	for text := range strings.Lines(text) {
		var l gaps.Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		lines = append(lines, l)
	}
	return lines
}

func TestPredictionsAreStreamed(t *testing.T) {
	base := serve(t, demo(t, Limits{})).URL
	response, text := call(t, "POST", base+"/api/predict", `{"relation": "CitizenOf", "entities": ["Yoshua Bengio", "Alan Kay"], "top": 2, "least": 0.0001, "why": true}`)
	lines := decodeLines(t, text)
	if response.Header.Get("Content-Type") != "application/x-ndjson" || len(lines) != 4 {
		t.Fatalf("%v %s", response.Header, text)
	}
	if lines[0].Head != "Yoshua Bengio" || lines[0].Relation != "CitizenOf" || lines[0].Probability < lines[1].Probability {
		t.Errorf("%+v", lines)
	}
	_, text = call(t, "POST", base+"/api/predict", `{"missing": 3}`)
	if lines := decodeLines(t, text); len(lines) != 3 || lines[0].Stated {
		t.Errorf("missing: %s", text)
	}
	_, text = call(t, "POST", base+"/api/predict", `{"score": [{"head": "Alan Kay", "relation": "Win", "tail": "Turing Award"}]}`)
	if lines := decodeLines(t, text); len(lines) != 1 || !lines[0].Stated || lines[0].Probability != 1 {
		t.Errorf("score: %s", text)
	}
}

func TestPredictionsAreRefused(t *testing.T) {
	base := serve(t, demo(t, Limits{})).URL
	for body, status := range map[string]int{
		`{}`:                                   400,
		`{"relation": "Win", "top": -1}`:       400,
		`{"relation": "Nothing"}`:              404,
		`{"missing": 3, "score": [{}]}`:        400,
		`{"missing": 3, "relation": "Nobody"}`: 404,
		`{"score": [{"head": "x"}]}`:           404,
	} {
		if response, text := call(t, "POST", base+"/api/predict", body); response.StatusCode != status {
			t.Errorf("%s: %d %s", body, response.StatusCode, text)
		}
	}
}

func TestAuditOverHTTP(t *testing.T) {
	base := serve(t, demo(t, Limits{})).URL
	_, text := call(t, "POST", base+"/api/audit", `{"relation": "CitizenOf", "facts": 20, "limit": 3}`)
	var response AuditResponse
	if err := json.Unmarshal([]byte(text), &response); err != nil || response.Facts != 20 || len(response.List) != 3 || response.Trial.Planted == 0 {
		t.Errorf("%s: %v", text, err)
	}
}

// A stream goes on beyond the time limit of other requests.
func TestStreamsAreNotCutOff(t *testing.T) {
	limit := 5 * time.Millisecond
	s := demo(t, Limits{Time: limit})
	listener, err := Listen("127.0.0.1:0", Guard{}, false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go s.Serve(ctx, listener, s.Handler(Guard{}))
	began := time.Now()
	_, text := call(t, "POST", "http://"+listener.Addr().String()+"/api/predict", `{"relation": "Field", "top": 1, "least": 0.000001}`)
	lines := decodeLines(t, text)
	if heads := 100; len(lines) < heads || time.Since(began) < 4*limit {
		t.Errorf("%d lines after %v", len(lines), time.Since(began))
	}
}
