package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/lacuna-kg/lacuna/internal/pgtest"
	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/journal/journaltest"
	"github.com/lacuna-kg/lacuna/kg"
)

func open(t testing.TB, url string) *journal.Opened {
	t.Helper()
	opened, err := Open(context.Background(), url, journaltest.Graph(t, journaltest.Base), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Log.Close() })
	return opened
}

func randomChange(rng *rand.Rand) journal.Change {
	return journal.Change{Add: journaltest.RandomFacts(rng, 12, 1+rng.IntN(4)), Remove: journaltest.RandomFacts(rng, 12, rng.IntN(4))}
}

func add(head string) []journal.Change {
	return []journal.Change{{Add: []kg.Fact{{Head: head, Relation: "r", Tail: "a"}}}}
}

// replica is a graph that follows a log.
type replica struct {
	*journal.Opened
}

func (r *replica) follow(t *testing.T, entries []journal.Entry) {
	t.Helper()
	for _, e := range entries {
		for _, c := range e.Changes {
			next, _, err := r.Graph.ChangeExactly(t.Context(), c.Add, c.Remove)
			if err != nil {
				t.Fatal(err)
			}
			r.Graph = next
		}
		r.At = e.At
	}
}

func (r *replica) append(t *testing.T, changes []journal.Change, receipts ...journal.Receipt) {
	t.Helper()
	turn, err := r.Log.Begin(t.Context(), r.At, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer turn.End()
	r.follow(t, turn.Missed())
	at, err := turn.Append(t.Context(), changes, receipts)
	if err != nil {
		t.Fatal(err)
	}
	r.follow(t, []journal.Entry{{At: at, Changes: changes}})
}

// TestLog tests logs in one database, each in a schema of its own.
func TestLog(t *testing.T) {
	c := pgtest.Start(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, string)
	}{
		{"equal", testReplicasAreEqual}, {"once", testAnsweredOnce}, {"wakes", testWaitHearsOfEntries}, {"merged", testChangedGraphIsMerged},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, c.Schema(test.name)) })
	}
	t.Run("together", func(t *testing.T) { testOpenedTogether(t, c) })
	t.Run("refusals", func(t *testing.T) { testRefusals(t, c) })
	t.Run("reader", func(t *testing.T) { testReaderFollows(t, c) })
	t.Run("cut off", func(t *testing.T) { testCutOffHolderLosesItsTurn(t, c) })
	t.Run("put back", func(t *testing.T) { testPutBack(t, c) })
}

// testOpenedTogether opens logs at the same time where there is none: one server makes it, and the others find it,
// also where transactions of the database are stricter than usual.
func testOpenedTogether(t *testing.T, c *pgtest.Cluster) {
	const rounds, servers = 20, 4
	for round := range rounds {
		url := c.Schema(fmt.Sprint("together", round))
		if round%2 == 1 {
			url += "&default_transaction_isolation=serializable"
		}
		ids, start := make([]string, servers), make(chan struct{})
		var all sync.WaitGroup
		for i := range servers {
			graph := journaltest.Graph(t, journaltest.Base)
			all.Go(func() {
				<-start
				opened, err := Open(t.Context(), url, graph, Options{})
				if err != nil {
					t.Errorf("round %d: %v", round, err)
					return
				}
				defer opened.Log.Close()
				ids[i] = opened.Log.(*Log).id
			})
		}
		close(start)
		all.Wait()
		if slices.Sort(ids); !t.Failed() && ids[0] != ids[servers-1] {
			t.Errorf("round %d: logs %q, want one", round, ids)
		}
	}
}

