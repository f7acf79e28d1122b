// Package script reads the text scripts in which query behaviour is written down:
// a graph, questions on it, and the answers that every executor must give.
//
//	graph
//	    Win(Ada, Turing Award)
//	    University(Ada, Oslo)
//
//	eval ?u : ∃a : Win(a, Turing Award) ∧ University(a, u)
//	    Oslo
//
//	fail ?u : University(a, u)
//	    no entity "a"
//
// Indented lines belong to the line above them: the facts of a graph, the answers
// of a question in any order (none for the empty set), a part of the error's text.
// A graph serves until the next one; # starts a comment line.
package script

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Case is one question with what is expected of it.
type Case struct {
	Line  int // of the question
	Facts []Fact
	Query string
	Want  []string // answers, for eval
	Fail  string   // a part of the error, for fail; "" for eval
}

// Fact is a triple by names.
type Fact struct{ Head, Relation, Tail string }

// Read reads a script.
func Read(r io.Reader) ([]Case, error) {
	var s reader
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		s.line++
		if err := s.read(lines.Text()); err != nil {
			return nil, fmt.Errorf("line %d: %w", s.line, err)
		}
	}
	return s.cases, lines.Err()
}

type reader struct {
	line  int
	block string // the directive that indented lines belong to
	facts []Fact
	cases []Case
}

func (s *reader) read(line string) error {
	text := strings.TrimSpace(line)
	switch {
	case text == "" || strings.HasPrefix(text, "#"):
		return nil
	case line[0] == ' ' || line[0] == '\t':
		return s.detail(text)
	}
	directive, rest, _ := strings.Cut(text, " ")
	s.block = directive
	switch directive {
	case "graph":
		s.facts = nil
	case "eval", "fail":
		s.cases = append(s.cases, Case{Line: s.line, Facts: s.facts, Query: strings.TrimSpace(rest)})
	default:
		return fmt.Errorf("expected graph, eval or fail, found %q", directive)
	}
	return nil
}

func (s *reader) detail(text string) error {
	switch s.block {
	case "graph":
		fact, err := parseFact(text)
		s.facts = append(s.facts, fact)
		return err
	case "eval":
		last := &s.cases[len(s.cases)-1]
		last.Want = append(last.Want, text)
	case "fail":
		s.cases[len(s.cases)-1].Fail = text
	default:
		return fmt.Errorf("%q belongs to no graph, eval or fail", text)
	}
	return nil
}

func parseFact(text string) (Fact, error) {
	relation, rest, opened := strings.Cut(text, "(")
	arguments, closed := strings.CutSuffix(rest, ")")
	head, tail, two := strings.Cut(arguments, ", ")
	if !opened || !closed || !two {
		return Fact{}, fmt.Errorf("expected relation(head, tail), found %q", text)
	}
	return Fact{head, relation, tail}, nil
}
