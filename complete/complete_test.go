package complete

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
)

func dictionary(names []string, labels ...string) kg.Dictionary {
	var in kg.Interner
	for _, name := range names {
		in.Intern([]byte(name))
	}
	d := kg.Dictionary{Names: in.Names()}
	if len(labels) > 0 {
		d.Labels = kg.NewLabels(labels)
	}
	return d
}

func newIndex(t testing.TB, d kg.Dictionary, weigh func(uint32) int) *Index {
	x, err := New(context.Background(), d, weigh)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func found(x *Index, typed string, limit int) string {
	var names []string
	for _, m := range x.Search(typed, limit) {
		names = append(names, x.dictionary.Readable(m.ID))
	}
	return strings.Join(names, " | ")
}

func TestSearch(t *testing.T) {
	names := []string{"Paris", "Paris Hilton", "Parma", "Comparison", "New Paris", "Los Angeles", "/m/0abc", "São Paulo", "PARIS", "Q90"}
	labels := []string{"", "", "", "", "", "", "", "", "", "City of Light"}
	weight := []int{50, 9, 20, 100, 30, 7, 1, 3, 2, 60}
	x := newIndex(t, dictionary(names, labels...), func(id uint32) int { return weight[id] })
	for typed, want := range map[string]string{
		"paris":       "Paris | PARIS | Paris Hilton | New Paris",
		"par":         "Paris | Parma | Paris Hilton | New Paris | PARIS", // what begins so counts more, but not all
		"  angel":     "Los Angeles",
		"paris h":     "Paris Hilton",
		"m 0a":        "/m/0abc",
		"/m/0abc":     "/m/0abc",
		"são":         "São Paulo",
		"sao p":       "São Paulo",                                              // without its accent
		"sa\u0303o":   "São Paulo",                                              // as two characters
		"SÃO":         "São Paulo",                                              //
		"soa p":       "São Paulo",                                              // … and swapped
		"pairs":       "Paris | Paris Hilton | New Paris | PARIS",               // swapped
		"paaris":      "Paris | Paris Hilton | New Paris | PARIS",               // one too many
		"pris":        "Paris | Paris Hilton | New Paris | PARIS",               // one missing
		"los angelas": "Los Angeles",                                            // wrong
		"light":       "City of Light",                                          // a label's word
		"q90":         "City of Light",                                          // its identifier
		"xyzzy":       "",                                                       //
		"aris":        "",                                                       // inside a word; the first character counts as right
		"":            "Comparison | City of Light | Paris | New Paris | Parma", // the weightiest
	} {
		if got := found(x, typed, 5); got != want {
			t.Errorf("%q finds %s, expected %s", typed, got, want)
		}
	}
	if got := x.Search("par", 0); got != nil {
		t.Errorf("a limit of 0 gives %v", got)
	}
	if got := x.Search(strings.Repeat("p", maxTyped+1), 5); got != nil {
		t.Errorf("too long a text gives %v", got)
	}
}

// TestAgainstScan compares with a scan of all names, on random names over few letters.
func TestAgainstScan(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(most int) string {
		b := make([]rune, 1+random.IntN(most))
		for i := range b {
			b[i] = []rune("abcé -")[random.IntN(6)]
		}
		return string(b)
	}
	for range 60 {
		var names []string
		for range 1 + random.IntN(60) {
			names = append(names, text(9))
		}
		d := dictionary(names)
		weigh := func(id uint32) int { return int(id*7) % 5 }
		x := newIndex(t, d, weigh)
		for range 30 {
			typed, limit := text(6), 1+random.IntN(8)
			got := x.Search(typed, limit)
			want, scores := scan(d, weigh, typed, limit)
			if !slices.EqualFunc(got, want, func(a, b Match) bool {
				return a.kind == b.kind && scores[a.ID] == scores[b.ID] && a.Weight == weigh(a.ID)
			}) {
				t.Fatalf("%q of %q gives %v, expected %v", typed, names, got, want)
			}
			once, err := Once(t.Context(), d, weigh, typed, limit)
			if err != nil || len(folded(typed)) > 0 && !slices.EqualFunc(once, got, func(a, b Match) bool {
				return a.kind == b.kind && scores[a.ID] == scores[b.ID] && a.Weight == b.Weight
			}) {
				t.Fatalf("%q of %q once gives %v %v, expected %v", typed, names, once, err, got)
			}
		}
	}
}

// scan is what Search should give, found by looking at everything; ids of equal score may differ.
func scan(d kg.Dictionary, weigh func(uint32) int, typed string, limit int) (matches []Match, scores map[uint32]int) {
	query, scores := folded(typed), map[uint32]int{}
	for id := range uint32(d.Names.Len()) {
		name := folded(d.Names.At(id))
		best, points := kind(99), 0
		for i := range name {
			if name[i] == ' ' || i > 0 && name[i-1] != ' ' {
				continue
			}
			kind := kind(99)
			switch rest := name[i:]; {
			case i == 0 && len(query) > 0 && bytes.Equal(name, query):
				kind = whole
			case bytes.HasPrefix(rest, query):
				kind = prefix
			case editedPrefix([]rune(string(rest)), []rune(string(query))):
				kind = edited
			}
			if kind < best {
				best, points = kind, score(weigh(id), i == 0)
			}
		}
		if best <= edited {
			matches = append(matches, Match{id, weigh(id), best})
			scores[id] = points
		}
	}
	slices.SortStableFunc(matches, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(scores[b.ID], scores[a.ID]))
	})
	return matches[:min(limit, len(matches))], scores
}

