package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/internal/pgtest"
	"github.com/lacuna-kg/lacuna/journal/journaltest"
	"github.com/lacuna-kg/lacuna/journal/postgres"
	"github.com/lacuna-kg/lacuna/kg"
)

// replica is a server of the small graph whose facts are in a database.
type replica struct {
	*Service
	http *httptest.Server
}

func newReplica(t *testing.T, url string, limits Limits) *replica {
	t.Helper()
	opened, err := postgres.Open(t.Context(), url, smallGraph(t), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Log.Close() })
	s := small(t, limits, func(o *Options) {
		o.Engine.Close()
		o.Engine, o.Facts = laureates.Exact(t, opened.Graph), opened
	})
	return &replica{s, serve(t, s)}
}

// post changes facts over HTTP.
func (r *replica) post(t *testing.T, request FactsRequest) (status int, answer FactsResponse, text string) {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	response, text := call(t, "POST", r.http.URL+"/api/facts", string(body))
	_ = json.Unmarshal([]byte(text), &answer)
	return response.StatusCode, answer, text
}

func adding(head string) FactsRequest {
	return FactsRequest{Add: []kg.Fact{fact(head, "in", "Norway")}}
}

// add adds a city, which has to succeed.
func (r *replica) add(t *testing.T, head string) uint64 {
	t.Helper()
	status, answer, text := r.post(t, adding(head))
	if status != http.StatusOK || answer.Added != 1 || !answer.Durable {
		t.Fatalf("%s: %d %s", head, status, text)
	}
	return answer.Version
}

// has asks for a city on a version.
func (r *replica) has(t *testing.T, head string, version uint64) (status int, there bool) {
	t.Helper()
	response, _ := call(t, "GET", fmt.Sprintf("%s/api/entity?name=%s&min_version=%d", r.http.URL, head, version), "")
	return response.StatusCode, response.StatusCode == http.StatusOK
}

func (r *replica) readiness(t *testing.T) (int, string) {
	t.Helper()
	response, text := call(t, "GET", r.http.URL+"/readyz", "")
	return response.StatusCode, text
}

// happens waits for what is to happen by itself.
func happens(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for began := time.Now(); !happened(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("%s: not within 20 s", what)
		}
	}
}

// TestReplicas tests servers that share a database, each case with a log of its own.
func TestReplicas(t *testing.T) {
	t.Parallel()
	c := pgtest.Start(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *pgtest.Cluster, string)
	}{
		{"own_writes", testOwnWrites}, {"repeated", testRepeatedRequest}, {"lag", testLag}, {"backup", testBackup}, {"behind", testFellBehind}, {"cut_off", testCutOff},
		{"down", testDatabaseDown}, {"lost", testLostCommit},
	} {
		t.Run(test.name, func(t *testing.T) {
			c.Schema(test.name)
			test.run(t, c, "?search_path="+test.name)
		})
	}
}

// testOwnWrites writes to one server and reads from another, at once.
func testOwnWrites(t *testing.T, c *pgtest.Cluster, schema string) {
	one, two := newReplica(t, c.URL()+schema, Limits{Wait: 2 * time.Second}), newReplica(t, c.URL()+schema, Limits{Wait: 2 * time.Second})
	for i := range 20 {
		head := fmt.Sprint("city", i)
		began := time.Now()
		version := one.add(t, head)
		acknowledged := time.Since(began)
		if version != uint64(i+2) {
			t.Fatalf("version %d after %d changes", version, i+1)
		}
		if status, there := two.has(t, head, version); !there {
			t.Fatalf("%s is not read at version %d: %d", head, version, status)
		}
		t.Logf("confirmed after %v, read from the other after %v", acknowledged, time.Since(began))
		one, two = two, one
	}
	if status, _ := two.has(t, "Rome", 1000); status != http.StatusPreconditionFailed && status != http.StatusServiceUnavailable {
		t.Errorf("a version that is not there: %d", status)
	}
	if response, text := call(t, "GET", two.http.URL+"/api/info?min_version=x", ""); response.StatusCode != http.StatusBadRequest {
		t.Errorf("%d %s", response.StatusCode, text)
	}
	_, metrics := call(t, "GET", two.http.URL+"/metrics", "")
	for _, want := range []string{"lacuna_log_version 20", "lacuna_log_lag_entries 0", "lacuna_log_lag_seconds 0", "lacuna_log_reachable 1", "lacuna_log_rebuilds_total 0"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %q among the metrics", want)
		}
	}
}

