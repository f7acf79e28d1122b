package sparql

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// doubled binds ?a to the text that doubling "a" gives.
func doubled(times int) string {
	text := `BIND("a" AS ?a0) `
	for i := range times {
		text += fmt.Sprintf("BIND(CONCAT(?a%d,?a%d) AS ?a%d) ", i, i, i+1)
	}
	return text + fmt.Sprintf("BIND(?a%d AS ?a) ", times)
}

func numbers(name string, n int) string {
	return "VALUES ?" + name + " { " + repeat(n, func(i int) string { return fmt.Sprint(i, " ") }) + "} "
}

// allocated is what something allocates, whatever becomes of it.
func allocated(do func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// Queries of some hundred bytes that would fill the memory of any machine are refused before they have taken a few
// times their limit, garbage included.
func TestMemoryAttacks(t *testing.T) {
	const most = 32 << 20
	data, pairs := grid(t, 40), numbers("i", 1000)+numbers("j", 1000)
	const cross = "?p <x:p> ?q . ?r <x:p> ?s . "
	for name, query := range map[string]string{
		"replace":        "SELECT (STRLEN(?b) AS ?n) { " + doubled(16) + `BIND(REPLACE(?a,"a",?a) AS ?b) }`,
		"replace class":  "SELECT (STRLEN(?b) AS ?n) { " + doubled(16) + `BIND(REPLACE(?a,"[a-b]",?a) AS ?b) }`,
		"replace group":  "SELECT (STRLEN(?b) AS ?n) { " + doubled(13) + `BIND(REPLACE(?a,"^(a*)(.)","$1$1$1$1$1$1$1$1$1$1") AS ?b) BIND(REPLACE(?b,"(.)",?b) AS ?c) }`,
		"concat":         "SELECT (STRLEN(?a) AS ?n) { " + doubled(30) + "}",
		"many arguments": "SELECT (STRLEN(?b) AS ?n) { " + doubled(20) + "BIND(STRLEN(CONCAT(" + strings.Repeat("UCASE(?a),", 60) + `"")) AS ?b) }`,
		"encode":         "SELECT (STRLEN(?c) AS ?n) { " + doubled(23) + `BIND(ENCODE_FOR_URI(REPLACE(?a,"a","/")) AS ?c) }`,
		"group concat":   "SELECT (GROUP_CONCAT(?a) AS ?n) { " + doubled(14) + cross + "}",
		"group concat by separator": "SELECT (GROUP_CONCAT(?p; SEPARATOR='" + strings.Repeat("s", 1000) + "') AS ?n) { " +
			cross + "}",
		"group concats":  "SELECT ?i ?j (GROUP_CONCAT(?a) AS ?n) { " + doubled(12) + pairs + "} GROUP BY ?i ?j",
		"order":          "SELECT ?p { " + doubled(12) + cross + "} ORDER BY CONCAT(?a, STR(?p), STR(?r))",
		"order by nodes": "SELECT ?p { " + cross + "} ORDER BY ?p ?q ?r ?s",
		"distinct":       "SELECT DISTINCT * { " + cross + "}",
		"distinct texts": "SELECT (COUNT(DISTINCT CONCAT(?a, STR(?i), STR(?j))) AS ?n) { " + doubled(10) + pairs + "}",
		"computed":       "SELECT (COUNT(?t) AS ?n) { " + doubled(10) + pairs + "BIND(CONCAT(?a, STR(?i), STR(?j)) AS ?t) }",
		"small numbers":  "SELECT (COUNT(?t) AS ?n) { " + pairs + "BIND(1000 * ?i + ?j AS ?t) }",
		"values":         "SELECT * { " + numbers("i", 100) + numbers("j", 100) + numbers("k", 100) + "} ORDER BY ?k",
		"hash join": "SELECT * { { SELECT * { " + numbers("i", 100) + numbers("j", 100) + numbers("k", 100) + "} LIMIT 1000000 } " +
			"{ SELECT * { " + numbers("i", 100) + numbers("j", 100) + numbers("l", 100) + "} LIMIT 1000000 } }",
		"minus":     "SELECT * { " + numbers("i", 2) + "MINUS { SELECT * { " + numbers("i", 100) + numbers("j", 100) + numbers("k", 100) + "} LIMIT 1000000 } }",
		"groups":    "SELECT ?i ?j (MAX(CONCAT(?a, STR(?i))) AS ?n) { " + doubled(8) + pairs + "} GROUP BY ?i ?j",
		"samples":   "SELECT ?i ?j (SAMPLE(CONCAT(?a, STR(?i))) AS ?n) { " + doubled(8) + pairs + "} GROUP BY ?i ?j",
		"paths":     "SELECT DISTINCT ?p ?q ?r ?i { ?p (<x:p>|^<x:p>)* ?q . ?q <x:p>+ ?r " + numbers("i", 1000) + "}",
		"construct": "CONSTRUCT { ?p ?pr ?t } { " + doubled(10) + pairs + "BIND(<x:p> AS ?p) BIND(<x:pr> AS ?pr) BIND(CONCAT(?a, STR(?i), STR(?j)) AS ?t) }",
		"new nodes": "CONSTRUCT { [] <x:r> ?p } { " + cross + "?u <x:p> ?v }",
	} {
		var err error
		took := allocated(func() { err = lastError(t, t.Context(), query, data, Options{Limits: Limits{Memory: most}}) })
		if kg.KindOf(err) != kg.TooLarge || !strings.Contains(err.Error(), "limit of") || strings.Contains(err.Error(), "steps") {
			t.Errorf("%s: error %v", name, err)
		}
		if took > 8*most {
			t.Errorf("%s: allocated %d MiB before it was refused", name, took>>20)
		}
		t.Logf("%s: %d bytes of query, %d MiB allocated: %v", name, len(query), took>>20, err)
	}
}

// What a query holds at its end is not more than its limit, also where texts pass through it that together are far more.
func TestPassingTextsGo(t *testing.T) {
	const most = 4 << 20
	data := grid(t, 8)
	const some = "<x:0> <x:p> ?p . ?p <x:p> <x:0> "
	for name, query := range map[string]string{
		"parts":    "SELECT (COUNT(?t) AS ?n) { " + doubled(17) + some + "BIND(STRBEFORE(CONCAT(STR(?p), ?a), ?a) AS ?t) BIND(SUBSTR(CONCAT(STR(?p), ?a), 1, 3) AS ?u) }",
		"failures": "SELECT (COUNT(?p) AS ?n) { " + doubled(17) + some + "BIND(COALESCE(" + repeat(100, func(i int) string { return fmt.Sprintf("CONCAT(UCASE(?a), \"%d\", ?unbound), ", i) }) + "?p) AS ?t) }",
		"filters":  "SELECT (COUNT(?p) AS ?n) { " + doubled(17) + "" + some + "" + repeat(100, func(i int) string { return fmt.Sprintf("FILTER(UCASE(?a) != \"%d\") ", i) }) + "}",
		"labels":   "SELECT (COUNT(?p) AS ?n) { " + doubled(17) + "" + some + "BIND(COALESCE(" + repeat(100, func(i int) string { return fmt.Sprintf("IF(ISBLANK(BNODE(CONCAT(?a, \"%d\"))), 1/0, 2), ", i) }) + "?p) AS ?t) }",
		"patterns": "SELECT (COUNT(?p) AS ?n) { " + some + "FILTER(REGEX(STR(?p), CONCAT(\"(a?){900}\", STR(?p), \"|x\"))) }",
	} {
		var before runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, err := Run(t.Context(), query, data, Options{Limits: Limits{Memory: most}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows := 0
		for _, err := range r.Rows {
			if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
			rows++
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			if m.HeapAlloc > before.HeapAlloc+2*most {
				t.Errorf("%s: %d MiB in use", name, (m.HeapAlloc-before.HeapAlloc)>>20)
			}
		}
		if rows != 1 {
			t.Errorf("%s: %d rows", name, rows)
		}
	}
}

// The facts of an update count, too.
func TestUpdateMemory(t *testing.T) {
	const most = 32 << 20
	data := grid(t, 40)
	for _, text := range []string{
		"INSERT { ?p <x:t> ?t } WHERE { " + doubled(16) + "?p <x:p> ?q BIND(CONCAT(?a, STR(?q)) AS ?t) }",
		"INSERT { ?p <x:t> ?a } WHERE { " + doubled(20) + "?p <x:p> ?q }",
		"INSERT { <x:0> <x:t> ?n } WHERE { " + numbers("i", 1000) + numbers("j", 1000) + "BIND(1000 * ?i + ?j AS ?n) }",
	} {
		u, err := syntax.ParseUpdate(text)
		if err != nil {
			t.Fatal(err)
		}
		took := allocated(func() { _, _, err = Changes(t.Context(), u.Operations[0], data, Limits{Memory: most}) })
		if kg.KindOf(err) != kg.TooLarge || !strings.Contains(err.Error(), "of memory") {
			t.Errorf("%.60s: error %v", text, err)
		}
		if took > 8*most {
			t.Errorf("%.60s: allocated %d MiB", text, took>>20)
		}
	}
}

// Queries share a pool: one that finds it taken is told to come again, and all of it is back in the end.
func TestPool(t *testing.T) {
	pool := limit.NewPool(1 << 20)
	data := grid(t, 30)
	opts, ctx := Options{Limits: Limits{Memory: -1}}, limit.WithPool(t.Context(), pool)
	r, err := Run(ctx, "SELECT ?p { ?p <x:p> ?q } ORDER BY ?p", data, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range r.Rows {
		if err != nil {
			t.Fatal(err)
		}
		if pool.Drawn() == 0 {
			t.Error("nothing is drawn while rows are sorted")
		}
		other := lastError(t, ctx, "SELECT DISTINCT ?p ?q ?r { ?p <x:p> ?q . ?r <x:p> ?s }", data, opts)
		if kg.KindOf(other) != kg.Cancelled || !strings.Contains(other.Error(), "try again") {
			t.Errorf("error %v while another query holds the memory", other)
		}
		break
	}
	if pool.Drawn() != 0 {
		t.Errorf("%d bytes are not given back", pool.Drawn())
	}
}
