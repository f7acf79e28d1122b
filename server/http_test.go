package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/kg"
)

// TestStatuses is the contract of errors: what goes wrong, and how the client is told.
func TestStatuses(t *testing.T) {
	s := demo(t, Limits{Body: 4096, Text: 1000, Projections: 3, Memory: 200 << 10, Facts: 2, Answers: 7})
	base := serve(t, s).URL
	steps := "P[Win]({Turing Award})"
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		kind                     string
	}{
		{"no entity", "POST", "/api/ask", ask("?p : Win(p, Turing Awrd)"), 404, "not_found"},
		{"syntax", "POST", "/api/ask", ask("?p : Win(p,"), 400, "invalid"},
		{"only under negation", "POST", "/api/ask", ask("?u : exists a: Advisor(a, u) & !Workplace(a, a) & !Workplace(?u, ?v)"), 400, "invalid"},
		{"empty", "POST", "/api/ask", "{}", 400, "invalid"},
		{"no JSON", "POST", "/api/ask", "{", 400, "invalid"},
		{"two values", "POST", "/api/ask", ask("?p : Win(p, Turing Award)") + "{}", 400, "invalid"},
		{"unknown field", "POST", "/api/ask", `{"question": "?p : Win(p, Turing Award)", "temperature": 1}`, 400, "invalid"},
		{"wrong type", "POST", "/api/ask", `{"question": 7}`, 400, "invalid"},
		{"logic", "POST", "/api/ask", `{"question": "?p : Win(p, Turing Award)", "logic": "fuzzy"}`, 400, "invalid"},
		{"mode", "POST", "/api/ask", `{"question": "?p : Win(p, Turing Award)", "mode": "guess"}`, 400, "invalid"},
		{"threshold", "POST", "/api/ask", `{"question": "?p : Win(p, Turing Award)", "threshold": 1.5}`, 400, "invalid"},
		{"limit", "POST", "/api/ask", `{"question": "?p : Win(p, Turing Award)", "limit": -2}`, 400, "invalid"},
		{"top", "POST", "/api/ask", `{"question": "?p : Win(p, Turing Award)", "top": 1000}`, 400, "invalid"},
		{"long question", "POST", "/api/ask", ask("?p : Win(p, " + strings.Repeat("x", 1000) + ")"), 413, "too_large"},
		{"long body", "POST", "/api/ask", ask(strings.Repeat("x", 5000)), 413, "too_large"},
		{"many steps", "POST", "/api/ask", ask("C(" + steps + ", " + steps + ", P[Win](P[Win](" + steps + ")), P[Field](" + steps + "))"), 413, "too_large"},
		{"large sets", "POST", "/api/ask", `{"question": "D({Norway}` + strings.Repeat(", {Canada}", 20) + `)", "by": "sets"}`, 413, "too_large"},
		{"method", "GET", "/api/ask", "", 405, "invalid"},
		{"method of a GET", "POST", "/api/info", "{}", 405, "invalid"},
		{"method of a probe", "POST", "/healthz", "{}", 405, "invalid"},
		{"method of the metrics", "DELETE", "/metrics", "", 405, "invalid"},
		{"no name", "GET", "/api/entity", "", 400, "invalid"},
		{"path", "GET", "/api/answer", "", 404, "not_found"},
		{"page", "GET", "/nothing", "", 404, "not_found"},
		{"complete what", "GET", "/api/complete?q=a", "", 400, "invalid"},
		{"complete how many", "GET", "/api/complete?kind=entity&limit=many", "", 400, "invalid"},
		{"complete too many", "GET", "/api/complete?kind=entity&limit=100000", "", 400, "invalid"},
		{"entity", "GET", "/api/entity?name=Nobody", "", 404, "not_found"},
		{"explain", "POST", "/api/explain", `{"question": "?p : Win(p, Turing Award)", "entity": "Nobody"}`, 404, "not_found"},
		{"no facts", "POST", "/api/facts", "{}", 400, "invalid"},
		{"many facts", "POST", "/api/facts", `{"add": [{}, {}, {}]}`, 413, "too_large"},
		{"empty name", "POST", "/api/facts", `{"add": [{"head": "", "relation": "Win", "tail": "x"}]}`, 400, "invalid"},
		{"new relation", "POST", "/api/facts", `{"add": [{"head": "a", "relation": "likes", "tail": "b"}]}`, 400, "invalid"},
	} {
		response, body := call(t, c.method, base+c.path, c.body)
		var failure struct{ Error Error }
		if err := json.Unmarshal([]byte(body), &failure); err != nil || response.StatusCode != c.status || failure.Error.Kind != c.kind || failure.Error.Message == "" {
			t.Errorf("%s: %d %s, want %d %s", c.name, response.StatusCode, body, c.status, c.kind)
		}
	}
	_, body := call(t, "POST", base+"/api/ask", ask("?p :\n Win(p, Turing Awrd)"))
	if want := `"line":2,"column":9`; !strings.Contains(body, want) || strings.Contains(body, "query:2") {
		t.Errorf("%s, want the place %s", body, want)
	}
	if response, body := call(t, "POST", base+"/api/ask", ask("?p : Win(p, Turing Award)"), "Content-Type", "text/plain"); response.StatusCode != 415 {
		t.Errorf("text/plain gives %d %s, want 415", response.StatusCode, body)
	}
	_, body = call(t, "POST", base+"/api/ask", `{"question": "?p : Win(p, Turing Award)", "limit": -1}`)
	var listed lacuna.Result
	if err := json.Unmarshal([]byte(body), &listed); err != nil || len(listed.Answers) != 7 || len(listed.LessLikely) > 7 {
		t.Errorf("the server allows 7 answers: %v %s", err, body)
	}
}

