package syntax_test

import (
	"testing"

	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

func TestRecognise(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT ?x { ?x :p ?y }": true, "select (count(*) as ?n) {}": true, " # why\n PREFIX ex: <x:> ASK { ?x ex:p ?y }": true,
		"ASK{ ?x ?p ?y }": true, "DESCRIBE :a": true, "SELECT ?x { ?x :p 'open }": true, "CONSTRUCT WHERE { ?x a :b }": true,
		"?u : exists a: Win(a, Turing Award)": false, "Directed(Fellini, Roma)": false, "": false, "ask(Fellini, x)": false,
		"?x : select(x, y)": false, "P[University]({Turing Award})": false, "describe(a, b)": false, "((e, (r,)), (e, (r,)))": false,
	} {
		if syntax.Recognise(text) != want {
			t.Errorf("%q is taken for SPARQL: %v", text, !want)
		}
	}
}
