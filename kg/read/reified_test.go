package read_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// told lists the entities of a graph, its facts, and what is said of each.
func told(g *kg.Graph) string {
	short := strings.NewReplacer("http://x/", "", kg.Reifies, "reifies")
	var lines []string
	for t := range g.Triples() {
		line := g.FactOf(kg.Statement{Triple: t}).String()
		for _, said := range g.Annotations().Of(t) {
			var texts []string
			for _, a := range said {
				texts = append(texts, short.Replace(a.Relation+" "+a.Value))
			}
			slices.Sort(texts)
			line += " {" + strings.Join(texts, ", ") + "}"
		}
		lines = append(lines, short.Replace(line))
	}
	slices.Sort(lines)
	return fmt.Sprintf("%d entities; %s", g.NumEntities(), strings.Join(lines, "; "))
}

// What is said of facts becomes their annotations, and no entity; what cannot, stays as facts.
func TestReified(t *testing.T) {
	const prefix = "@prefix : <http://x/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n"
	for _, c := range []struct{ name, text, want string }{
		{"annotation", ":a :p :b {| :since 1990 ; :by :c |} .", `2 entities; p(a, b) {by c, since "1990"^^<http://www.w3.org/2001/XMLSchema#integer>}`},
		{"two", ":a :p :b {| :since 'x' |} {| :since 'y' |} .", `2 entities; p(a, b) {since "x"} {since "y"}`},
		{"named", ":a :p :b ~ :s {| :by :c |} .", `2 entities; p(a, b) {by c, reifies s}`},
		{"only named", ":a :p :b ~ :s .", `2 entities; p(a, b) {reifies s}`},
		{"quoted", ":a :p :b . << :a :p :b >> :by :c .", `2 entities; p(a, b) {by c}`},
		{"term", "_:r :by :c . _:r rdf:reifies <<( :a :p :b )>> . :a :p :b .", `2 entities; p(a, b) {by c}`},
		{"not stated", "<< :a :p :b ~ :r >> :by :c .", `3 entities; by(r, c); reifies(r, <<( <a> <p> <b> )>>)`},
		{"nested", ":a :p :b {| :by :c {| :q :d |} |} .", `5 entities; by(_:anon.1, c) {q d}; p(a, b); reifies(_:anon.1, <<( <a> <p> <b> )>>)`},
		{"shared", ":a :p :b ~ _:r {| :by :c |} . :d :q _:r .", `4 entities; p(a, b) {by c, reifies _:r}; q(d, _:r)`},
		{"other entity", ":a :p :b {| :by :a |} .", `2 entities; p(a, b) {by a}`},
		{"literal", ":a :p 'x'@en--rtl {| :by :c |} .", `2 entities; p(a, "x"@en--rtl) {by c}`},
	} {
		s, err := readText(t, "x.ttl", prefix+c.text, read.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := told(s.Train); got != c.want {
			t.Errorf("%s: got\n%s, want\n%s", c.name, got, c.want)
		}
		if err := s.Train.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// RDF-star's N-Triples has a node of each quoted triple, and graphs keep what is said in them.
func TestReifiedLines(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"x.nt", "<< <http://x/a> <http://x/p> <http://x/b> >> <http://x/by> <http://x/c> .\n<http://x/a> <http://x/p> <http://x/b> .\n<< <http://x/a> <http://x/p> <http://x/b> >> <http://x/at> <http://x/d> .",
			"2 entities; p(a, b) {at d, by c}"},
		{"x.trig", "@prefix : <http://x/> . :g { :a :p :b {| :by :c |} } :h { :a :p :b {| :by :d |} }",
			"2 entities; p(a, b) {by c, urn:lacuna:in-graph g} {by d, urn:lacuna:in-graph h}"},
	} {
		s, err := readText(t, c.name, c.text, read.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := told(s.Train); got != c.want {
			t.Errorf("%s: got\n%s, want\n%s", c.name, got, c.want)
		}
	}
}