// TestGuard checks who gets in.
func TestGuard(t *testing.T) {
	s := small(t, Limits{})
	handler := s.Handler(Guard{Tokens: []string{"secret"}, Hosts: LoopbackHosts}, nothing("/", true), nothing("/sparql", false))
	listener, err := Listen("127.0.0.1:0", Guard{}, false)
	if err != nil {
		t.Fatal(err)
	}
	go http.Serve(listener, handler)
	defer listener.Close()
	base := "http://" + listener.Addr().String()
	for _, c := range []struct {
		path    string
		headers []string
		status  int
	}{
		{"/api/info", nil, 401},
		{"/api/info", []string{"Authorization", "Bearer wrong"}, 401},
		{"/api/info", []string{"Authorization", "Basic secret"}, 401},
		{"/api/info", []string{"Authorization", "Bearer secret"}, 200},
		{"/metrics", nil, 401},
		{"/sparql", nil, 401},
		{"/", nil, 200},
		{"/healthz", nil, 200},
		{"/readyz", nil, 200},
		{"/api/info", []string{"Authorization", "Bearer secret", "Host", "evil.example"}, 403},
		{"/api/info", []string{"Authorization", "Bearer secret", "Host", "localhost:8420"}, 200},
		{"/api/info", []string{"Authorization", "Bearer secret", "Host", "[::1]:8420"}, 200},
	} {
		if response, body := call(t, "GET", base+c.path, "", c.headers...); response.StatusCode != c.status {
			t.Errorf("%s with %q: %d %s, want %d", c.path, c.headers, response.StatusCode, body, c.status)
		}
	}
	if response, _ := call(t, "GET", base+"/api/info", ""); !strings.HasPrefix(response.Header.Get("WWW-Authenticate"), "Bearer") {
		t.Errorf("a refusal that does not say how to be let in: %v", response.Header)
	}
	response, _ := call(t, "POST", base+"/api/facts", `{"add": [{"head": "a", "relation": "in", "tail": "b"}]}`,
		"Authorization", "Bearer secret", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site")
	if response.StatusCode != 403 {
		t.Errorf("a page of another origin may post facts: %d", response.StatusCode)
	}
	if response, _ := call(t, "GET", base+"/api/info", "", "Authorization", "Bearer secret", "Origin", "https://evil.example"); response.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("a page of another origin may read")
	}
}

