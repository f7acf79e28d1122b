package links

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Format is a text format of links for other tools.
type Format string

// The formats. A table has the columns head, relation, tail, probability, and stated or
// predicted. N-Triples has stated links as they are; a predicted one is an rdf:Statement with
// its probability, as a plain triple would claim it.
const (
	CSV      Format = "csv"
	TSV      Format = "tsv"
	NTriples Format = "nt"
)

// rowsOfExport is how many rows are made together: what progress goes by.
const rowsOfExport = 256

// Export writes the links of pairs as text, row by row, at most top predicted ones of each;
// 0 is no bound. Progress, if given, is called with the number of rows that are done.
func Export(ctx context.Context, to io.Writer, f Format, rows *Rows, pairs []Pair, top int, progress func(done, total int)) error {
	out := bufio.NewWriterSize(to, 1<<20)
	write, flush := f.writer(out, rows.graph.Vocabulary)
	done := 0
	for some := range slices.Chunk(pairs, rowsOfExport) {
		got, err := rows.Get(ctx, some)
		if err != nil {
			return err
		}
		for i, p := range some {
			if err := exportRow(write, p, got[i], top); err != nil {
				return err
			}
		}
		if done += len(some); progress != nil {
			progress(done, len(pairs))
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return out.Flush()
}

// written is one link on its way into text.
type written struct {
	kg.Triple
	probability float32
	stated      bool
}

func exportRow(write func(written) error, p Pair, row Row, top int) error {
	for _, t := range row.Stated {
		if err := write(written{kg.Triple{Head: p.Head, Relation: p.Relation, Tail: t}, 1, true}); err != nil {
			return err
		}
	}
	if top == 0 {
		top = len(row.Tails)
	}
	row = row.Likeliest(top)
	for i, t := range row.Tails {
		if err := write(written{kg.Triple{Head: p.Head, Relation: p.Relation, Tail: t}, row.Probabilities[i], false}); err != nil {
			return err
		}
	}
	return nil
}

func (f Format) writer(out io.Writer, v *kg.Vocabulary) (write func(written) error, flush func() error) {
	if f == NTriples {
		return nTriples(out, v), func() error { return nil }
	}
	table := csv.NewWriter(out)
	if f == TSV {
		table.Comma = '\t'
	}
	// What is wrong with out comes to light when it is flushed.
	_ = table.Write([]string{"head", "relation", "tail", "probability", "source"})
	return func(l written) error {
		source := "predicted"
		if l.stated {
			source = "stated"
		}
		return table.Write([]string{v.Entity(l.Head), v.Relation(l.Relation), v.Entity(l.Tail), probabilityText(l.probability), source})
	}, func() error { table.Flush(); return table.Error() }
}

func probabilityText(p float32) string { return strconv.FormatFloat(float64(p), 'g', 4, 32) }

const rdfSyntax = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

func nTriples(out io.Writer, v *kg.Vocabulary) func(written) error {
	predicted := 0
	return func(l written) error {
		t := l.Triple
		if t.Relation.IsInverse() {
			t = t.Inverse()
		}
		s, p, o := term.OfEntity(v.Entities.Names.At(uint32(t.Head))), term.OfRelation(v.Relations.Names.At(t.Relation.Base())), term.OfEntity(v.Entities.Names.At(uint32(t.Tail)))
		if l.stated {
			_, err := fmt.Fprintf(out, "%v %v %v .\n", s, p, o)
			return err
		}
		predicted++
		link := fmt.Sprintf("_:link%d", predicted)
		_, err := fmt.Fprintf(out, "%[1]s <%[2]stype> <%[2]sStatement> .\n%[1]s <%[2]ssubject> %[3]v .\n%[1]s <%[2]spredicate> %[4]v .\n%[1]s <%[2]sobject> %[5]v .\n%[1]s <%[6]sprobability> %[7]v .\n",
			link, rdfSyntax, s, p, o, term.Namespace, term.Typed(probabilityText(l.probability), "http://www.w3.org/2001/XMLSchema#double"))
		return err
	}
}
