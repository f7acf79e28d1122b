package syntax

import (
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Update is a request of SPARQL 1.1 Update: operations that are done in their order.
type Update struct{ Operations []Operation }

// Operation removes and then states triples: those of its templates for every solution of
// its pattern, or the templates themselves where it has none, as INSERT DATA and DELETE DATA do.
type Operation struct {
	Delete, Insert []Triple
	Where          *Group
	Using          []From // that the pattern is asked of
	With           string // the graph that the pattern is asked of where nothing says otherwise; "" for the default graph
	Base           string // of IRIs that the pattern computes, "" where it computes none
	Pos            Pos

	Load, Into string // the address of a file whose triples are inserted, and the graph for them; "" for the default graph

	Managed string // the text of an operation on whole graphs, which the rest spells out; "" for others
	Needed  string // a graph that there must be
	Silent  bool   // where it is not, nothing is done, and that is no error
	New     string // a graph that there must not be yet
}

// ParseUpdate reads a request. Prefixes
// that the text does not declare are those that are known.
func ParseUpdate(text string, known ...kg.Prefix) (*Update, error) {
	p, err := newParser(text, maxUpdateTokens, known)
	if err != nil {
		return nil, err
	}
	u := &Update{}
	used := map[string]bool{} // labels of blank nodes of the operations before
	for {
		if err := p.prologue(); err != nil {
			return nil, err
		}
		if p.peek().kind == endToken {
			return u, nil
		}
		o, err := p.operation()
		if err != nil {
			return nil, err
		}
		if err := p.ownBlanks(o, used); err != nil {
			return nil, err
		}
		u.Operations = append(u.Operations, *o)
		if !p.symbol(";") && p.peek().kind != endToken {
			return nil, p.expected("';' or the end of the update")
		}
	}
}

func (p *parser) operation() (*Operation, error) {
	o := &Operation{Pos: p.peek().pos}
	p.computesIRI = false
	err := p.operate(o)
	if p.computesIRI {
		o.Base = p.base
	}
	return o, err
}

func (p *parser) operate(o *Operation) (err error) {
	t := p.peek()
	switch {
	case p.word("INSERT"):
		err = p.insert(o)
	case p.word("DELETE"):
		err = p.delete(o)
	case p.word("CLEAR"), p.word("DROP"):
		err = p.clear(o, strings.ToUpper(t.text))
	case p.word("LOAD"):
		err = p.load(o)
	case p.word("CREATE"):
		err = p.create(o)
	case p.word("ADD"), p.word("MOVE"), p.word("COPY"):
		err = p.transfer(o, strings.ToUpper(t.text))
	case p.word("WITH"):
		err = p.with(o)
	default:
		err = p.expected("INSERT, DELETE or CLEAR")
	}
	return err
}

// with reads the graph of DELETE { … } INSERT { … } WHERE { … }, and that.
func (p *parser) with(o *Operation) error {
	var err error
	if o.With, err = p.graphName("after WITH"); err != nil {
		return err
	}
	word := p.peek()
	insert := p.word("INSERT")
	switch {
	case !insert && !p.word("DELETE"):
		return p.expected("DELETE or INSERT after WITH")
	case !p.atSymbol("{"):
		return p.expected("'{' after WITH … " + strings.ToUpper(word.text))
	case insert:
		err = p.insert(o)
	default:
		err = p.delete(o)
	}
	for _, list := range [][]Triple{o.Delete, o.Insert} {
		for i := range list {
			if list[i].Graph == (Ref{}) && o.With != "" {
				list[i].Graph = graphRef(o.With)
			}
		}
	}
	return err
}

func graphRef(iri string) Ref {
	if iri == "" {
		return Ref{}
	}
	return Ref{Term: term.Term{Kind: term.IRI, Value: iri}}
}

// insert reads INSERT DATA { … }, or INSERT { … } WHERE { … }.
func (p *parser) insert(o *Operation) (err error) {
	if p.word("DATA") {
		o.Insert, err = p.data("INSERT DATA")
		return err
	}
	if o.Insert, err = p.quads("INSERT"); err != nil {
		return err
	}
	return p.where(o)
}

// delete reads DELETE DATA { … }, DELETE WHERE { … }, or DELETE { … } INSERT { … } WHERE { … }.
func (p *parser) delete(o *Operation) (err error) {
	data, pattern := p.word("DATA"), false
	switch {
	case data:
		o.Delete, err = p.data("DELETE DATA")
	case p.word("WHERE"):
		pattern = true
		fallthrough
	default:
		o.Delete, err = p.quads("DELETE")
	}
	if err == nil {
		err = withoutBlanks(o.Delete)
	}
	switch {
	case err != nil || data:
		return err
	case pattern:
		o.Where = groupOf(o.Delete, o.Pos)
		return nil
	}
	if p.word("INSERT") {
		if o.Insert, err = p.quads("INSERT"); err != nil {
			return err
		}
	}
	return p.where(o)
}

// where reads the pattern of an operation, whose blank nodes are others than those of its templates.
func (p *parser) where(o *Operation) (err error) {
	for p.word("USING") {
		from := From{Pos: p.tokens[p.at-1].pos, Named: p.word("NAMED")}
		at := p.at
		if from.IRI, err = p.graphName("after USING"); err != nil {
			return err
		}
		if from.IRI == "" { // a client's name for the default graph
			from.IRI = p.tokens[at].text
		}
		o.Using = append(o.Using, from)
	}
	if !p.word("WHERE") {
		return p.expected("WHERE and the pattern")
	}
	clear(p.blanks)
	if o.Where, err = p.group(); err != nil {
		return err
	}
	return checkGroup(o.Where)
}

// data reads triples without variables.
func (p *parser) data(of string) ([]Triple, error) {
	triples, err := p.quads(of)
	for _, t := range triples {
		step := t.Path.(Step)
		for _, r := range slices.Concat(t.Subject.Leaves(), []Ref{step.Ref}, t.Object.Leaves()) {
			if r.Var != "" && !IsAnonymous(r.Var) && err == nil {
				err = Errorf(r.Pos, "the variable ?%s in %s, which has none", r.Var, of)
			}
		}
	}
	return triples, err
}

// quads reads triples in braces.
func (p *parser) quads(of string) ([]Triple, error) {
	clear(p.blanks)
	return p.triples(of, true)
}

func (p *parser) triples(of string, graphs bool) ([]Triple, error) {
	if err := p.require("{", "after "+of); err != nil {
		return nil, err
	}
	list := []Triple{}
	for !p.symbol("}") {
		if graphs && p.word("GRAPH") {
			more, err := p.quadsOfGraph(of)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
			p.symbol(".")
			continue
		}
		triples, err := p.triplesOfSubject()
		if err != nil {
			return nil, err
		}
		for _, pattern := range triples {
			t := pattern.(Triple)
			if _, step := t.Path.(Step); !step {
				return nil, Errorf(t.Pos, "a path in the triples of %s", of)
			}
			list = append(list, t)
		}
		if !p.symbol(".") && !p.atSymbol("}") && !(graphs && p.isWord("GRAPH")) {
			return nil, p.expected("'.' or '}' after a triple")
		}
	}
	return list, nil
}

// quadsOfGraph reads the triples of GRAPH <iri> { … }.
func (p *parser) quadsOfGraph(of string) ([]Triple, error) {
	var name Ref
	if t := p.peek(); t.kind == variableToken && !strings.HasSuffix(of, "DATA") {
		name = Ref{Var: p.next().text}
	} else {
		iri, err := p.graphName("after GRAPH")
		if err != nil {
			return nil, err
		}
		name = graphRef(iri)
	}
	triples, err := p.triples(of, false)
	for i := range triples {
		triples[i].Graph = name
	}
	return triples, err
}

// withoutBlanks refuses to remove triples of blank nodes, which nobody can name.
func withoutBlanks(triples []Triple) error {
	for _, t := range triples {
		for _, r := range slices.Concat(t.Subject.Leaves(), t.Object.Leaves()) {
			if IsAnonymous(r.Var) {
				return Errorf(r.Pos, "a blank node in what is to be deleted: use a variable")
			}
		}
	}
	return nil
}

// groupOf is the pattern that templates are.
func groupOf(triples []Triple, at Pos) *Group {
	g := &Group{Pos: at}
	for i := 0; i < len(triples); {
		if triples[i].Graph == (Ref{}) {
			g.Of = append(g.Of, plainTriple(triples[i]))
			i++
			continue
		}
		within := Graph{Name: triples[i].Graph, Of: &Group{Pos: at}, Pos: at}
		for ; i < len(triples) && triples[i].Graph == within.Name; i++ {
			within.Of.Of = append(within.Of.Of, plainTriple(triples[i]))
		}
		g.Of = append(g.Of, within)
	}
	return g
}

// plainTriple is a triple whose graph is said around it.
func plainTriple(t Triple) Triple {
	t.Graph = Ref{}
	return t
}

// ownBlanks refuses a label of a blank node that an INSERT DATA before has used: it would seem
// to be the same node, and is not (section 19.6, note 11). Templates make new ones at every solution anyway.
func (p *parser) ownBlanks(o *Operation, used map[string]bool) error {
	if o.Where != nil {
		return nil
	}
	here := map[string]bool{}
	for _, t := range o.Insert {
		for _, r := range slices.Concat(t.Subject.Leaves(), t.Object.Leaves()) {
			label, blank := strings.CutPrefix(r.Var, "_:")
			switch {
			case !blank || !p.labels[label]:
			case used[label]:
				return Errorf(r.Pos, "the blank node %s stands in two operations, and would be two nodes", r.Var)
			default:
				here[label] = true
			}
		}
	}
	for label := range here {
		used[label] = true
	}
	return nil
}

// String writes the request so that ParseUpdate gives it back.
func (u *Update) String() string {
	p := &printer{}
	for i, o := range u.Operations {
		if i > 0 {
			p.write(" ;\n")
		}
		p.operation(o)
	}
	p.write("\n")
	return p.String()
}

func (p *printer) operation(o Operation) {
	if o.Managed != "" {
		p.write(o.Managed)
		return
	}
	if o.Base != "" {
		p.write("BASE <" + o.Base + ">\n")
	}
	if o.With != "" {
		p.write("WITH <" + o.With + "> ")
	}
	data := ""
	if o.Where == nil {
		data = "DATA "
	}
	if o.Delete != nil {
		p.write("DELETE " + data)
		p.group(groupOf(o.Delete, o.Pos))
		p.write(" ")
	}
	if o.Insert != nil {
		p.write("INSERT " + data)
		p.group(groupOf(o.Insert, o.Pos))
		p.write(" ")
	}
	for _, from := range o.Using {
		p.write("USING " + map[bool]string{true: "NAMED "}[from.Named] + "<" + from.IRI + "> ")
	}
	if o.Where != nil {
		p.write("WHERE ")
		p.group(o.Where)
	}
}
