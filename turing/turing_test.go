package turing

import (
	"io"
	"slices"
	"strings"
	"testing"
	"unicode"
)

type fact struct{ head, relation, tail string }

// graph is a set of facts: what a test asks of the graph is membership, so order does not matter.
type graph map[fact]bool

func read(t *testing.T, name string, source io.Reader) graph {
	t.Helper()
	text, err := io.ReadAll(source)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !strings.HasSuffix(string(text), "\n") {
		t.Errorf("%s: the last line has no end", name)
	}
	g := graph{}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			t.Fatalf("%s:%d: %d fields, expected 3: %q", name, i+1, len(fields), line)
		}
		for _, field := range fields {
			if field == "" || strings.TrimSpace(field) != field {
				t.Errorf("%s:%d: empty or untrimmed field %q", name, i+1, field)
			}
		}
		f := fact{fields[0], fields[1], fields[2]}
		if g[f] {
			t.Errorf("%s:%d: duplicate of an earlier line: %v", name, i+1, f)
		}
		g[f] = true
	}
	return g
}

func readFacts(t *testing.T) graph   { return read(t, "facts.tsv", Facts()) }
func readLeftOut(t *testing.T) graph { return read(t, "left_out.tsv", LeftOut()) }

func (g graph) entities() map[string]bool {
	names := map[string]bool{}
	for f := range g {
		names[f.head], names[f.tail] = true, true
	}
	return names
}

func (g graph) relationCounts() map[string]int {
	counts := map[string]int{}
	for f := range g {
		counts[f.relation]++
	}
	return counts
}

func (g graph) tails(head, relation string) []string {
	var tails []string
	for f := range g {
		if f.head == head && f.relation == relation {
			tails = append(tails, f.tail)
		}
	}
	slices.Sort(tails)
	return tails
}

// laureates are told by their year, not by Win, so that the two can be compared.
func (g graph) laureates() []string {
	var people []string
	for f := range g {
		if f.relation == "WonTuringIn" {
			people = append(people, f.head)
		}
	}
	slices.Sort(people)
	return people
}

func TestSizes(t *testing.T) {
	facts, leftOut := readFacts(t), readLeftOut(t)
	for _, size := range []struct {
		what             string
		got, least, most int
	}{
		{"facts", len(facts), 1800, 2600},
		{"facts left out", len(leftOut), 60, 100},
		{"laureates", len(facts.laureates()), 75, 85},
		{"relations", len(facts.relationCounts()), 18, 24},
	} {
		if size.got < size.least || size.got > size.most {
			t.Errorf("%d %s, expected %d to %d", size.got, size.what, size.least, size.most)
		}
	}
	for relation, n := range facts.relationCounts() {
		if n < 10 {
			t.Errorf("relation %s has only %d facts", relation, n)
		}
	}
}

func TestLeftOutIsDisjointAndKnown(t *testing.T) {
	facts, leftOut := readFacts(t), readLeftOut(t)
	entities, relations := facts.entities(), facts.relationCounts()
	for f := range leftOut {
		if facts[f] {
			t.Errorf("%v is both in the graph and left out", f)
		}
		if !entities[f.head] || !entities[f.tail] || relations[f.relation] == 0 {
			t.Errorf("%v names an entity or relation that the graph lacks", f)
		}
	}
}

func TestLaureatesAreDescribed(t *testing.T) {
	facts := readFacts(t)
	people := facts.laureates()
	for i, person := range people {
		if i > 0 && people[i-1] == person {
			t.Errorf("%s has two years", person)
		}
		if !facts[fact{person, "Win", "Turing Award"}] {
			t.Errorf("%s has a year but no Turing Award", person)
		}
		for _, relation := range []string{"Field", "CitizenOf"} {
			if len(facts.tails(person, relation)) == 0 {
				t.Errorf("%s has no %s", person, relation)
			}
		}
		if len(facts.tails(person, "University"))+len(facts.tails(person, "Workplace")) == 0 {
			t.Errorf("%s works nowhere", person)
		}
	}
	for f := range facts {
		if f.relation == "Win" && f.tail == "Turing Award" && !slices.Contains(people, f.head) {
			t.Errorf("%s has a Turing Award but no year", f.head)
		}
	}
}

func TestSharedAwardsAgreeWithYears(t *testing.T) {
	facts, leftOut := readFacts(t), readLeftOut(t)
	people := facts.laureates()
	for _, a := range people {
		for _, b := range people {
			sameYear := a != b && facts.tails(a, "WonTuringIn")[0] == facts.tails(b, "WonTuringIn")[0]
			shared := fact{a, "SharedTuringWith", b}
			if sameYear != (facts[shared] || leftOut[shared]) {
				t.Errorf("%v: same year is %t", shared, sameYear)
			}
		}
	}
}

