package write

import (
	"bufio"

	"github.com/lacuna-kg/lacuna/kg"
)

// quads writes N-Quads; without graphs that is N-Triples.
type quads struct {
	out *bufio.Writer
	in  string // what follows an object
}

func (q *quads) graph(name string) {
	if q.in = " .\n"; name != "" {
		q.in = " " + name + " .\n"
	}
}

func (q *quads) end() {}

func (q *quads) line(subject, predicate, object string) {
	q.out.WriteString(subject + " " + predicate + " " + object + q.in)
}

func (q *quads) state(s *statement) {
	q.line(s.subject, s.predicate, s.object)
	for _, a := range s.about {
		node := a.node
		if node == "" {
			node = a.fresh
		}
		q.line(node, "<"+kg.Reifies+">", "<<( "+s.subject+" "+s.predicate+" "+s.object+" )>>")
		for _, said := range a.said {
			q.line(node, said[0], said[1])
		}
	}
}
