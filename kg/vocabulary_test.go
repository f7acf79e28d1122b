package kg

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func dictionary(names, labels []string) Dictionary {
	var in Interner
	for _, name := range names {
		in.Intern([]byte(name))
	}
	if labels == nil {
		return Dictionary{Names: in.Names()}
	}
	return Dictionary{in.Names(), NewLabels(labels)}
}

func TestDictionaryFind(t *testing.T) {
	d := dictionary([]string{"Q1", "Q2", "Q3", "q9", "Alan", "Q6", "Q7"}, []string{"Paris", "paris", "PARIS", "Alan", "", "Ångström"})
	tests := []struct {
		asked string
		want  []uint32
	}{
		{"Q1", []uint32{0}},
		{"Paris", []uint32{0}},          // the label as it is written goes before the label in another case
		{"pAris", []uint32{0, 1, 2}},    // ambiguous
		{"Alan", []uint32{4}},           // the identifier goes before the label
		{"alan", []uint32{3}},           // a label in another case goes before an identifier in another case
		{"Q9", []uint32{3}},             // an identifier in another case
		{"ångstRÖM", []uint32{5}},       // beyond ASCII
		{"Paris ", nil},                 // not trimmed
		{"", nil},                       // no label is not an empty label
		{"Par", nil}, {"Parisian", nil}, // no prefixes
	}
	for _, test := range tests {
		if got := d.Find(test.asked); !slices.Equal(got, test.want) {
			t.Errorf("Find(%q) = %v, want %v", test.asked, got, test.want)
		}
	}
}

func TestFindFoldedOfAnotherLength(t *testing.T) {
	d := dictionary([]string{"273 \u212A"}, nil) // the Kelvin sign, three bytes, folds to k
	if got := d.Find("273 k"); !slices.Equal(got, []uint32{0}) {
		t.Errorf("Find = %v", got)
	}
}

func TestReadable(t *testing.T) {
	v := &Vocabulary{
		Entities:  dictionary([]string{"Q1", "Q2", "Q3"}, []string{"Paris", ""}),
		Relations: dictionary([]string{"P1"}, nil),
	}
	got := []string{v.Entity(0), v.Entity(1), v.Entity(2), v.Relation(0), v.Relation(1)}
	if want := []string{"Paris", "Q2", "Q3", "P1", "P1^-1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	got = []string{v.Entities.LabelledID(0), v.Entities.LabelledID(1), v.Entities.LabelledID(2), v.Relations.LabelledID(0)}
	if want := []string{"Q1", "", "", ""}; !slices.Equal(got, want) {
		t.Errorf("identifiers behind labels %q, want %q", got, want)
	}
	if v.NumRelations() != 2 {
		t.Errorf("%d relations", v.NumRelations())
	}
}

func TestVocabularyHash(t *testing.T) {
	labelled := &Vocabulary{Entities: dictionary([]string{"a", "b"}, []string{"A"}), Relations: dictionary([]string{"r"}, nil)}
	plain := &Vocabulary{Entities: dictionary([]string{"a", "b"}, nil), Relations: dictionary([]string{"r"}, nil)}
	if labelled.Hash() != plain.Hash() {
		t.Error("labels changed the hash")
	}
	for _, other := range []*Vocabulary{
		{Entities: dictionary([]string{"b", "a"}, nil), Relations: dictionary([]string{"r"}, nil)},
		{Entities: dictionary([]string{"a"}, nil), Relations: dictionary([]string{"b", "r"}, nil)},
		{Entities: dictionary([]string{"r"}, nil), Relations: dictionary([]string{"a", "b"}, nil)},
	} {
		if other.Hash() == plain.Hash() {
			t.Errorf("another vocabulary has the same hash")
		}
	}
	const want = "6f786bf7279b7c81"
	if got := fmt.Sprintf("%x", plain.Hash())[:16]; got != want {
		t.Errorf("the hash is %s…, and was %s… in files already written", got, want)
	}
}

// TestLabelsAgainstScan draws labels that share prefixes, cases and lengths around
// the eight bytes of a sort key.
func TestLabelsAgainstScan(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	pieces := []string{"a", "A", "b", "é", "É", "ß", "\xff", "\x00", "longer", "LONGER", "日本", " "}
	labels := make([]string, 2000)
	for i := range labels {
		for range random.IntN(6) {
			labels[i] += pieces[random.IntN(len(pieces))]
		}
	}
	l := NewLabels(labels)
	if err := l.check(len(labels)); err != nil {
		t.Fatal(err)
	}
	for i, id := range l.order[1:] {
		if a, b := labels[l.order[i]], labels[id]; strings.ToLower(a) > strings.ToLower(b) {
			t.Fatalf("%q goes before %q", a, b)
		}
	}
	for i := 0; i < len(labels); i += 7 {
		var want []uint32
		folded := strings.ToLower(labels[i])
		for id, label := range labels {
			if label != "" && strings.ToLower(label) == folded {
				want = append(want, uint32(id))
			}
		}
		if got := l.Find(labels[i]); !slices.Equal(got, want) {
			t.Errorf("Find(%q) = %v, want %v", labels[i], got, want)
		}
		if got := l.At(uint32(i)); got != labels[i] {
			t.Errorf("At(%d) = %q, want %q", i, got, labels[i])
		}
	}
}

func TestCompareFoldedAgainstToLower(t *testing.T) {
	texts := []string{"", "a", "A", "ab", "AB", "é", "É", "e\u0301", "z", "\u212A", "k", "\xff", "\uFFFD", "𐐀", "𐐨", "İ", "a\x00"}
	for _, a := range texts {
		for _, b := range texts {
			want := strings.Compare(strings.ToLower(a), strings.ToLower(b))
			if got := compareFolded([]byte(a), []byte(b)); got != want {
				t.Errorf("compareFolded(%q, %q) = %d, want %d", a, b, got, want)
			}
		}
	}
}

func BenchmarkNewLabels(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	labels := make([]string, 200_000)
	for i := range labels {
		labels[i] = fmt.Sprintf("The Label Number %d", random.IntN(1<<30))
	}
	for b.Loop() {
		NewLabels(labels)
	}
	b.ReportMetric(float64(len(labels)*b.N)/b.Elapsed().Seconds(), "labels/s")
}