// testRepeatedRequest sends requests again under their keys, to others and at the same time: each is made once.
func testRepeatedRequest(t *testing.T, c *pgtest.Cluster, schema string) {
	one, two := newReplica(t, c.URL()+schema, Limits{}), newReplica(t, c.URL()+schema, Limits{})
	request := adding("Bergen")
	request.Key = "a key"
	_, first, _ := one.post(t, request)
	if _, removed, text := one.post(t, FactsRequest{Remove: request.Add}); removed.Removed != 1 {
		t.Fatal(text)
	}
	for _, r := range []*replica{one, two} {
		if _, again, text := r.post(t, request); again != first || first.Added != 1 {
			t.Errorf("%s, before %+v", text, first)
		}
	}
	if _, there := two.has(t, "Bergen", first.Version); !there {
		t.Fatal("an entity is gone")
	}
	response, text := call(t, "POST", two.http.URL+"/api/ask", `{"question": "?c : in(c, Norway)"}`)
	if response.StatusCode != http.StatusOK || strings.Contains(text, `"Bergen"`) {
		t.Errorf("a request that was sent again was made again: %s", text)
	}
	done := make(chan FactsResponse)
	request = adding("Tromsø")
	request.Key = "another"
	for range 8 {
		go func() { _, answer, _ := one.post(t, request); done <- answer }()
	}
	for range 8 {
		if answer := <-done; answer.Added != 1 {
			t.Errorf("%+v", answer)
		}
	}
}

// testLag keeps a server from making what it knows to be in the log: it says so, and that no requests should come to it.
func testLag(t *testing.T, c *pgtest.Cluster, schema string) {
	slow, other := newReplica(t, c.URL()+schema, Limits{Lag: 50 * time.Millisecond}), newReplica(t, c.URL()+schema, Limits{})
	slow.writing.Lock()
	version := other.add(t, "Bergen")
	happens(t, "the server says that it is behind", func() bool {
		status, text := slow.readiness(t)
		return status == http.StatusServiceUnavailable && strings.Contains(text, "behind the log of facts") && strings.Contains(text, "by 1 entries")
	})
	if _, metrics := call(t, "GET", slow.http.URL+"/metrics", ""); !strings.Contains(metrics, "lacuna_log_lag_entries 1") || strings.Contains(metrics, "lacuna_log_lag_seconds 0\n") {
		t.Error("the metrics do not say so")
	}
	slow.writing.Unlock()
	if status, there := slow.has(t, "Bergen", version); !there {
		t.Error(status)
	}
	happens(t, "and that it is level again", func() bool { status, _ := slow.readiness(t); return status == http.StatusOK })
}

// testBackup dumps the tables while servers run, loses them later, and puts them back: servers go on from there by themselves.
func testBackup(t *testing.T, c *pgtest.Cluster, schema string) {
	one, two := newReplica(t, c.URL()+schema, Limits{}), newReplica(t, c.URL()+schema, Limits{})
	one.add(t, "kept")
	dump := c.Dump("backup")
	if status, there := one.has(t, "later", two.add(t, "later")); !there { // else it has nothing to take back
		t.Fatal(status)
	}
	c.SQL("DROP TABLE backup.lacuna_log, backup.lacuna_entry, backup.lacuna_request, backup.lacuna_sum")
	happens(t, "a server without its tables says so", func() bool { status, _ := one.readiness(t); return status == http.StatusServiceUnavailable })
	c.Load(dump)
	for _, r := range []*replica{one, two} {
		happens(t, "the graph is rebuilt", func() bool { return r.follower.rebuilds.Load() == 1 })
		if _, there := r.has(t, "later", 0); there {
			t.Error("what the backup does not have is served")
		}
	}
	version := one.add(t, "new")
	for _, head := range []string{"kept", "new"} {
		if status, there := two.has(t, head, version); !there {
			t.Errorf("%s: %d", head, status)
		}
	}
}

// testFellBehind keeps a server from the database while others fold what it missed: it rebuilds its graph.
func testFellBehind(t *testing.T, c *pgtest.Cluster, schema string) {
	link := c.Link(t)
	behind, other := newReplica(t, c.At(link.Address())+schema, Limits{}), newReplica(t, c.URL()+schema, Limits{})
	other.add(t, "first")
	link.Cut()
	for i := range 300 {
		other.add(t, fmt.Sprint("city", i))
	}
	last, done := other.snapshots.use()
	defer done()
	if err := other.journal.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	link.Mend()
	link.Reset()
	happens(t, "the server that fell behind catches up", func() bool { _, there := behind.has(t, "city299", 0); return there })
	at, done := behind.snapshots.use()
	defer done()
	if at.at != last.at || journaltest.State(at.engine.Graph) != journaltest.State(last.engine.Graph) {
		t.Errorf("\n%s at %d, want\n%s at %d", journaltest.State(at.engine.Graph), at.at.Version, journaltest.State(last.engine.Graph), last.at.Version)
	}
	if n := behind.follower.rebuilds.Load(); n != 1 {
		t.Errorf("rebuilt %d times", n)
	}
}

