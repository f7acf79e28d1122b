package mcp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/server"
)

// unknownGraph is one whose names nobody would guess: identifiers with labels, two of them shared, relations in the words of its maker.
const unknownGraph = `
@prefix o: <http://films.example/o#> . @prefix d: <http://films.example/d/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
d:n1 rdfs:label "Federico Fellini" ; o:placeOfBirth d:c1 ; a o:Person ; o:spouse d:n4 .
d:n2 rdfs:label "Michelangelo Antonioni" ; o:placeOfBirth d:c2 ; a o:Person .
d:n3 rdfs:label "Terry Gilliam" ; o:placeOfBirth d:c3 ; a o:Person .
d:n4 rdfs:label "Giulietta Masina" ; o:placeOfBirth d:c4 ; a o:Person .
d:n5 rdfs:label "Lina Wertmüller" ; o:placeOfBirth d:c5 ; a o:Person .
d:n6 rdfs:label "Sergio Leone" ; o:placeOfBirth d:c5 ; a o:Person .
d:c1 rdfs:label "Rimini" ; o:partOf d:s1 ; a o:City . d:c2 rdfs:label "Ferrara" ; o:partOf d:s1 ; a o:City .
d:c3 rdfs:label "Minneapolis" ; o:partOf d:s2 ; a o:City . d:c4 rdfs:label "San Giorgio di Piano" ; o:partOf d:s1 ; a o:City .
d:c5 rdfs:label "Rome" ; o:partOf d:s1 ; a o:City .
d:s1 rdfs:label "Italy" ; a o:Country . d:s2 rdfs:label "United States" ; a o:Country . d:s3 rdfs:label "Brazil" ; a o:Country . d:s4 rdfs:label "United Kingdom" ; a o:Country .
d:f1 rdfs:label "Amarcord" ; o:directedBy d:n1 ; o:countryOfOrigin d:s1 ; o:genre d:g1 ; a o:Film .
d:f2 rdfs:label "La Strada" ; o:directedBy d:n1 ; o:countryOfOrigin d:s1 ; o:genre d:g2 ; o:castMember d:n4 ; a o:Film .
d:f3 rdfs:label "Blow-Up" ; o:directedBy d:n2 ; o:countryOfOrigin d:s4 ; o:genre d:g3 ; a o:Film .
d:f4 rdfs:label "La Notte" ; o:directedBy d:n2 ; o:countryOfOrigin d:s1 ; o:genre d:g2 ; a o:Film .
d:f5 rdfs:label "Brazil" ; o:directedBy d:n3 ; o:countryOfOrigin d:s4 ; o:genre d:g1 ; a o:Film .
d:f6 rdfs:label "Seven Beauties" ; o:directedBy d:n5 ; o:countryOfOrigin d:s1 ; o:genre d:g2 ; a o:Film .
d:f7 rdfs:label "Nights of Cabiria" ; o:directedBy d:n1 ; o:genre d:g2 ; o:castMember d:n4 ; a o:Film .
d:f8 rdfs:label "Duck, You Sucker" ; o:directedBy d:n6 ; o:countryOfOrigin d:s1 ; o:genre d:g4 ; a o:Film .
d:g1 rdfs:label "comedy" . d:g2 rdfs:label "drama" . d:g3 rdfs:label "thriller" . d:g4 rdfs:label "western" .
`

// agent is a client that knows the words of a question and nothing of the graph: names and directions it takes from what the tools say.
type agent struct {
	dialogue
	told  string // the instructions
	calls int
}

