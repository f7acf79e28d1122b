package function

import (
	"context"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// FuzzSearch compares the search that can be ended with Go's own, which cannot.
func FuzzSearch(f *testing.F) {
	for _, s := range [][2]string{
		{"a*b", "aabab"}, {"^a|b$", "aab\nab"}, {"(?m)^(.)|x", "ab\nxb\n"}, {`\b`, "ab cd é"}, {"(a|ab)(c|bcd)?", "abcdabc"}, {`\Ba?`, "aaab"},
		{"(x*)(y?)", "xxyzé"}, {"(?i)É", "éÉ\xffe"}, {"(?s).", "a\xf0b"}, {"", "é\xff"}, {"a??b|(c)", "aabc"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, text, in string) {
		if len(text) > 100 || len(in) > 200 {
			return
		}
		env := &Env{Meter: limit.New(t.Context(), 1<<20, 0, nil)}
		p := env.compiled(text, "")
		if p == nil {
			return
		}
		want, found := p.FindAllStringSubmatchIndex(in, -1), p.MatchString(in)
		if p.NumSubexp() > 20 || p.size > 10_000 {
			return
		}
		p.size, p.literal = short, "" // whatever it is, it might take long
		var got [][]int
		for match := range p.matches(env, in) {
			if match == nil {
				return // it took too many steps
			}
			got = append(got, match)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q in %q: %v, want %v", text, in, got, want)
		}
		if has, ok := p.found(env, in); ok && has != found {
			t.Errorf("%q in %q: found %v", text, in, has)
		}
	})
}

// What REPLACE gives is what Go gives, by all ways.
func TestReplaceByAllWays(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, text := range []string{"a", "aa", "[ab]", "(a)(b)?", "b+|c", "(.)c", "é"} {
		for range 50 {
			var in strings.Builder
			for range rng.IntN(30) {
				in.WriteRune([]rune("aabcé")[rng.IntN(5)])
			}
			env := &Env{}
			p := env.compiled(text, "")
			by, _ := expansion("<$0$1>", p.NumSubexp())
			want := p.ReplaceAllString(in.String(), "<${0}${1}>")
			first, _ := p.replaced(env, in.String(), by)
			p.literal = ""
			second, _ := p.replaced(env, in.String(), by)
			p.size = short
			third, _ := p.replaced(env, in.String(), by)
			if first != want || second != want || third != want {
				t.Errorf("%s in %s: %s, %s and %s, want %s", text, in.String(), first, second, third, want)
			}
		}
	}
}

// A search ends soon after its query has to: the characters that it still reads, times the instructions that each of them may meet, take
// some tenths of a second at most.
func TestSearchEnds(t *testing.T) {
	const soon = 1 << 25 // of about 10 ns
	long := strings.Repeat("a", limit.Text)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{"(a?){900}b", "a*b", "(a|aa|aaa|aaaa){1,500}[bcd]", "((a?){30}){33}c|b", "(a*)*b|[^a]"} {
		env := &Env{Meter: limit.New(ended, 0, -1, nil)}
		p, ok := env.compile(text, "")
		if !ok {
			t.Fatalf("%s: no pattern", text)
		}
		r := &pacedReader{meter: env.Meter, text: long, size: p.size}
		p.MatchReader(r)
		if !r.stopped || r.at*p.size > soon {
			t.Errorf("%s: read %d characters, each for %d instructions", text, r.at, p.size)
		}
		env.Meter = limit.New(ended, 0, -1, nil)
		if _, ok := p.found(env, long); ok || kg.KindOf(env.Meter.Err) != kg.Cancelled {
			t.Errorf("%s: searched to the end, %v", text, env.Meter.Err)
		}
		env.Meter = limit.New(ended, 0, -1, nil)
		if _, ok := p.replaced(env, long, nil); ok || kg.KindOf(env.Meter.Err) != kg.Cancelled {
			t.Errorf("%s: replaced to the end, %v", text, env.Meter.Err)
		}
	}
}

// Small texts count as well: many of them take as long as a long one.
func TestSmallSearchesCount(t *testing.T) {
	env := &Env{Meter: limit.New(t.Context(), 0, 0, nil)}
	args := []term.Term{text(strings.Repeat("a", 280)), text("(a?){900}b")}
	if _, ok := matches(env, args); !ok || env.Meter.Work() < 100 {
		t.Errorf("%d steps for half a million instructions", env.Meter.Work())
	}
}

// Patterns that would take much memory are refused before they are compiled.
func TestLargePatterns(t *testing.T) {
	for _, text := range []string{"(" + strings.Repeat("(ab|cd)", 200) + "){500}", "(" + strings.Repeat("abcdefgh", 500) + "){1000}", strings.Repeat("x", mostPattern+1)} {
		env := &Env{Meter: limit.New(t.Context(), 0, 0, nil)}
		if _, ok := env.compile(text, ""); ok || kg.KindOf(env.Meter.Err) != kg.TooLarge {
			t.Errorf("%.20s…: %v", text, env.Meter.Err)
		}
	}
	env := &Env{Meter: limit.New(t.Context(), 0, 0, nil)}
	groups := []term.Term{text(strings.Repeat("a", 1000)), text(strings.Repeat("(a)?", 2000) + "b"), text("$1")}
	if _, ok := replacement(env, groups); ok || kg.KindOf(env.Meter.Err) != kg.TooLarge {
		t.Errorf("2,000 groups: %v", env.Meter.Err)
	}
}
