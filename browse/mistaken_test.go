package browse

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/query"
)

// A relation that the graph lacks is answered with one of like meaning.
func TestUnknownRelationsOfLikeMeaning(t *testing.T) {
	g := graph(t, "Fellini\tbirth_country\tItaly\nFellini\tdirector_of\tRoma\nRoma\tgenre\tdrama\n", "x.tsv")
	for text, want := range map[string]string{
		"?c : nationality(Fellini, c)":    "relations of like meaning: birth_country",
		"?f : made by(Fellini, f)":        `no relation "made by"`,
		"?f : directed(Fellini, f)":       "relations of like meaning: director_of",
		"?f : place of birth(Fellini, f)": "relations of like meaning: birth_country",
	} {
		q, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = query.Resolve(q, g.Vocabulary)
		if err = Meant(err, q, g); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	q, err := query.Parse("?c : genre(Nobody, c)")
	if err != nil {
		t.Fatal(err)
	}
	_, err = query.Resolve(q, g.Vocabulary)
	if got := Meant(err, q, g); got == nil || strings.Contains(got.Error(), "meaning") {
		t.Errorf("an unknown entity: %v", got)
	}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string]bool{
		"Who directed Amarcord?": true, "which drugs treat asthma": true, "?f : director(f, Fellini": false,
		"Directed(Fellini, Roma": false, "and or": false, "": false, "?x director x Fellini": false,
	} {
		if IsSentence(text) != want {
			t.Errorf("%q", text)
		}
	}
}
