package explain

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile is a name that would break out of markup if it were not escaped.
const hostile = `</text><script>alert("x")</script>&'`

func drawn() *Explanation {
	zero, one := 0, 1
	m := Member{Entity: hostile, Probability: 0.25}
	e := &Explanation{Query: "?u : " + hostile, Answer: m}
	e.Links = []Link{
		{Head: hostile, Relation: "R^-1", Tail: "b", Probability: 1, Known: true},
		{Head: "b", Relation: hostile, Tail: hostile, Probability: 0.25,
			Paths:          []Path{{Weight: 0.5, Edges: []Edge{{Fact: Fact{Head: "b", Relation: "/a/b/" + hostile, Tail: "c"}, Weight: 0.5}, {Fact: Fact{Head: hostile, Relation: "S", Tail: "c"}, Inverse: true}}}},
			Counterfactual: &Counterfactual{Removed: []Fact{{Head: "b", Relation: "S", Tail: "c"}}, Before: 0.25, After: 0.1, Control: &Control{Removed: 1, Draws: 1, After: 0.2}}},
	}
	e.Derivation = &Picture{
		Nodes: []Node{{Kind: answerNode, Variable: "u", Entity: hostile}, {Kind: variableNode, Variable: "a", Entity: "b"}, {Kind: givenNode, Entity: hostile}},
		Edges: []PictureEdge{{From: 2, To: 1, Relation: "R", Link: &zero}, {From: 1, To: 0, Relation: hostile, Link: &one}, {From: 2, To: 0, Relation: "=", Negated: true}},
	}
	return e
}

func judgedVariables() *Visualisation {
	j := Judged{Member: Member{Entity: hostile, Probability: 0.5}, True: true}
	return &Visualisation{Query: hostile, Shape: "2p", Variables: []Variable{
		{Name: "a", Operator: hostile, Easy: []Judged{j}, Hard: []Judged{j, j, {Member: Member{Entity: "c"}}, j}, Truth: &Truth{j.Member, 1.5}},
		{Name: "u", Operator: "P[R](a)"},
	}}
}

// wellFormed reads XML to its end and gives the texts and the elements of it.
func wellFormed(t *testing.T, text string) (content string, elements map[string]int) {
	t.Helper()
	elements = map[string]int{}
	var all strings.Builder
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all.String(), elements
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		switch token := token.(type) {
		case xml.CharData:
			all.Write(token)
		case xml.StartElement:
			elements[token.Name.Local]++
		}
	}
}

func TestDrawingsAreWellFormed(t *testing.T) {
	for name, svg := range map[string]string{"explanation": drawn().SVG(), "variables": judgedVariables().SVG()} {
		content, elements := wellFormed(t, svg)
		if elements["script"] > 0 || !strings.Contains(content, "<script>") {
			t.Errorf("%s: a name was not escaped:\n%s", name, svg)
		}
		if elements["text"] < 10 || elements["rect"] < 5 {
			t.Errorf("%s: only %v", name, elements)
		}
	}
}

// A page asks for nothing: no address but the name of SVG itself, no script.
func TestPagesStandAlone(t *testing.T) {
	for name, draw := range map[string]func() (string, error){"explanation": drawn().HTML, "variables": judgedVariables().HTML} {
		page, err := draw()
		if err != nil {
			t.Fatal(err)
		}
		rest := strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, "")
		for _, forbidden := range []string{"<script", "http:", "https:", "src=", "@import", "url("} {
			if strings.Contains(rest, forbidden) {
				t.Errorf("%s contains %s", name, forbidden)
			}
		}
		for _, part := range []string{"<!doctype html>", "prefers-color-scheme:dark", "<svg", "The data", "&lt;script&gt;"} {
			if !strings.Contains(page, part) {
				t.Errorf("%s lacks %s", name, part)
			}
		}
	}
}

