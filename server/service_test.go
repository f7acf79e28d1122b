package server

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// demo is a service on the embedded graph with its model and its truth.
func demo(t testing.TB, limits Limits, change ...func(*Options)) *Service {
	t.Helper()
	options := Options{Engine: laureates.Engine(t, lacuna.Turing), Questions: DemoQuestions, Limits: limits}
	for _, c := range change {
		c(&options)
	}
	s, err := New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// small is a service on a graph of three facts, without a model.
func small(t testing.TB, limits Limits, change ...func(*Options)) *Service {
	t.Helper()
	return demo(t, limits, append([]func(*Options){func(o *Options) {
		o.Engine.Close()
		o.Engine = laureates.Exact(t, smallGraph(t))
	}}, change...)...)
}

const smallFacts = "Rome\tin\tItaly\nOslo\tin\tNorway\nAda\tbornIn\tRome\n"

func smallGraph(t testing.TB) *kg.Graph {
	t.Helper()
	splits, err := read.Stream(t.Context(), strings.NewReader(smallFacts), "small.tsv", read.Options{Format: read.TSV})
	if err != nil {
		t.Fatal(err)
	}
	return splits.Train
}

// serve is the service over HTTP.
func serve(t testing.TB, s *Service) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(s.Handler(Guard{Hosts: LoopbackHosts}))
	t.Cleanup(server.Close)
	return server
}

// call sends a request and gives status and body.
func call(t testing.TB, method, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(data)
}

func ask(question string) string {
	body, _ := json.Marshal(AskRequest{Question: question})
	return string(body)
}

// TestDemoQuestions holds the prepared questions to what they promise.
func TestDemoQuestions(t *testing.T) {
	s := demo(t, Limits{}, func(o *Options) { o.Engine, o.Calibrate = laureates.Engine(t, lacuna.Turing, laureates.Fitted()), true })
	if len(DemoQuestions) != 6 {
		t.Errorf("%d questions, want six", len(DemoQuestions))
	}
	responses := map[string]*AskResponse{}
	for _, q := range DemoQuestions {
		r, err := s.Ask(t.Context(), AskRequest{Question: q.Question})
		if err != nil {
			t.Fatalf("%s: %v", q.Title, err)
		}
		if len(r.Shown()) == 0 || q.Why == "" {
			t.Errorf("%s: no answer, or no reason to ask", q.Title)
		}
		responses[q.Title] = r
	}
	for title, names := range map[string][]string{ // predicted and right
		"A missing link": {"MIT"}, "The paper's question": {"New York University"},
		"Either, or":   {"Dennis Ritchie", "Robert Kahn", "Charles Thacker"},
		"A long chain": {"Norway"},
		"A count":      {"Silvio Micali"},
	} {
		for _, name := range names {
			if a := answerOf(responses[title], name); a == nil || a.Known || !*a.Right {
				t.Errorf("%s: %s is %+v, want predicted and right", title, name, a)
			}
		}
	}
	if a := answerOf(responses["A missing link"], "MIT"); a.Probability < 0.5 {
		t.Errorf("A missing link: MIT has %v, want the discovery above one half", a.Probability)
	}
	if a := answerOf(responses["Negation"], "Andrew Yao"); a == nil || a.Probability == 1 || !a.Known {
		t.Errorf("Negation: Andrew Yao is certain, or no answer: %+v", a)
	}
	if known := answersKnown(responses["A long chain"]); known != 0 {
		t.Errorf("A long chain: the graph alone has %d answers", known)
	}
	if r := responses["A count"]; answersKnown(r) != 11 || r.Expected <= 11 || r.Expected >= 13 { // 12 are right
		t.Errorf("A count: %d known answers, %v expected; want 11, and between 11 and 13", answersKnown(r), r.Expected)
	}
}

func answerOf(r *AskResponse, name string) *lacuna.Answer {
	for _, a := range r.Shown() {
		if a.Entity == name {
			return &a
		}
	}
	return nil
}

func answersKnown(r *AskResponse) (n int) {
	for _, a := range r.Answers {
		if a.Known {
			n++
		}
	}
	return n
}

// TestConcurrentQuestions asks all at once, each with options of its own, and
// compares with one at a time.
func TestConcurrentQuestions(t *testing.T) {
	s, alone := demo(t, Limits{Cache: -1}), demo(t, Limits{Cache: -1, Batch: 1})
	var requests []AskRequest
	for i, q := range DemoQuestions {
		requests = append(requests, AskRequest{Question: q.Question, Limit: i + 1}, AskRequest{Question: q.Question, Mode: modeExact},
			AskRequest{Question: q.Question, Logic: "godel"}, AskRequest{Question: q.Question, DoubtKnown: true, Top: 2})
	}
	got := make([]*AskResponse, len(requests))
	var wait sync.WaitGroup
	for i, r := range requests {
		wait.Go(func() { got[i], _ = s.Ask(context.Background(), r) })
	}
	wait.Wait()
	for i, r := range requests {
		want, err := alone.Ask(t.Context(), r)
		if err != nil || got[i] == nil {
			t.Fatal(err, got[i])
		}
		want.Stats, got[i].Stats = lacuna.Stats{}, lacuna.Stats{}
		if g, w := encode(t, got[i]), encode(t, want); g != w {
			t.Errorf("%+v in company:\n%s\nalone:\n%s", r, g, w)
		}
	}
	if batches := value(t, s.metrics.predict.sizes); batches >= 15 {
		t.Errorf("%v batches for 15 predictions in three ways", batches)
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
