package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// TupleQuery is a question with any number of answer variables, none for yes or no, and what is
// said of its answers: tuples with one entity for each variable. Of a question of yes or no that is the empty tuple.
type TupleQuery struct {
	Type  string       // the pattern that it was drawn from, or the file that it stood in
	Query *query.Query // names are ids
	// Easy and Hard are all answers, as those of Query: of a set that asks for a ranking.
	Easy, Hard [][]kg.Entity
	// Right and Wrong are some tuples that do and do not answer: of a set that asks to tell them apart.
	Right, Wrong [][]kg.Entity
	// Kind of a retrieval, which asks for one answer: "e" where the facts of training give one, "h" where only held-out ones do, "n" where nothing answers.
	Kind string
}

// TupleSuffix follows the name of the split in the name of a file of such questions: a line of JSON
// with the header, then one a question.
const TupleSuffix = ".tuples.jsonl"

// tupleLine is a question in a file.
type tupleLine struct {
	Type  string        `json:"type"`
	Query string        `json:"query"`
	Easy  [][]kg.Entity `json:"easy,omitempty"`
	Hard  [][]kg.Entity `json:"hard,omitempty"`
	Right [][]kg.Entity `json:"right,omitempty"`
	Wrong [][]kg.Entity `json:"wrong,omitempty"`
	Kind  string        `json:"kind,omitempty"`
}

// WriteTuples writes the questions of a split to its file in a folder.
func WriteTuples(dir string, h Header, all []TupleQuery) error {
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(h); err != nil {
		return err
	}
	for _, q := range all {
		if err := lines.Encode(tupleLine{q.Type, q.Query.String(), q.Easy, q.Hard, q.Right, q.Wrong, q.Kind}); err != nil {
			return err
		}
	}
	path := filepath.Join(dir, h.Split.String()+TupleSuffix)
	return kg.WriteError(path, atomicfile.Write(path, text.Bytes()))
}

// readTupleFile reads the file of a split and makes sure that it belongs to the graph.
func readTupleFile(path string, split Split, v *kg.Vocabulary) ([]TupleQuery, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	h, all, err := readTuples(in, path)
	if err == nil {
		err = belongs(h, split, v, path)
	}
	return all, err
}

// longestLine bounds one question with its answers.
const longestLine = 1 << 28

// readTuples reads what WriteTuples wrote.
func readTuples(in io.Reader, name string) (h Header, all []TupleQuery, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &h) != nil || h.Vocabulary == "" {
		return h, nil, kg.Errorf(kg.Invalid, name, "expected a file of questions made by lacuna-lab sample, found something else")
	}
	for number := 2; lines.Scan(); number++ {
		q, err := tupleQuery(lines.Bytes(), h.bounds())
		if err != nil {
			return h, nil, kg.Errorf(kg.Invalid, fmt.Sprintf("%s:%d", name, number), "%v", err)
		}
		all = append(all, q)
	}
	return h, all, lines.Err()
}

func tupleQuery(line []byte, within bounds) (TupleQuery, error) {
	var l tupleLine
	if err := json.Unmarshal(line, &l); err != nil {
		return TupleQuery{}, err
	}
	q, err := query.Parse(l.Query)
	if err != nil {
		return TupleQuery{}, err
	}
	if err := checkNumbered(q, within); err != nil {
		return TupleQuery{}, err
	}
	for _, list := range [][][]kg.Entity{l.Easy, l.Hard, l.Right, l.Wrong} {
		if err := checkTuples(list, len(q.Answers), within); err != nil {
			return TupleQuery{}, err
		}
	}
	return TupleQuery{l.Type, q, l.Easy, l.Hard, l.Right, l.Wrong, l.Kind}, nil
}

// checkNumbered refuses a query that is not one over ids of the graph.
func checkNumbered(q *query.Query, within bounds) (err error) {
	check := func(n query.Name, what string, count uint64) {
		if err == nil && (!n.ByID || uint64(n.ID) >= count) {
			err = fmt.Errorf("expected the number of one of %d %s, found %s", count, what, n.Text)
		}
	}
	term := func(t query.Term) {
		if c, ok := t.(query.Constant); ok {
			check(c.Name, "entities", within.entities)
		}
	}
	query.Map(q.Body, func(f query.Formula) query.Formula {
		switch f := f.(type) {
		case query.Atom:
			check(f.Relation.Name, "relations", within.relations)
			term(f.From)
			term(f.To)
		case query.Equals:
			term(f.Left)
			term(f.Right)
		}
		return f
	})
	return err
}

func checkTuples(all [][]kg.Entity, variables int, within bounds) error {
	for _, tuple := range all {
		if len(tuple) != variables {
			return fmt.Errorf("an answer of %s, expected %d", count.Of(len(tuple), "entity"), variables)
		}
		if slices.ContainsFunc(tuple, func(e kg.Entity) bool { return uint64(e) >= within.entities }) {
			return fmt.Errorf("an answer of an entity beyond the graph's %d", within.entities)
		}
	}
	return nil
}