// nothing is a mount that answers with an empty page.
func nothing(pattern string, open bool) Mount {
	return Mount{Pattern: pattern, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), Open: open}
}

// TestRoutesAreClosedUnlessListed walks all routes, those of mounts and of no mount included: without
// the token only what is listed here gets in, and what is added one day is closed until somebody lists it.
func TestRoutesAreClosedUnlessListed(t *testing.T) {
	listed := map[string]bool{"/healthz": true, "/readyz": true, "/page": true}
	s := small(t, Limits{})
	mounts := []Mount{nothing("/page", true), nothing("/sparql", false)}
	handler := s.Handler(Guard{Tokens: []string{"secret"}}, mounts...)
	status := func(path, token string) int {
		request := httptest.NewRequest("GET", path, nil)
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, request)
		return response.Code
	}
	routes := s.routes(mounts)
	if want := len(byPath(endpoints)) + 8; len(routes) != want {
		t.Errorf("%d routes, want %d", len(routes), want)
	}
	for _, r := range routes {
		for _, path := range []string{r.Pattern, r.Pattern + "/", r.Pattern + "/../" + r.Pattern, "//" + r.Pattern, r.Pattern + "?healthz"} {
			if open := status(path, "") != http.StatusUnauthorized; open && !listed[r.Pattern] {
				t.Errorf("%s is open: %d without a token", path, status(path, ""))
			}
		}
		if status(r.Pattern, "") == http.StatusUnauthorized && listed[r.Pattern] || status(r.Pattern, "secret") == http.StatusUnauthorized {
			t.Errorf("%s is closed: %d without a token, %d with it", r.Pattern, status(r.Pattern, ""), status(r.Pattern, "secret"))
		}
	}
}

func TestListenNeedsATokenBeyondLoopback(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.org:0", "nonsense"} {
		if _, err := Listen(address, Guard{}, false); kg.KindOf(err) != kg.Invalid {
			t.Errorf("%s: %v, want a refusal", address, err)
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0"} {
		listener, err := Listen(address, Guard{}, false)
		if err != nil {
			t.Fatal(err)
		}
		listener.Close()
	}
	listener, err := Listen("0.0.0.0:0", Guard{Tokens: []string{"token"}}, false)
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
}

// TestTimeLimit checks that a request ends when its time is over, and what the client is told.
func TestTimeLimit(t *testing.T) {
	s := small(t, Limits{Time: 20 * time.Millisecond, Window: time.Second})
	base := serve(t, s).URL
	response, body := call(t, "POST", base+"/api/ask", ask("?c : in(Rome, c)"))
	if response.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, `"cancelled"`) {
		t.Errorf("%d %s, want 503", response.StatusCode, body)
	}
}

// TestTooManyRequests checks the bound on requests at work, which probes are beyond.
func TestTooManyRequests(t *testing.T) {
	s := small(t, Limits{Requests: 1})
	base := serve(t, s).URL
	s.working.Add(1)
	defer s.working.Add(-1)
	if response, body := call(t, "GET", base+"/api/info", ""); response.StatusCode != 429 || response.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s, want 429 with Retry-After", response.StatusCode, body)
	}
	if response, _ := call(t, "GET", base+"/healthz", ""); response.StatusCode != 200 {
		t.Errorf("the probe gets %d", response.StatusCode)
	}
}

// TestLimited checks the bounds that other handlers get: one of a client at work for each core, so many that were begun, one that waits, no more.
func TestLimited(t *testing.T) {
	s := small(t, Limits{Queue: 1, Time: 10 * time.Second})
	inside, leave := make(chan struct{}, 100), make(chan struct{})
	server := httptest.NewServer(s.Limited(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inside <- struct{}{}
		<-leave
	})))
	defer server.Close()
	cores := runtime.GOMAXPROCS(0)
	statuses := make(chan int, 100)
	for range mostBegunByOne + 2 {
		go func() {
			response, err := http.Get(server.URL)
			if err != nil {
				statuses <- 0
				return
			}
			response.Body.Close()
			statuses <- response.StatusCode
		}()
	}
	for range cores {
		<-inside
	}
	if status := <-statuses; status != 429 {
		t.Errorf("%d, want one to be told to come again", status)
	}
	close(leave)
	for range mostBegunByOne + 1 {
		if status := <-statuses; status != 200 {
			t.Errorf("%d, want 200", status)
		}
	}
}