func newAgent(t *testing.T) *agent {
	splits, err := read.Stream(t.Context(), strings.NewReader(unknownGraph), "films.ttl", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := lacuna.New(t.Context(), splits.Train, lacuna.Device("cpu"), lacuna.Calibrating(lacuna.CalibrationOptions{Off: true}))
	if err != nil {
		t.Fatal(err)
	}
	service, err := server.New(t.Context(), server.Options{Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	d := inMemory(t, service)
	return &agent{d, d.session.InitializeResult().Instructions, 0}
}

// use calls a tool and reads what a model reads.
func (a *agent) use(tool string, arguments map[string]any) string {
	a.Helper()
	a.calls++
	reply, err := a.session.CallTool(a.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.Fatalf("%s: %v", tool, err)
	}
	return a.text(reply)
}

type match struct{ Name, ID, Hint string }

func (a *agent) find(kind, words string) []match {
	a.Helper()
	var found struct{ Matches []match }
	if told := a.use("find_names", map[string]any{"kind": kind, "text": words}); json.Unmarshal([]byte(told), &found) != nil || len(found.Matches) == 0 {
		a.Fatalf("nothing is called %q: %s", words, told)
	}
	return found.Matches
}

// entity looks a name up; where several bear it, it is the one whose hint has the wanted word.
func (a *agent) entity(words, wanted string) string {
	a.Helper()
	for _, m := range a.find("entity", words) {
		if strings.Contains(strings.ToLower(m.Hint), wanted) {
			return fmt.Sprintf("%q", m.ID)
		}
	}
	a.Fatalf("no %s is a %s", words, wanted)
	return ""
}

// example is a fact of the instructions or of a hint: relation(head, tail).
var example = regexp.MustCompile(`(?m)^- ("[^"]+"|[^\s(]+)\(`)

// relation takes the relation whose name has the word from the instructions, else asks for one that means it.
func (a *agent) relation(word string) string {
	a.Helper()
	for _, found := range example.FindAllStringSubmatch(a.told, -1) {
		if strings.Contains(strings.ToLower(found[1]), word) {
			return fmt.Sprintf("%q", strings.Trim(found[1], `"`))
		}
	}
	return fmt.Sprintf("%q", a.find("relation", word)[0].ID)
}

// ask asks, and once again with the ends of a relation swapped where the answer says so.
func (a *agent) ask(relation, entity, rest string) string {
	a.Helper()
	told := a.use("ask", map[string]any{"question": "?x : " + relation + "(" + entity + ", x)" + rest})
	if strings.Contains(told, "did you mean that?") {
		told = a.use("ask", map[string]any{"question": "?x : " + relation + "(x, " + entity + ")" + rest})
	}
	return told
}

// TestTenQuestions has ten questions in plain words, each answered in four calls at most.
func TestTenQuestions(t *testing.T) {
	a := newAgent(t)
	for _, q := range []struct {
		question string
		answer   func() string
		want     []string
		not      string
	}{
		{"Where was Fellini born?", func() string { return a.ask(a.relation("born"), a.entity("felini", ""), "") }, []string{"known: Rimini"}, "known: Ferrara"},
		{"Who directed Amarcord?", func() string { return a.ask(a.relation("direct"), a.entity("amarcord", ""), "") }, []string{"known: Federico Fellini"}, ""},
		{"Which films did Antonioni direct?", func() string { return a.ask(a.relation("direct"), a.entity("antonioni", ""), "") }, []string{"known: Blow-Up", "known: La Notte"}, "known: Amarcord"},
		{"Who directed the film Brazil?", func() string { return a.ask(a.relation("direct"), a.entity("brazil", "film"), "") }, []string{"known: Terry Gilliam"}, ""},
		{"Which of Fellini's films are dramas?", func() string {
			return a.ask(a.relation("direct"), a.entity("fellini", ""), " & "+a.relation("genre")+"(x, "+a.entity("drama", "")+")")
		}, []string{"known: La Strada", "known: Nights of Cabiria"}, "known: Amarcord"},
		{"Which of Antonioni's films does the graph not state to be from Italy?", func() string {
			return a.use("ask", map[string]any{"mode": "exact", "question": fmt.Sprintf("?x : %s(x, %s) & !%s(x, %s)", a.relation("direct"), a.entity("antonioni", ""), a.relation("country"), a.entity("italy", ""))})
		}, []string{"known: Blow-Up"}, "known: La Notte"},
		{"In which country was the director of Blow-Up born?", func() string {
			film := a.entity("blow", "film")
			return a.use("ask", map[string]any{"question": fmt.Sprintf("?x : exists p, c: %s(%s, p) & %s(p, c) & %s(c, x)", a.relation("direct"), film, a.relation("born"), a.relation("part"))})
		}, []string{"known: Italy"}, ""},
		{"How many films are there?", func() string {
			kind := a.find("relation", "type")[0]
			_, class, _ := strings.Cut(kind.Hint, ", ")
			return a.use("sparql", map[string]any{"query": "SELECT (COUNT(*) AS ?n) { ?f <" + kind.ID + "> <" + regexp.MustCompile(`[^/#]*\)$`).ReplaceAllString(class, "Film") + "> }"})
		}, []string{"?n\n\"8\""}, ""},
		{"Where does Nights of Cabiria probably come from?", func() string {
			return a.use("predict", map[string]any{"relation": strings.Trim(a.relation("country"), `"`), "entities": []string{strings.Trim(a.entity("cabiria", ""), `"`)}})
		}, []string{"Nights of Cabiria, Italy)"}, ""},
		{"Why is La Strada among Fellini's films?", func() string {
			question := "?x : " + a.relation("direct") + "(x, " + a.entity("fellini", "") + ")"
			return a.use("explain", map[string]any{"question": question, "entity": strings.Trim(a.entity("strada", ""), `"`)})
		}, []string{"La Strada", "Federico Fellini"}, ""},
	} {
		t.Run(q.question, func(t *testing.T) {
			a.dialogue.T, a.calls = t, 0
			told := q.answer()
			for _, want := range q.want {
				if !strings.Contains(told, want) {
					t.Errorf("the answer lacks %q:\n%s", want, told)
				}
			}
			if q.not != "" && strings.Contains(told, q.not) {
				t.Errorf("the answer has %q:\n%s", q.not, told)
			}
			if a.calls > 4 {
				t.Errorf("%d calls", a.calls)
			}
		})
	}
}
