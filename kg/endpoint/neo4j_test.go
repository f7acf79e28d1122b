package endpoint

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
)

// The messages of Bolt 4.4 that come up.
const (
	boltHello, boltGoodbye, boltReset, boltRun, boltDiscard, boltPull = 0x01, 0x02, 0x0f, 0x10, 0x2f, 0x3f
	boltSuccess, boltRecord, boltIgnored, boltFailure                 = 0x70, 0x71, 0x7e, 0x7f
)

// fakeNeo4j is a database of n nodes in a ring that limits and fails as told.
type fakeNeo4j struct {
	n         int
	most      int                           // rows of a page beyond which memory is short, 0 for none
	noNumbers bool                          // ids are texts
	trouble   func(page int64) (how string) // of a page: "", "busy" or "breaks"
	pages     atomic.Int64
}

func (f *fakeNeo4j) start(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go f.serve(conn)
		}
	}()
	return "bolt://ann:s3cret%40x@" + listener.Addr().String() + "/movies"
}

func (f *fakeNeo4j) spoilt(how string) bool {
	return f.trouble != nil && f.trouble(f.pages.Load()) == how
}

func (f *fakeNeo4j) greet(conn net.Conn, hello map[string]any) bool {
	if hello["principal"] != "ann" || hello["credentials"] != "s3cret@x" {
		_ = send(conn, boltFailure, map[string]any{"code": "Neo.ClientError.Security.Unauthorized", "message": "The client is unauthorized due to authentication failure."})
		return false
	}
	_ = send(conn, boltSuccess, map[string]any{"server": "Neo4j/4.4.0", "connection_id": "1"})
	return true
}

// columnsOf names the columns of an answer.
func columnsOf(rows [][]any) []any {
	names := []any{}
	if len(rows) > 0 {
		for i := range rows[0] {
			names = append(names, fmt.Sprint("c", i))
		}
	}
	return names
}

var cypherPage = regexp.MustCompile(`^MATCH (\(n\)|\(a\)-\[n\]->\(b\))( WHERE (id|elementId)\(n\) > \$after)? RETURN (id|elementId)\(n\), .* ORDER BY (id|elementId)\(n\) LIMIT \$page$`)

// run gives the rows of a statement, or the code of what is wrong with it.
func (f *fakeNeo4j) run(statement string, parameters, extra map[string]any) (rows [][]any, code string) {
	if extra["db"] != "movies" {
		return nil, "Neo.ClientError.Database.DatabaseNotFound"
	}
	if strings.HasSuffix(statement, " RETURN count(n)") {
		return [][]any{{f.n}}, ""
	}
	page := cypherPage.FindStringSubmatch(statement)
	f.pages.Add(1)
	switch {
	case page == nil || page[4] == "id" && f.noNumbers || page[4] == "elementId" && !f.noNumbers:
		return nil, "Neo.ClientError.Statement.SyntaxError"
	case f.spoilt("busy"):
		return nil, "Neo.TransientError.General.DatabaseUnavailable"
	case f.most > 0 && parameters["page"].(int) > f.most:
		return nil, "Neo.TransientError.General.MemoryPoolOutOfMemoryError"
	}
	for i := range f.n {
		if after, given := parameters["after"]; given && !less(after, f.id(i)) {
			continue
		}
		if len(rows) == parameters["page"].(int) {
			break
		}
		rows = append(rows, f.row(i, page[1] == "(n)"))
	}
	return rows, ""
}

func less(a, b any) bool {
	if text, ok := a.(string); ok {
		return text < b.(string)
	}
	return a.(int) < b.(int)
}

func (f *fakeNeo4j) id(i int) any {
	if f.noNumbers {
		return fmt.Sprintf("4:uuid:%06d", i)
	}
	return i
}

func (f *fakeNeo4j) row(i int, node bool) []any {
	if !node {
		return []any{f.id(i), "NEXT", f.id(i), f.id((i + 1) % f.n), 2}
	}
	properties := map[string]any{"name": fmt.Sprintf("n \"%d\"", i), "born": structure{'D', []any{i}}, "half": float64(i) / 2, "tags": []any{"x", true}, "at": structure{'X', []any{7203, 1.0, 2.0}}}
	return []any{f.id(i), []any{"Person", "Actor"}, properties}
}

// serve speaks with one client until it goes or is cut off.
func (f *fakeNeo4j) serve(conn net.Conn) {
	defer conn.Close()
	defer func() { _ = recover() }() // the client went
	hello := make([]byte, 20)
	if _, err := io.ReadFull(conn, hello); err != nil || string(hello[:4]) != "\x60\x60\xb0\x17" {
		return
	}
	_, _ = conn.Write([]byte{0, 0, 4, 4})
	in := unpacker{bufio.NewReader(&chunked{from: conn})}
	var rows [][]any
	for failed := false; ; {
		message := in.value().(structure)
		switch {
		case message.tag == boltGoodbye:
			return
		case message.tag == boltReset:
			failed = false
			_ = send(conn, boltSuccess, map[string]any{})
		case failed:
			_ = send(conn, boltIgnored)
		case message.tag == boltHello:
			failed = !f.greet(conn, message.fields[0].(map[string]any))
		case message.tag == boltRun:
			var code string
			if rows, code = f.run(message.fields[0].(string), message.fields[1].(map[string]any), message.fields[2].(map[string]any)); code != "" {
				failed = true
				_ = send(conn, boltFailure, map[string]any{"code": code, "message": "this is\ntoo much"})
				continue
			}
			_ = send(conn, boltSuccess, map[string]any{"fields": columnsOf(rows)})
		case message.tag == boltPull || message.tag == boltDiscard:
			for i, row := range rows {
				if i == 3 && f.spoilt("breaks") {
					return
				}
				_ = send(conn, boltRecord, row)
			}
			_ = send(conn, boltSuccess, map[string]any{"type": "r", "db": "movies"})
		}
	}
}