// testReplicasAreEqual lets three append by turns, follow or not, compact, and be opened again: all must come to the
// same, names and their numbers included, and versions have no gaps.
func testReplicasAreEqual(t *testing.T, url string) {
	rng := rand.New(rand.NewPCG(1, 2))
	replicas := make([]*replica, 3)
	for i := range replicas {
		replicas[i] = &replica{open(t, url)}
	}
	for step := range 3 * keptEntries {
		r := replicas[rng.IntN(len(replicas))]
		r.append(t, []journal.Change{randomChange(rng), randomChange(rng)})
		if r.At.Version != uint64(step+1) {
			t.Fatalf("entry %d after %d", r.At.Version, step)
		}
		switch rng.IntN(40) {
		case 0:
			if err := r.Log.Compact(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		case 1:
			r.Log.Close()
			r.Opened = open(t, url)
		}
	}
	want := ""
	for i, r := range replicas {
		for {
			entries, err := r.Shared.Read(t.Context(), r.At)
			if errors.Is(err, journal.ErrFolded) {
				r.Graph, r.At, err = r.Shared.Rebuild(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(entries) == 0 && r.At.Version == 3*keptEntries {
				break
			}
			r.follow(t, entries)
		}
		if i == 0 {
			want = journaltest.State(r.Graph)
		}
		if got := journaltest.State(r.Graph); got != want {
			t.Errorf("replica %d\n%s\nwant\n%s", i, got, want)
		}
	}
	if again := open(t, url); journaltest.State(again.Graph) != want || !again.Compacted {
		t.Errorf("opened again (compacted %v)\n%s\nwant\n%s", again.Compacted, journaltest.State(again.Graph), want)
	}
}

// testAnsweredOnce checks that the answer to a request is found under its key, by another server too.
func testAnsweredOnce(t *testing.T, url string) {
	one, two := &replica{open(t, url)}, &replica{open(t, url)}
	one.append(t, add("x"), journal.Receipt{Key: "k", Answer: []byte(`{"added":1}`)})
	turn, err := two.Log.Begin(t.Context(), two.At, []string{"k", "other"})
	if err != nil {
		t.Fatal(err)
	}
	defer turn.End()
	if answer, ok := turn.Answered("k"); !ok || string(answer) != `{"added":1}` {
		t.Errorf("%s %v", answer, ok)
	}
	if _, ok := turn.Answered("other"); ok || len(turn.Missed()) != 1 {
		t.Errorf("%v, %d missed", ok, len(turn.Missed()))
	}
}

// testPutBack puts the database back to an earlier state: who was ahead notices, also after others have appended as much as was lost.
func testPutBack(t *testing.T, c *pgtest.Cluster) {
	url := c.Schema("back")
	ahead := &replica{open(t, url)}
	ahead.append(t, add("x"))
	copied := c.Save()
	ahead.append(t, add("lost"))
	c.Restore(copied)
	other := &replica{open(t, url)}
	if other.At.Version != 1 {
		t.Fatalf("version %d", other.At.Version)
	}
	read := func() error {
		_, err := ahead.Shared.Read(t.Context(), ahead.At)
		return err
	}
	for _, appended := range []string{"", "y", "z"} {
		if appended != "" {
			other.append(t, add(appended))
		}
		if err := read(); !errors.Is(err, journal.ErrLost) {
			t.Errorf("after %q: %v, want %v", appended, err, journal.ErrLost)
		}
		if turn, err := ahead.Log.Begin(t.Context(), ahead.At, nil); !errors.Is(err, journal.ErrLost) {
			t.Errorf("after %q: turn %v, %v", appended, turn, err)
		}
	}
	g, at, err := ahead.Shared.Rebuild(t.Context())
	if err != nil || at != other.At || journaltest.State(g) != journaltest.State(other.Graph) {
		t.Errorf("rebuilt %s at %v, %v; want %s at %v", journaltest.State(g), at, err, journaltest.State(other.Graph), other.At)
	}
}

// testWaitHearsOfEntries checks that another's entry wakes at once, not at the next look.
func testWaitHearsOfEntries(t *testing.T, url string) {
	one, two := &replica{open(t, url)}, &replica{open(t, url)}
	two.Shared.Wait(t.Context()) // connects
	heard := make(chan time.Time)
	go func() { two.Shared.Wait(context.Background()); heard <- time.Now() }()
	time.Sleep(50 * time.Millisecond)
	one.append(t, add("x"))
	appended := time.Now()
	if late := (<-heard).Sub(appended); late > pollInterval/2 {
		t.Errorf("heard after %v", late)
	}
}

// testRefusals checks that what is wrong is said in a line, and how to put it right.
func testRefusals(t *testing.T, c *pgtest.Cluster) {
	c.SQL("CREATE ROLE reader LOGIN")
	refused := func(name, url, facts, want string, options Options) {
		t.Helper()
		opened, err := Open(t.Context(), url, journaltest.Graph(t, facts), options)
		if err == nil {
			opened.Log.Close()
			t.Errorf("%s: not refused", name)
		} else if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, want %q", name, err, want)
		}
	}
	reader := strings.Replace(c.URL(), "lacuna@", "reader@", 1)
	refused("no URL", "postgres://%zz", journaltest.Base, "not the URL of a database", Options{})
	refused("no server", "postgres://lacuna@127.0.0.1:1/facts", journaltest.Base, "connection refused: is the database running", Options{})
	refused("no database", strings.Replace(c.URL(), "/facts", "/nothing", 1), journaltest.Base, `database "nothing" does not exist: make the database first`, Options{})
	refused("no user", strings.Replace(c.URL(), "lacuna@", "nobody-here@", 1), journaltest.Base, `role "nobody-here" does not exist: make the user first, as by createuser`, Options{})
	c.SQL("CREATE ROLE sleeper NOLOGIN")
	refused("may not log in", strings.Replace(c.URL(), "lacuna@", "sleeper@", 1), journaltest.Base, `role "sleeper" is not permitted to log in: make the user first, as by createuser, let it log in`, Options{})
	refused("may not create", reader, journaltest.Base, "the user needs CREATE on the schema", Options{})
	refused("read-only and empty", c.URL(), journaltest.Base, "no log of facts is there yet", Options{ReadOnly: true})
	one := &replica{open(t, c.URL())}
	one.append(t, add("x"))
	refused("may not read", reader, journaltest.Base, "permission denied for table lacuna_log: the user needs", Options{})
	refused("another graph", c.URL(), "k\tl\tm\n", "these facts were added to another graph", Options{})
	one.Shared.Wait(t.Context()) // a server uses the log from here on
	refused("changed graph, in use", c.URL(), journaltest.Base+"d\tr\ta\n", "other servers use them", Options{})
	c.SQL("UPDATE lacuna_log SET format = 99")
	refused("newer", c.URL(), journaltest.Base, "of a newer Lacuna (format 99, this one knows 1)", Options{})
}

// TestAdviceOnUsersKeptOut tells those whom pg_hba.conf keeps out from those who do not exist, whose code is the same.
func TestAdviceOnUsersKeptOut(t *testing.T) {
	if advice := adviceOn(&pgconn.PgError{Code: "28000", Routine: "ClientAuthentication"}); !strings.Contains(advice, "pg_hba.conf") {
		t.Errorf("%q", advice)
	}
}

// testReaderFollows checks that a user who may only read can serve without changing anything.
func testReaderFollows(t *testing.T, c *pgtest.Cluster) {
	url := c.Schema("readable")
	one := &replica{open(t, url)}
	c.SQL("CREATE ROLE follower LOGIN; GRANT USAGE ON SCHEMA readable TO follower; GRANT SELECT ON ALL TABLES IN SCHEMA readable TO follower")
	opened, err := Open(t.Context(), strings.Replace(url, "lacuna@", "follower@", 1), journaltest.Graph(t, journaltest.Base), Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Log.Close()
	one.append(t, add("x"))
	opened.Shared.Wait(t.Context())
	if entries, err := opened.Shared.Read(t.Context(), opened.At); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// testChangedGraphIsMerged opens a log with a graph that has changed since, after its servers have stopped.
func testChangedGraphIsMerged(t *testing.T, url string) {
	one := &replica{open(t, url)}
	one.append(t, add("d"))
	one.Log.Close()
	opened, err := Open(t.Context(), url, journaltest.Graph(t, journaltest.Base+"d\tr\ta\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Log.Close()
	if opened.Merged == nil || len(opened.Merged.Stated) != 1 || opened.At.Version != 2 {
		t.Errorf("%+v at %d", opened.Merged, opened.At.Version)
	}
}

// testCutOffHolderLosesItsTurn cuts the link of who has the turn: others get it when the database has waited long enough.
func testCutOffHolderLosesItsTurn(t *testing.T, c *pgtest.Cluster) {
	const schema = "?search_path=holder"
	c.Schema("holder")
	link := c.Link(t)
	holder, other := &replica{open(t, c.At(link.Address())+schema)}, &replica{open(t, c.URL()+schema)}
	holder.Log.(*Log).held = "1s"
	turn, err := holder.Log.Begin(t.Context(), holder.At, nil)
	if err != nil {
		t.Fatal(err)
	}
	link.Cut()
	began := time.Now()
	for {
		turn, err := other.Log.Begin(t.Context(), other.At, nil)
		if err == nil {
			turn.End()
			break
		}
		var away *journal.Unavailable
		if !errors.As(err, &away) || time.Since(began) > 20*time.Second {
			t.Fatalf("%v after %v", err, time.Since(began))
		}
	}
	link.Mend()
	if _, err := turn.Append(t.Context(), add("x"), nil); err == nil {
		t.Error("an entry was appended without the turn")
	}
}
