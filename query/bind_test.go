package query

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

func namesOf(names []string) *kg.Names {
	var in kg.Interner
	for _, name := range names {
		in.Intern([]byte(name))
	}
	return in.Names()
}

func vocabularyOf(entities, relations []string) *kg.Vocabulary {
	return &kg.Vocabulary{
		Entities:  kg.Dictionary{Names: namesOf(entities)},
		Relations: kg.Dictionary{Names: namesOf(relations)},
	}
}

// people is a vocabulary in which Mercury and Turing are ambiguous labels.
func people() *kg.Vocabulary {
	v := vocabularyOf(
		[]string{"Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "Q8", "Q9", "Q10", "<http://x.org/a>"},
		[]string{"Win", "Field", "University", "http://x.org/r"})
	v.Entities.Labels = kg.NewLabels([]string{"Turing Award", "Deep Learning", "Mercury", "Mercury", "mercury", "Turing", "Turing", "Turing", "Turing", "Turing"})
	v.Relations.Labels = kg.NewLabels([]string{"", "", "works at"})
	return v
}

// checkReadsBack holds that a text means e, up to what decomposition flattens.
func checkReadsBack(t *testing.T, text string, e Expr, vocabulary *kg.Vocabulary) {
	t.Helper()
	q, err := Parse(text)
	if err != nil {
		t.Fatalf("%s\n\t%v", text, err)
	}
	resolved, err := Resolve(q, vocabulary)
	if err != nil {
		t.Fatalf("%s\n\t%v", text, err)
	}
	got, err := Decompose(resolved)
	want := Rewrite(e, Passes[1], Passes[3])
	if err != nil {
		if isBounded(e) {
			t.Fatalf("%s\n\t%v", text, err)
		}
		return
	}
	if !Equal(Rewrite(got, Passes[1], Passes[3]), want) && !hasUniverse(e) {
		t.Fatalf("%v\nprints as %s and reads back as\n%v", e, text, got)
	}
}

func hasUniverse(e Expr) bool {
	return e == Universe{} || slices.ContainsFunc(Operands(e), hasUniverse)
}

func TestBind(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"?u : ∃a : Win(a, Turing Award) ∧ Field(a, deep learning) ∧ works at(a, u)", "P[works at](C(P[Win^-1]({Turing Award}), P[Field^-1]({Deep Learning})))"},
		{"?u : University(Q3, u) ∧ win^-1(Q1, u)", "C(P[works at]({Q3}), P[Win^-1]({Turing Award}))"},
		{"?u : #5^-1(#2, u) ∧ #1(#1, u)", "C(P[works at]({Q3}), P[Win^-1]({Deep Learning}))"},
		{"?u : <http://x.org/r>(http://x.org/a, u)", "P[http://x.org/r]({<http://x.org/a>})"},
		{"?u : u = mercury", "{mercury}"},
	} {
		q, err := Parse(test.text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Bind(q, people())
		if err != nil {
			t.Errorf("%s\n\t%v", test.text, err)
			continue
		}
		if got := FormatOperators(e, people()); got != test.want {
			t.Errorf("%s\n\tgives %s\n\twant  %s", test.text, got, test.want)
		}
	}
}