// TestShutdownDrains stops a server with a question at work: it is answered, and later ones are not taken.
func TestShutdownDrains(t *testing.T) {
	s := small(t, Limits{Window: 300 * time.Millisecond})
	listener, err := Listen("127.0.0.1:0", Guard{}, false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener, s.Handler(Guard{})) }()
	base := "http://" + listener.Addr().String()
	answered := make(chan int, 1)
	go func() {
		response, err := http.Post(base+"/api/ask", "application/json", strings.NewReader(ask("?c : in(Rome, c)")))
		if err != nil {
			answered <- 0
			return
		}
		response.Body.Close()
		answered <- response.StatusCode
	}()
	waitFor(t, 1, s.exact.queue)
	stop()
	if status := <-answered; status != 200 {
		t.Errorf("the question at work got %d", status)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if conn, err := net.Dial("tcp", listener.Addr().String()); err == nil {
		conn.Close()
		t.Error("the port is still open")
	}
}

// TestBrowse walks through the graph as the page does.
func TestBrowse(t *testing.T) {
	base := serve(t, demo(t, Limits{})).URL
	for path, wants := range map[string][]string{
		"/api/complete?kind=entity&q=turing+aw&limit=1": {`{"matches":[{"name":"Turing Award","id":"Turing Award","kind":"entity","facts":80}]}`},
		"/api/complete?kind=relation&q=univ":            {`"name":"University"`, `"kind":"relation"`},
		"/api/complete?kind=entity&q=zzzzzz":            {`{"matches":[]}`},
		"/api/relations":                                {`{"name":"Win","facts":283}`},
		"/api/entity?name=turing+award":                 {`"name":"Turing Award"`, `"relation":"Win^-1","base":"Win","inverse":true,"count":79`, `"relation":"AwardedBy"`},
		"/api/info":                                     {`"truth":true`, `"kind":"nbfnet"`, `"durable":false`, `"title":"A missing link"`},
		"/healthz":                                      {`"ok"`},
	} {
		response, body := call(t, "GET", base+path, "")
		for _, want := range wants {
			if response.StatusCode != 200 || !strings.Contains(body, want) {
				t.Errorf("%s: %d %s, want %s", path, response.StatusCode, body, want)
			}
		}
	}
}

// TestExplain asks for reasons over HTTP.
func TestExplain(t *testing.T) {
	base := serve(t, demo(t, Limits{})).URL
	body := fmt.Sprintf(`{"question": %q, "entity": "New York University"}`, DemoQuestions[1].Question)
	response, answer := call(t, "POST", base+"/api/explain", body)
	if response.StatusCode != 200 || !strings.Contains(answer, `"derivation":{"nodes":[{"kind":"answer","variable":"u","entity":"New York University"}`) || !strings.Contains(answer, "Yann LeCun") {
		t.Errorf("%d %s", response.StatusCode, answer)
	}
}

// TestExplainTellsItsCut checks that explanations say where links were predicted on a part of the graph, as answers do.
func TestExplainTellsItsCut(t *testing.T) {
	s := demo(t, Limits{}, func(o *Options) {
		o.Engine.Close()
		o.Engine = laureates.Engine(t, lacuna.Turing, lacuna.Cut(60))
	})
	base := serve(t, s).URL
	for _, question := range []string{DemoQuestions[0].Question, "?p, ?u : Win(p, Turing Award) & University(p, u)"} {
		for _, path := range []string{"/api/ask", "/api/explain"} {
			body := fmt.Sprintf(`{"question": %q}`, question)
			if response, answer := call(t, "POST", base+path, body); response.StatusCode != 200 || !strings.Contains(answer, `"cut_to":60`) {
				t.Errorf("%s of %s: %d %s", path, question, response.StatusCode, answer)
			}
		}
	}
}
