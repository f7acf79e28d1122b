package eval

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/lacuna-kg/lacuna/sparql/term"
)

// TestInLooksUpWhatEqualsWouldSay compares the set with "=" of each of its members.
func TestInLooksUpWhatEqualsWouldSay(t *testing.T) {
	values := []term.Term{
		{Kind: term.IRI, Value: "x:a"}, {Kind: term.Blank, Value: "a"}, term.Typed("a", ""), term.Typed("1", ""),
		{Kind: term.Literal, Value: "a", Language: "en"}, {Kind: term.Literal, Value: "a", Language: "EN"}, {Kind: term.Literal, Value: "a", Language: "de"},
		term.Integer(1), term.Typed("01", term.XSDInteger), term.Typed("1.0", term.XSDDecimal), term.Typed("1.5", term.XSDDecimal),
		term.Typed("1", term.XSDDouble), term.Typed("NaN", term.XSDDouble), term.Typed("x", term.XSDInteger), term.Typed("true", term.XSDBoolean),
		term.Typed("a", "x:type"), term.Typed("b", "x:type"), term.Typed("2020-01-01", "http://www.w3.org/2001/XMLSchema#date"),
	}
	e := &evaluator{ctx: context.Background(), limits: Limits{Work: math.MaxInt}}
	for subset := range 1 << len(values) {
		if subset%97 != 0 { // some thousands of them
			continue
		}
		set := newConstants()
		var members []term.Term
		for i, v := range values {
			if subset>>i&1 == 1 && set.add(v) {
				members = append(members, v)
			}
		}
		for _, v := range values {
			want := no
			for _, m := range members {
				want = max(want, term.VerdictOf(term.Equal(v, m)))
			}
			if got := set.equal(e, v); got != want {
				t.Fatalf("%v in %v is %d, want %d", v, members, got, want)
			}
		}
	}
}

// BenchmarkIn filters by a list as long as clients send them.
func BenchmarkIn(b *testing.B) {
	set := newConstants()
	for i := range 1000 {
		set.add(term.Typed(fmt.Sprint("name ", i), ""))
	}
	e := &evaluator{ctx: context.Background(), limits: Limits{Work: math.MaxInt}}
	for b.Loop() {
		set.equal(e, term.Typed("nobody", ""))
	}
}
