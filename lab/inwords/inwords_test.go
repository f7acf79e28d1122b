package inwords

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

const films = `Amarcord	directed by	Fellini
Roma	directed by	Fellini
Amarcord	has genre	comedy
Roma	has genre	drama
Amarcord	starred actors	Magali Noel
Breathless	directed by	Godard
Breathless	has genre	crime
`

func reader(t *testing.T) *Reader {
	t.Helper()
	splits, err := read.Stream(t.Context(), strings.NewReader(films), "films.tsv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return NewReader(splits.Train)
}

func TestReadsNamesAndRelationWords(t *testing.T) {
	score, err := reader(t).Run(strings.NewReader(strings.Join([]string{
		"who directed [Breathless]\tGodard",
		"what films did [Fellini] direct\tAmarcord|Roma",
		"the films directed by [Fellini] were in which genres\tcomedy|drama",
		"who starred in movies for the director of [Roma]\tMagali Noel",
		"what is the weather like\train",
		"who directed [Roma]\tGodard",
	}, "\n")), "questions")
	want := Score{6, 5. / 6, 4. / 6, 4. / 6, 4. / 6}
	if err != nil || score != want {
		t.Errorf("%+v, expected %+v; %v", score, want, err)
	}
}

func TestLinesHaveAnswers(t *testing.T) {
	if _, err := reader(t).Run(strings.NewReader("who directed [Roma]\tFellini\nwho\n"), "q.txt"); kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), "q.txt:2") {
		t.Error(err)
	}
}