func TestBindErrors(t *testing.T) {
	for _, test := range []struct {
		text, want string
		kind       kg.Kind
	}{
		{"?u : ∃a : Winn(a, Q1) ∧ Field(a, u)", `query:1:11: no relation "Winn" (did you mean "Win"?)`, kg.NotFound},
		{"?u :\n ∃a : Win(a, Tuirng Award) ∧ Field(a, u)", `query:2:14: no entity "Tuirng Award" (did you mean "Turing Award"?)`, kg.NotFound},
		{"?u : Win(u, Nobody At All)", `query:1:13: no entity "Nobody At All"`, kg.NotFound},
		{"?u : Win(u, a)", `query:1:13: no entity "a", and no variable of that name is bound: write ∃a or quote it`, kg.NotFound},
		{"?u : Win(u, Mercury)", `query:1:13: "Mercury" is the name of 2 entities: use one of the identifiers Q3, Q4`, kg.Invalid},
		{"?u : Win(u, MERCURY)", `query:1:13: "MERCURY" is the name of 3 entities: use one of the identifiers Q3, Q4, Q5`, kg.Invalid},
		{"?u : Win(u, Turing)", `query:1:13: "Turing" is the name of 5 entities: use one of the identifiers Q6, Q7, Q8, Q9, Q10`, kg.Invalid},
		{"P[Win]({#11})", `query:1:9: no entity #11: there are 11, numbered from 0`, kg.NotFound},
		{"(3, (8,))", `query:1:6: no relation #8: there are 8, numbered from 0`, kg.NotFound},
		{"?u : Award(u, Q1) ∧ Win(u, Q1)", `query:1:6: no relation "Award"`, kg.NotFound},
	} {
		q, err := Parse(test.text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Bind(q, people())
		if err == nil || err.Error() != test.want || kg.KindOf(err) != test.kind {
			t.Errorf("%s\n\tgives %v (kind %d)\n\twant  %s", test.text, err, kg.KindOf(err), test.want)
		}
	}
}

func TestFindEntity(t *testing.T) {
	v := people()
	for _, test := range []struct {
		name, id, failure string
		kind              kg.Kind
	}{
		{name: "Q1", id: "Q1"},
		{name: "Turing Award", id: v.Entities.Names.At(v.Entities.Find("Turing Award")[0])},
		{name: "#3", id: v.Entities.Names.At(3)},
		{name: "Tuirng Award", failure: `no entity "Tuirng Award" (did you mean "Turing Award"?)`, kind: kg.NotFound},
		{name: "a", failure: `no entity "a"`, kind: kg.NotFound},
		{name: "#11", failure: `no entity #11: there are 11, numbered from 0`, kind: kg.NotFound},
		{name: "Mercury", failure: `"Mercury" is the name of 2 entities: use one of the identifiers Q3, Q4`, kind: kg.Invalid},
	} {
		e, err := FindEntity(test.name, v)
		switch {
		case test.failure != "":
			if err == nil || err.Error() != test.failure || kg.KindOf(err) != test.kind {
				t.Errorf("%s gives %v (kind %d), expected %s", test.name, err, kg.KindOf(err), test.failure)
			}
		case err != nil || v.Entities.Names.At(uint32(e)) != test.id:
			t.Errorf("%s is %s, %v; expected %s", test.name, v.Entities.Names.At(uint32(e)), err, test.id)
		}
	}
}

func TestSuggest(t *testing.T) {
	dictionary := kg.Dictionary{Names: namesOf([]string{
		"Alan Turing", "Turing Award", "Turing", "turning", "Win", "Twin", "award_winner", "/award/award_winner", "Ångström",
	})}
	for _, test := range []struct{ name, want string }{
		{"Turin", "Turing|Turing Award|Alan Turing"},
		{"Truing", "Turing|turning"},
		{"winn", "Win|award_winner|/award/award_winner"},
		{"turing award", "Turing Award"},
		{"award_winer", "award_winner"},
		{"award_winner", "award_winner|/award/award_winner"},
		{"Award", "award_winner|Turing Award|/award/award_winner"},
		{"Angstrom", ""},
		{"Ångstrom", "Ångström"},
		{"x", ""},
		{"", ""},
	} {
		if got := strings.Join(Suggest(dictionary, test.name), "|"); got != test.want {
			t.Errorf("%q: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestDistance compares the banded distance with the full table, of which it is a cut-off.
func TestDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	word := func() string {
		letters := make([]byte, rng.IntN(12))
		for i := range letters {
			letters[i] = "abc"[rng.IntN(3)]
		}
		return string(letters)
	}
	for range 50000 {
		want, candidate := word(), word()
		m := newMatcher(want)
		full := alignmentDistance(candidate, want)
		if score, ok := m.score(candidate); full <= m.limit && (!ok || score != full*distanceScore) {
			t.Fatalf("%q and %q: score %d, %v; the distance is %d", want, candidate, score, ok, full)
		} else if full > m.limit && ok && score < prefixScore {
			t.Fatalf("%q and %q: score %d, the distance is %d", want, candidate, score, full)
		}
	}
}

func alignmentDistance(a, b string) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
		for j := range table[i] {
			switch {
			case i == 0 || j == 0:
				table[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				table[i][j] = table[i-1][j-1]
			default:
				table[i][j] = 1 + min(table[i-1][j-1], table[i-1][j], table[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				table[i][j] = min(table[i][j], table[i-2][j-2]+1)
			}
		}
	}
	return table[len(a)][len(b)]
}

func BenchmarkSuggest(b *testing.B) {
	var in kg.Interner
	for i := range 5_000_000 {
		in.Intern([]byte("entity number " + strconv.Itoa(i*7919)))
	}
	dictionary := kg.Dictionary{Names: in.Names()}
	for b.Loop() {
		Suggest(dictionary, "entity numbr 12345678")
	}
}

func TestFindRelation(t *testing.T) {
	var entities, relations kg.Interner
	for _, name := range []string{"Directed", "odd^-1"} {
		relations.Intern([]byte(name))
	}
	v := &kg.Vocabulary{Entities: kg.Dictionary{Names: entities.Names()}, Relations: kg.Dictionary{Names: relations.Names()}}
	for name, want := range map[string]kg.Relation{
		"Directed": kg.Forward(0), "Directed^-1": kg.Forward(0).Inverse(), "#1": kg.Forward(1),
	} {
		if got, err := FindRelation(name, v); err != nil || got != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := FindRelation("Directd", v); kg.KindOf(err) != kg.NotFound || !strings.Contains(err.Error(), `did you mean "Directed"`) {
		t.Error(err)
	}
}
