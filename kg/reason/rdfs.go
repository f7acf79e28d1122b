// Package reason adds to a graph what its own schema implies: by RDFS, subclasses, subproperties, domains and ranges, and of
// OWL inverse, symmetric and transitive properties. Everything implied is a statement of a named graph that is called after the rule, so that whoever
// shows the graph of a fact shows why it holds, and the facts that were stated stay as they are.
package reason

import (
	"context"
	"fmt"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// Rule is why a fact is implied.
type Rule uint8

// The rules, in the order in which they are listed.
const (
	Subclass    Rule = iota // x a c, c subClassOf d => x a d
	Subproperty             // x p y, p subPropertyOf q => x q y
	Domain                  // x p y, p domain c => x a c
	Range                   // x p y, p range c => y a c
	Inverse                 // x p y, p inverseOf q => y q x
	Symmetric               // x p y, p a SymmetricProperty => y p x
	Transitive              // x p y, y p z, p a TransitiveProperty => x p z; also of subClassOf and subPropertyOf
	Reflexive               // x a c => c subClassOf c; c subClassOf d => c subClassOf c, d subClassOf d; also of subPropertyOf
	Property                // x p y => p a Property, where the graph says more of p
	rules
)

// Prefix begins the names of the graphs that hold what is implied.
const Prefix = "implied/"

var ruleNames = [rules]string{"subclass", "subproperty", "domain", "range", "inverse", "symmetric", "transitive", "reflexive", "property"}

// Graph is the name of the graph of what a rule implies.
func (r Rule) Graph() string { return Prefix + ruleNames[r] }

// Most is how many facts may be implied where nobody says otherwise.
const Most = 10_000_000

// Report counts what was implied, by rule.
type Report struct {
	ByRule [rules]int
	Total  int
}

// Names are those of the rules that implied something, with how often, as "12 by subclass".
func (r Report) Names() (list []string) {
	for rule, n := range r.ByRule {
		if n > 0 {
			list = append(list, fmt.Sprintf("%d by %s", n, ruleNames[rule]))
		}
	}
	return list
}

// RDFS is a graph with all that it implies, at most so many facts (0 for Most). It takes time and memory in proportion to these.
// A graph that implies nothing is given back as it is; of another the caller closes both.
func RDFS(ctx context.Context, g *kg.Graph, most int) (*kg.Graph, Report, error) {
	if most == 0 {
		most = Most
	}
	c := &closure{graph: g, names: newNames(g), implied: map[fact]Rule{}, most: most, ctx: ctx}
	if err := c.run(); err != nil {
		return nil, Report{}, err
	}
	report := Report{Total: len(c.implied)}
	if report.Total == 0 {
		return g, report, nil
	}
	facts := make([]kg.Fact, 0, len(c.implied))
	for f, rule := range c.implied {
		report.ByRule[rule]++
		facts = append(facts, kg.Fact{Head: c.names.entity(f.head), Relation: c.names.relation(f.relation), Tail: c.names.entity(f.tail), Graph: rule.Graph()})
	}
	slices.SortFunc(facts, func(a, b kg.Fact) int { return compare(a, b) }) // maps have no order, and new names are numbered by it
	whole, _, err := g.ChangeExactly(ctx, facts, nil)
	return whole, report, err
}

// fact is a triple of numbers of names: relations forwards only.
type fact struct{ head, relation, tail uint32 }

// closure is the state of a run.
type closure struct {
	graph   *kg.Graph
	names   *names
	schema  *schema
	implied map[fact]Rule
	todo    []fact
	most    int
	steps   int
	ctx     context.Context
	err     error
}

// run applies the rules until nothing is new. Where a rule implies a part of the schema, all begins again with that.
func (c *closure) run() error {
	for {
		before := c.readSchema()
		c.nameProperties()
		for f := range c.stated() {
			c.apply(f)
		}
		for f := range c.implied {
			c.todo = append(c.todo, f)
		}
		c.finish()
		if c.err != nil {
			return c.err
		}
		if c.readSchema() == before {
			return nil
		}
	}
}

// nameProperties adds that a relation is a property.
func (c *closure) nameProperties() {
	for relation := range uint32(c.graph.Relations.Names.Len()) {
		if e, described := c.graph.Entities.Names.Find(c.names.relation(relation)); described {
			c.add(fact{e, c.schema.typeOf, c.schema.property}, Property)
		}
	}
}

// finish applies the rules to what they imply, and follows transitive relations, until nothing is new.
func (c *closure) finish() {
	for c.err == nil {
		for len(c.todo) > 0 && c.err == nil {
			f := c.todo[len(c.todo)-1]
			c.todo = c.todo[:len(c.todo)-1]
			c.apply(f)
		}
		before := len(c.implied)
		c.followTransitive()
		if len(c.implied) == before {
			return
		}
	}
}

// add notes a fact that a rule implies, unless it is stated.
func (c *closure) add(f fact, rule Rule) {
	c.look()
	if _, known := c.implied[f]; known || c.err != nil || c.names.literal(f.head) || c.isStated(f) || c.isDenied(f) {
		return
	}
	if len(c.implied) >= c.most {
		c.err = kg.Errorf(kg.TooLarge, "", "the graph implies more than the limit of %d facts by RDFS", c.most)
		return
	}
	c.implied[f] = rule
	c.todo = append(c.todo, f)
}

// isDenied tells that a fact is false by the data's own word.
func (c *closure) isDenied(f fact) bool {
	return c.graph.Denies(kg.Triple{Head: kg.Entity(f.head), Relation: kg.Forward(f.relation), Tail: kg.Entity(f.tail)})
}

// look stops a run whose context has ended.
func (c *closure) look() {
	if c.steps++; c.steps%(1<<12) == 0 && c.err == nil {
		c.err = kg.Stopped(c.ctx)
	}
}

// apply adds what one fact implies.
func (c *closure) apply(f fact) {
	c.look()
	s := c.schema
	if f.relation == s.typeOf {
		c.add(fact{f.tail, s.subClassOf, f.tail}, Reflexive)
		for _, d := range s.superclasses[f.tail] {
			c.add(fact{f.head, f.relation, d}, Subclass)
		}
	}
	if f.relation == s.subClassOf || f.relation == s.subPropertyOf {
		c.add(fact{f.head, f.relation, f.head}, Reflexive)
		c.add(fact{f.tail, f.relation, f.tail}, Reflexive)
	}
	p, has := s.properties[f.relation]
	if !has {
		return
	}
	for _, q := range p.supers {
		c.add(fact{f.head, q, f.tail}, Subproperty)
	}
	for _, d := range p.domains {
		c.add(fact{f.head, s.typeOf, d}, Domain)
	}
	for _, d := range p.ranges {
		c.add(fact{f.tail, s.typeOf, d}, Range)
	}
	for _, q := range p.inverses {
		c.add(fact{f.tail, q, f.head}, Inverse)
	}
	if p.symmetric {
		c.add(fact{f.tail, f.relation, f.head}, Symmetric)
	}
}

// followTransitive adds what a walk along each transitive relation reaches.
func (c *closure) followTransitive() {
	for _, relation := range c.schema.transitive {
		next := map[uint32][]uint32{}
		for f := range c.all(relation) {
			next[f.head] = append(next[f.head], f.tail)
		}
		for head := range next {
			c.reach(relation, head, next)
		}
	}
}

func (c *closure) reach(relation, head uint32, next map[uint32][]uint32) {
	seen := map[uint32]bool{}
	todo := slices.Clone(next[head])
	for len(todo) > 0 && c.err == nil {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		c.add(fact{head, relation, at}, Transitive)
		todo = append(todo, next[at]...)
	}
}