func TestPlacesHaveCountries(t *testing.T) {
	facts := readFacts(t)
	for f := range facts {
		isCity := f.relation == "BornIn" || f.relation == "LocatedIn"
		if isCity && len(facts.tails(f.tail, "CityIn")) != 1 {
			t.Errorf("%v: the city has countries %v, expected one", f, facts.tails(f.tail, "CityIn"))
		}
		isUniversity := f.relation == "University" || f.relation == "AlmaMater"
		if isUniversity && len(facts.tails(f.tail, "LocatedIn")) == 0 {
			t.Errorf("%v: the university has no city", f)
		}
	}
}

// plainLetters are the letters with marks that occur in names of the graph. Folding them by
// hand keeps Unicode tables out of a test; TestNamesAreDistinct fails on one that is missing.
var plainLetters = strings.NewReplacer("ó", "o", "ö", "o", "ł", "l", "é", "e")

func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '-' || r == '\'' || r == '.' {
			return -1
		}
		return unicode.ToLower(r)
	}, plainLetters.Replace(name))
}

func TestNamesAreDistinct(t *testing.T) {
	seen := map[string]string{}
	for name := range readFacts(t).entities() {
		key := folded(name)
		if other, taken := seen[key]; taken {
			t.Errorf("%q and %q are hard to tell apart", name, other)
		}
		seen[key] = name
		for _, r := range key {
			if r > unicode.MaxASCII {
				t.Errorf("%q: %q needs an entry in plainLetters", name, r)
			}
		}
		// These would have to be quoted in a query.
		if strings.ContainsAny(name, `,():&|!^"{}[]`) {
			t.Errorf("%q contains a character of the query language", name)
		}
	}
}

func TestGraphIsConnected(t *testing.T) {
	facts := readFacts(t)
	neighbours := map[string][]string{}
	for f := range facts {
		neighbours[f.head] = append(neighbours[f.head], f.tail)
		neighbours[f.tail] = append(neighbours[f.tail], f.head)
	}
	reached := map[string]bool{"Turing Award": true}
	for frontier := []string{"Turing Award"}; len(frontier) > 0; {
		last := len(frontier) - 1
		next := neighbours[frontier[last]]
		frontier = frontier[:last]
		for _, entity := range next {
			if !reached[entity] {
				reached[entity] = true
				frontier = append(frontier, entity)
			}
		}
	}
	for entity := range facts.entities() {
		if !reached[entity] {
			t.Errorf("%q cannot be reached from the Turing Award", entity)
		}
	}
}

// paperAnswers evaluates ?u : ∃a : Win(a, Turing Award) ∧ Field(a, Deep Learning) ∧ University(a, u).
func (g graph) paperAnswers() map[string]bool {
	answers := map[string]bool{}
	for f := range g {
		if f.relation == "University" &&
			g[fact{f.head, "Win", "Turing Award"}] && g[fact{f.head, "Field", "Deep Learning"}] {
			answers[f.tail] = true
		}
	}
	return answers
}

func TestPaperQuestionHasKnownAndMissingAnswers(t *testing.T) {
	facts := readFacts(t)
	known := facts.paperAnswers()
	if len(known) < 3 || !known["University of Toronto"] || !known["University of Montreal"] {
		t.Errorf("known answers: %v", known)
	}
	for f := range readLeftOut(t) {
		facts[f] = true
	}
	var found []string
	for university := range facts.paperAnswers() {
		if !known[university] {
			found = append(found, university)
		}
	}
	if !slices.Contains(found, "New York University") {
		t.Errorf("answers found only with the facts left out: %v, expected New York University among them", found)
	}
}

// The demonstration's answer rests on the hidden fact alone.
func TestDemonstrationHidesItsAnswer(t *testing.T) {
	facts := readFacts(t)
	answers := func() map[string]bool {
		all := map[string]bool{}
		for f := range facts {
			if f.relation == "University" && facts[fact{f.head, "Win", "Turing Award"}] && facts[fact{f.head, "Advisor", "John McCarthy"}] {
				all[f.tail] = true
			}
		}
		return all
	}
	hidden := fact{"Barbara Liskov", "University", HiddenAnswer}
	if known := answers(); known[HiddenAnswer] || len(known) == 0 || !readLeftOut(t)[hidden] || Hidden != "University(Barbara Liskov, MIT)" {
		t.Errorf("known answers: %v, expected some, %s not among them, and %s left out", known, HiddenAnswer, Hidden)
	}
	facts[hidden] = true
	if !answers()[HiddenAnswer] {
		t.Errorf("%s is no answer with %s", HiddenAnswer, Hidden)
	}
}

func TestReadersStartAfresh(t *testing.T) {
	first, second := readFacts(t), readFacts(t)
	if len(first) == 0 || len(first) != len(second) {
		t.Errorf("a second reader gives %d facts, the first %d", len(second), len(first))
	}
}
