package answer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/kg/reason"
)

// TestOrigins tells answers that are stated from those that are only implied, however many ways lead to them.
func TestOrigins(t *testing.T) {
	const text = `@prefix : <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
		:rex a :Dog ; :owner :ann . :tom a :Animal ; :owner :bob . :Dog rdfs:subClassOf :Animal .
		:owner rdfs:range :Person ; rdfs:subPropertyOf :keeper . :near a owl:SymmetricProperty . :ann :near :bob .
		:other { :bob a :Person }`
	splits, err := read.Stream(t.Context(), strings.NewReader(text), "t.trig", read.Options{Format: read.TriG})
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := reason.RDFS(t.Context(), splits.Train, 0)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := lacuna.New(t.Context(), g, lacuna.Model(lacuna.Exact))
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string][]string{
		"?x : type(x, http://x/Animal)":                                                           {"rex subclass", "tom "},
		"?x : type(x, http://x/Person)":                                                           {"ann range", "bob "},
		"?x : http://x/keeper(x, http://x/ann)":                                                   {"rex subproperty"},
		"?x : http://x/near(http://x/bob, x)":                                                     {"ann symmetric"},
		"?x : type(x, http://x/Animal) | http://x/owner(x, http://x/ann)":                         {"rex ", "tom "}, // stated one way
		"?x : exists y: http://x/keeper(x, y) & type(y, http://x/Person) & type(x, http://x/Dog)": {"rex range, subproperty"},
		"?x : type(x, http://x/Animal) & !type(x, http://x/Dog)":                                  {"tom "},
	} {
		r, err := engine.Ask(t.Context(), question)
		if err != nil {
			t.Errorf("%s: %v", question, err)
			continue
		}
		var got []string
		for _, a := range r.Answers {
			if !a.Known {
				t.Errorf("%s: %v is not known", question, a)
			}
			got = append(got, strings.TrimPrefix(a.Entity, "http://x/")+" "+a.Implied)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}