// wanted checks that a copy has each node and each relationship once.
func (f *fakeNeo4j) wanted(t *testing.T, path string) {
	t.Helper()
	lines := copied(t, path)
	if len(lines) != 2*f.n {
		t.Fatalf("%d lines of %d", len(lines), 2*f.n)
	}
	want := []string{
		fmt.Sprintf(`{"id":"%v","labels":["Person","Actor"],"properties":{"at":{},"born":{"type":"date","value":"1970-01-02"},"half":0.5,"name":"n \"1\"","tags":["x",true]},"type":"node"}`, f.id(1)),
		fmt.Sprintf(`{"end":{"id":"%v"},"label":"NEXT","start":{"id":"%v"},"type":"relationship"}`, f.id(2), f.id(1)),
	}
	for _, line := range want {
		if !slices.Contains(lines, line) {
			t.Errorf("lacks %s", line)
		}
	}
}

func every(n int64, how string) func(int64) string {
	return func(page int64) string {
		if page%n == 0 {
			return how
		}
		return ""
	}
}

func TestCopyNeo4j(t *testing.T) {
	for what, f := range map[string]*fakeNeo4j{
		"whole":           {n: 1000},
		"short of memory": {n: 1000, most: 130},
		"often busy":      {n: 1000, trouble: every(3, "busy")},
		"breaks off":      {n: 1000, trouble: every(4, "breaks")},
		"ids of texts":    {n: 1000, noNumbers: true},
	} {
		t.Run(what, func(t *testing.T) {
			var done, total int64
			path, report, err := CopyNeo4j(t.Context(), f.start(t), t.TempDir(), Options{PageSize: 250, Wait: time.Millisecond, Progress: func(d, n int64) { done, total = d, n }})
			if err != nil {
				t.Fatal(err)
			}
			if report.Nodes != 1000 || report.Relationships != 1000 || report.Properties != 2000 || report.Short != 0 || done != 2000 || total != 2000 {
				t.Errorf("report %+v, %d of %d", report, done, total)
			}
			f.wanted(t, path)
		})
	}
}

// TestCopyNeo4jGoesOn breaks a copy off at every page and goes on until it is whole.
func TestCopyNeo4jGoesOn(t *testing.T) {
	var limit atomic.Int64
	var stop atomic.Pointer[context.CancelFunc]
	f := &fakeNeo4j{n: 500, trouble: func(page int64) string {
		if page <= limit.Load() {
			return ""
		}
		(*stop.Load())()
		return "breaks"
	}}
	address, folder := f.start(t), filepath.Join(t.TempDir(), "copy")
	for run := 0; ; run++ {
		ctx, cancel := context.WithCancel(t.Context())
		stop.Store(&cancel)
		limit.Store(f.pages.Load() + 1)
		path, report, err := CopyNeo4j(ctx, address, folder, Options{PageSize: 120, Wait: time.Millisecond})
		cancel()
		if err == nil {
			if run < 5 || report.Resumed == 0 {
				t.Errorf("whole after %d runs, %+v", run, report)
			}
			f.wanted(t, path)
			return
		}
		if kg.KindOf(err) != kg.Cancelled || run > 20 {
			t.Fatalf("run %d: %v", run, err)
		}
	}
}

func TestCopyNeo4jErrors(t *testing.T) {
	f := &fakeNeo4j{n: 10}
	address := f.start(t)
	for _, c := range []struct {
		what, address, want string
		kind                kg.Kind
	}{
		{"no address of a database", "http://x", "expected the address of a Neo4j database", kg.Invalid},
		{"password", strings.Replace(address, "s3cret", "secr3t", 1), "unauthorized", kg.Invalid},
		{"another database", strings.Replace(address, "/movies", "/books", 1), "/books: this is too much", kg.Invalid},
		{"nobody there", "bolt://127.0.0.1:1", "connect", kg.Failure},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, _, err := CopyNeo4j(t.Context(), c.address, t.TempDir(), Options{Wait: time.Millisecond})
			if err == nil || kg.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "cr3t") {
				t.Errorf("got %v (kind %d)", err, kg.KindOf(err))
			}
		})
	}
	empty := &fakeNeo4j{}
	if _, _, err := CopyNeo4j(t.Context(), empty.start(t), t.TempDir(), Options{}); err == nil || !strings.Contains(err.Error(), "no nodes") {
		t.Errorf("an empty database: %v", err)
	}
	folder := t.TempDir()
	state, _ := json.Marshal(neo4jState{Address: "bolt://elsewhere"})
	if err := os.WriteFile(filepath.Join(folder, "state.json"), state, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := CopyNeo4j(t.Context(), address, folder, Options{}); err == nil || !strings.Contains(err.Error(), "a part of a copy of bolt://elsewhere") {
		t.Errorf("the copy of another: %v", err)
	}
}