// editedPrefix tells whether text begins with query after one edit behind its first character.
func editedPrefix(text, query []rune) bool {
	if len(query) < leastFuzzy || text[0] != query[0] {
		return false
	}
	begins := func(edited []rune) bool { return strings.HasPrefix(string(text), string(edited)) }
	for i := 1; i < len(query); i++ {
		if begins(slices.Delete(slices.Clone(query), i, i+1)) {
			return true
		}
		if i+1 < len(query) {
			swapped := slices.Clone(query)
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
			if begins(swapped) {
				return true
			}
		}
		for _, r := range text {
			wrong := slices.Clone(query)
			wrong[i] = r
			if begins(wrong) || begins(slices.Insert(slices.Clone(query), i, r)) {
				return true
			}
		}
	}
	return false
}

func TestExtend(t *testing.T) {
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprintf("name %d", i*i))
	}
	weigh := func(id uint32) int { return int(id) % 7 }
	grown := newIndex(t, dictionary(names[:3]), weigh)
	for n := 4; n <= len(names); n++ {
		d := dictionary(names[:n])
		var err error
		if grown, err = grown.Extend(context.Background(), d, weigh); err != nil {
			t.Fatal(err)
		}
		whole := newIndex(t, d, weigh)
		for _, typed := range []string{"", "name 1", "1", "naem", "name 81"} {
			got, want := grown.Search(typed, 6), whole.Search(typed, 6)
			if !slices.EqualFunc(got, want, func(a, b Match) bool { return a.kind == b.kind && a.Weight == b.Weight }) {
				t.Fatalf("%d names: %q gives %v, built at once %v", n, typed, got, want)
			}
		}
	}
	if len(grown.parts) > 6 {
		t.Errorf("%d parts of 40 names", len(grown.parts))
	}
}

func TestNewStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(ctx, dictionary([]string{"a"}), func(uint32) int { return 0 }); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("got %v", err)
	}
}

func FuzzSearch(f *testing.F) {
	for _, typed := range []string{"paris", "são p", "\xff\x00", "  ", "pairs"} {
		f.Add("Paris,São Paulo,New York", typed, 3)
	}
	f.Fuzz(func(t *testing.T, list, typed string, limit int) {
		d := dictionary(strings.Split(list, ","))
		x := newIndex(t, d, func(id uint32) int { return int(id) })
		matches := x.Search(typed, limit)
		if len(matches) > max(limit, 0) {
			t.Fatalf("%d matches of at most %d", len(matches), limit)
		}
		for i, m := range matches {
			if int(m.ID) >= d.Names.Len() || i > 0 && m.kind < matches[i-1].kind {
				t.Fatalf("match %d of %v", i, matches)
			}
		}
	})
}

// BenchmarkSearch is on five million names of two or three words; the worst of its
// requests are misspelt, as these look at every branch.
func BenchmarkSearch(b *testing.B) {
	syllables := strings.Fields("ka ri mo ten sul bra vi no da lor est fi gan he jo ul pre qua sta tu we xi yo za")
	random := rand.New(rand.NewPCG(3, 4))
	var in kg.Interner
	for i := range 5_000_000 {
		var name []byte
		for w := range 2 + i%2 {
			if w > 0 {
				name = append(name, ' ')
			}
			for range 2 + random.IntN(3) {
				name = append(name, syllables[random.IntN(len(syllables))]...)
			}
		}
		in.Intern(fmt.Appendf(name, " %d", i))
	}
	x := newIndex(b, kg.Dictionary{Names: in.Names()}, func(id uint32) int { return int(id*2654435761) % 1000 })
	for _, typed := range []string{"k", "kari", "karimo t", "karimo tesnul", "brvinoda"} {
		b.Run(typed, func(b *testing.B) {
			for b.Loop() {
				x.Search(typed, 10)
			}
		})
	}
	b.Run("typing", func(b *testing.B) { typing(b, x, random) })
}

// typing asks for beginnings of random names, every third of them misspelt, and reports the worst of a hundred.
func typing(b *testing.B, x *Index, random *rand.Rand) {
	var took []time.Duration
	for b.Loop() {
		name := []byte(x.dictionary.Names.At(random.Uint32N(uint32(x.dictionary.Names.Len()))))
		typed := name[:1+random.IntN(len(name))]
		if random.IntN(3) == 0 {
			typed[random.IntN(len(typed))] = 'y'
		}
		start := time.Now()
		x.Search(string(typed), 10)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