// testCutOff cuts one server off: it answers, refuses changes, and catches up afterwards.
func testCutOff(t *testing.T, c *pgtest.Cluster, schema string) {
	link := c.Link(t)
	off := newReplica(t, c.At(link.Address())+schema, Limits{Turn: time.Second, Wait: 50 * time.Millisecond, CutOff: time.Second})
	other := newReplica(t, c.URL()+schema, Limits{})
	link.Cut()
	status, _, text := off.post(t, adding("Bergen"))
	if status != http.StatusServiceUnavailable || !strings.Contains(text, "unavailable") {
		t.Errorf("a change without the database: %d %s", status, text)
	}
	version := other.add(t, "Tromsø")
	if status, there := off.has(t, "Rome", 0); !there {
		t.Errorf("a read without the database: %d", status)
	}
	if status, _ := off.has(t, "Rome", version); status != http.StatusServiceUnavailable {
		t.Errorf("a read of a version that did not come: %d", status)
	}
	happens(t, "a server that is cut off says so", func() bool { status, _ := off.readiness(t); return status == http.StatusServiceUnavailable })
	link.Mend()
	link.Reset()
	happens(t, "the server is level again", func() bool { _, there := off.has(t, "Tromsø", version); return there })
	happens(t, "and ready", func() bool { status, _ := off.readiness(t); return status == http.StatusOK })
	off.add(t, "Molde")
}

// testDatabaseDown kills the database: questions go on, changes are told to come again, and all recovers by itself.
func testDatabaseDown(t *testing.T, c *pgtest.Cluster, schema string) {
	one, two := newReplica(t, c.URL()+schema, Limits{}), newReplica(t, c.URL()+schema, Limits{})
	version := one.add(t, "Bergen")
	if status, there := two.has(t, "Bergen", version); !there {
		t.Fatal(status)
	}
	c.Kill()
	body, _ := json.Marshal(adding("Tromsø"))
	response, text := call(t, "POST", one.http.URL+"/api/facts", string(body))
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" || !strings.Contains(text, "facts cannot be changed now, questions are answered: their database cannot be reached") {
		t.Errorf("%d %v %s", response.StatusCode, response.Header, text)
	}
	for _, r := range []*replica{one, two} {
		if status, there := r.has(t, "Bergen", version); !there {
			t.Errorf("a read while the database is down: %d", status)
		}
		if status, text := r.readiness(t); status != http.StatusOK {
			t.Errorf("not ready while the database is down: %s", text)
		}
	}
	happens(t, "the metric says so", func() bool {
		_, metrics := call(t, "GET", two.http.URL+"/metrics", "")
		return strings.Contains(metrics, "lacuna_log_reachable 0")
	})
	c.Resume()
	version = two.add(t, "Tromsø")
	if status, there := one.has(t, "Tromsø", version); !there {
		t.Errorf("not read after the database came back: %d", status)
	}
}

// testLostCommit puts the database back to before a change that was confirmed: servers notice, rebuild, and agree.
func testLostCommit(t *testing.T, c *pgtest.Cluster, schema string) {
	one, two := newReplica(t, c.URL()+schema, Limits{}), newReplica(t, c.URL()+schema, Limits{Wait: 3 * time.Second}) // a log that was put back is looked at every second
	one.add(t, "kept")
	copied := c.Save()
	version := one.add(t, "lost")
	if status, there := two.has(t, "lost", version); !there {
		t.Fatal(status)
	}
	c.Restore(copied)
	for _, r := range []*replica{one, two} {
		happens(t, "the graph is rebuilt", func() bool { return r.follower.rebuilds.Load() == 1 })
		if _, there := r.has(t, "lost", 0); there {
			t.Error("a fact that nobody has is still served")
		}
		if status, there := r.has(t, "kept", 0); !there {
			t.Errorf("a fact of before is gone: %d", status)
		}
	}
	if status, _ := two.has(t, "kept", version); status != http.StatusPreconditionFailed {
		t.Errorf("a version that was lost: %d", status)
	}
	if again := one.add(t, "new"); again != version {
		t.Errorf("version %d after %d was lost", again, version)
	}
	if status, there := two.has(t, "new", version); !there {
		t.Errorf("%d", status)
	}
}
