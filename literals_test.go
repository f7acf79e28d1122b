package lacuna_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
)

// wideFilms is a table with numbers and gaps.
const wideFilms = `film,director,country,budget,year,genre
Ran,Akira Kurosawa,Japan,12,1985,War|Drama
Ikiru,Akira Kurosawa,Japan,1,1952,Drama
Roma,Federico Fellini,Italy,5,1972,Drama
Amarcord,Federico Fellini,Italy,7,1973,Comedy|Drama
Playtime,Jacques Tati,France,17,1967,Comedy
Mon Oncle,Jacques Tati,France,,1958,Comedy
Stalker,Andrei Tarkovsky,,1,1979,Drama
Solaris,,USSR,2,1972,Drama
La Strada,,Italy,,1954,Drama
Yojimbo,Akira Kurosawa,,3,1961,
`

func openFilms(t *testing.T, options ...lacuna.Option) *lacuna.Engine {
	t.Helper()
	path := filepath.Join(t.TempDir(), "films.csv")
	if err := os.WriteFile(path, []byte(wideFilms), 0o666); err != nil {
		t.Fatal(err)
	}
	options = append(options, lacuna.Device("cpu"))
	engine, err := lacuna.Open(t.Context(), path, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return engine
}

// names are those of the entities that a result shows, known ones apart.
func names(r *lacuna.Result) (known, predicted []string) {
	for _, a := range r.Shown() {
		of := &predicted
		if a.Known {
			of = &known
		}
		*of = append(*of, strings.Join(append([]string{a.Entity}, a.Entities...), " "))
	}
	return known, predicted
}

func hasNumber(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.ContainsAny(name, "0123456789") })
}

var waysOfFilms = map[string][]lacuna.Option{
	"by links":         nil,
	"by links on cuts": {lacuna.Cut(20)},
	"by sets":          {lacuna.By(lacuna.Sets), lacuna.Model(lacuna.FoundationOfSets)},
	"doubting":         {lacuna.By(lacuna.Sets), lacuna.Model(lacuna.FoundationOfSets), lacuna.KeepKnown(false)},
}

// Numbers are no directors, however small the graph is, and no year is predicted unless somebody asks for it.
func TestNumbersAreNotPredicted(t *testing.T) {
	for way, options := range waysOfFilms {
		t.Run(way, func(t *testing.T) {
			engine := openFilms(t, options...)
			for _, question := range []string{
				"?d : director(La Strada, d)", "?d : director(Ran, d)", "?f : country(f, Italy)",
				"?g : exists f: director(f, Akira Kurosawa) & genre(f, g)", "?c : exists f: year(f, 1972) & country(f, c)",
			} {
				result, err := engine.Ask(t.Context(), question, lacuna.Threshold(0), lacuna.Limit(lacuna.All))
				if err != nil {
					t.Fatal(err)
				}
				if _, predicted := names(result); len(predicted) == 0 || hasNumber(predicted) {
					t.Errorf("%s predicts %q", question, predicted)
				}
			}
			for _, question := range []string{"?y : year(Yojimbo, y)", "?f : year(f, 1972)"} {
				result, err := engine.Ask(t.Context(), question, lacuna.Threshold(0))
				if err != nil {
					t.Fatal(err)
				}
				known, predicted := names(result)
				if len(predicted) > 0 || way != "doubting" && len(known) == 0 || len(result.Hints) != 1 || !strings.HasPrefix(result.Hints[0], "year leads to numbers") {
					t.Errorf("%s knows %q, predicts %q and says %q", question, known, predicted, result.Hints)
				}
			}
		})
	}
}

// Who asks for years gets years, and no directors among them.
func TestNumbersArePredictedOnRequest(t *testing.T) {
	for _, way := range []string{"by links", "by links on cuts"} {
		engine := openFilms(t, waysOfFilms[way]...)
		result, err := engine.Ask(t.Context(), "?y : year(Yojimbo, y)", lacuna.Threshold(0), lacuna.Limit(lacuna.All), lacuna.Literals(true))
		if err != nil {
			t.Fatal(err)
		}
		_, predicted := names(result)
		if len(predicted) == 0 || len(result.Hints) > 0 || slices.ContainsFunc(predicted, func(name string) bool { return !hasNumber([]string{name}) }) {
			t.Errorf("%s: predicted are %q, hints %q", way, predicted, result.Hints)
		}
	}
}

// A number has a name that people read, and is the subject of no statement all the same.
func TestNumbersAreNoSubjects(t *testing.T) {
	found, err := openFilms(t).SPARQL(t.Context(), "SELECT ?s { ?s ?p ?o FILTER(isLiteral(?s)) }")
	if err != nil {
		t.Fatal(err)
	}
	if subjects, _ := column(t, found); len(subjects) > 0 {
		t.Errorf("subjects are %q", subjects)
	}
}

// A join and SPARQL read the same rows.
func TestJoinsPredictNoNumbers(t *testing.T) {
	engine := openFilms(t)
	result, err := engine.Ask(t.Context(), "?f, ?d, ?y : director(f, d) & year(f, y)", lacuna.Threshold(0.001), lacuna.Limit(200))
	if err != nil {
		t.Fatal(err)
	}
	isStated := map[string]bool{}
	for _, line := range strings.Split(wideFilms, "\n")[1:] {
		if cells := strings.Split(line, ","); len(cells) > 4 {
			isStated[cells[0]+" "+cells[4]] = true
		}
	}
	for _, a := range result.Shown() {
		if hasNumber(a.Entities[1:2]) || !isStated[a.Entities[0]+" "+a.Entities[2]] {
			t.Errorf("an answer is %q", a.Entities)
		}
	}
	if len(result.Hints) != 1 {
		t.Errorf("hints %q", result.Hints)
	}
	found, err := engine.SPARQL(t.Context(), "SELECT ?d (SUM(?b) AS ?s) { ?f <director> ?d . ?f <budget> ?b } GROUP BY ?d", lacuna.By(lacuna.Links))
	if err != nil {
		t.Fatal(err)
	}
	directors, _ := column(t, found)
	if len(directors) < 4 || strings.Contains(strings.Join(directors, " "), "XMLSchema") {
		t.Errorf("directors are %q", directors)
	}
}