func TestChain(t *testing.T) {
	var lines []string
	var collect func([]ChainLine, string)
	collect = func(all []ChainLine, indent string) {
		for _, l := range all {
			lines = append(lines, strings.TrimSpace(indent+l.Prefix()+strings.ReplaceAll(l.Text, hostile, "H")+" "+l.Variable))
			collect(l.Of, indent+"-")
		}
	}
	collect(drawn().Chain(), "")
	want := "u = H, a = b\n-R(H, b)\n-H(b, H)\n-not H = H"
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFitRelation(t *testing.T) {
	for _, c := range []struct {
		name string
		most int
		want string
	}{
		{"University", 10, "University"},
		{"University", 9, "Universi…"},
		{"/film/film/genre^-1", 19, "/film/film/genre^-1"},
		{"/film/film/genre^-1", 18, "…/genre^-1"},
		{"/film/film/genre^-1", 9, "/film/fi…"},
		{"http://films.org#directed", 12, "…/directed"},
		{"größer als", 6, "größe…"},
		{"R", 0, "…"},
	} {
		if got := FitRelation(c.name, c.most); got != c.want {
			t.Errorf("%q in %d characters: %q, want %q", c.name, c.most, got, c.want)
		}
	}
}

// A long formula takes several lines, and no sign of it is lost.
func TestBreakFormula(t *testing.T) {
	atom := "R(" + strings.Repeat("x", 50) + ")"
	for _, text := range []string{"", atom, atom + " ∧ " + atom, strings.Join([]string{atom, atom, atom, atom}, " ∨ "), strings.Repeat("x", 300)} {
		var lines []string
		for rest := text; rest != ""; {
			var line string
			line, rest = breakFormula(rest, 120)
			lines = append(lines, line)
			if utf8.RuneCountInString(line) > 120 && strings.ContainsAny(line, "∧∨") {
				t.Errorf("a line that could have been broken: %s", line)
			}
		}
		if got := strings.Join(lines, " "); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
}

// An entity below the threshold is called less likely than an answer, and one that nothing speaks for no answer.
func TestWhyNot(t *testing.T) {
	e := drawn()
	e.Answer.Entity, e.Threshold = "Alan Kay", 0.5
	for probability, title := range map[float32]string{0.25: "Why Alan Kay?", 0.001: "Why not Alan Kay?"} {
		e.Answer.Probability = probability
		page, err := e.HTML()
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"page": page, "drawing": e.SVG()} {
			if !strings.Contains(text, title) || !strings.Contains(text, "below the threshold of 0.50") {
				t.Errorf("%s calls it an answer at %v", name, probability)
			}
		}
	}
	e.Answer.Probability = 0.25
	e.Threshold = 0.25
	if !e.Answers() || !strings.Contains(e.SVG(), "Why Alan Kay?") {
		t.Error("an answer at the threshold is none")
	}
	if e.Answer.Probability, e.Threshold = 0, 0; e.Answers() {
		t.Error("what has no probability is an answer")
	}
}

// TestUnlikelyIsPredicted: what has any probability is predicted, in words and drawings, and only what has none is not found.
func TestUnlikelyIsPredicted(t *testing.T) {
	for _, c := range []struct {
		probability float32
		want        string
	}{{0, "0.00 not found"}, {1e-6, "<.01 predicted"}, {0.004, "<.01 predicted"}, {0.01, "0.01 predicted"}, {0.999, ">.99 predicted"}, {1, "1.00 predicted"}} {
		if got := Percent(c.probability) + " " + Standing(false, "", c.probability); got != c.want {
			t.Errorf("%v is %s, want %s", c.probability, got, c.want)
		}
	}
	e := drawn()
	e.Threshold, e.Answer.Probability, e.Links[1].Probability = 0.5, 0.004, 0.004
	page, err := e.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"page": page, "drawing": e.SVG()} {
		if !strings.Contains(text, "&lt;.01") || !strings.Contains(text, "predicted, below the threshold of") || strings.Contains(text, "<.01") {
			t.Errorf("the %s does not say that 0.004 is <.01 and predicted:\n%s", name, text)
		}
	}
	if class := edgeClass(PictureEdge{Link: new(int)}, []Link{{Probability: 0.004}}); class != "ep" {
		t.Errorf("an unlikely link is drawn as %q", class)
	}
}
