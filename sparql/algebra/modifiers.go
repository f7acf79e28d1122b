package algebra

// Group makes one row of all that agree on its keys; without keys there is one group, also of no rows.
type Group struct {
	Traits
	Of         Op
	Keys       []int
	Aggregates []Aggregate
}

// Aggregate is the value of a group in a variable.
type Aggregate struct {
	Var       int
	Name      string // COUNT, SUM, MIN, MAX, AVG, SAMPLE or GROUP_CONCAT
	Distinct  bool
	Of        Expr // nil for COUNT(*)
	All       []int
	Separator string
}

// Order sorts; equal rows keep their order.
type Order struct {
	Traits
	Of    Op
	Keys  []Key
	First int // see firstRows; 0 for all
}

// Key is an expression to sort by.
type Key struct {
	Of         Expr
	Descending bool
}

// Project keeps some variables.
type Project struct {
	Traits
	Of   Op
	Vars []int
}

// Distinct drops rows that came before.
type Distinct struct {
	Traits
	Of Op
}

// Slice gives Limit rows from Offset on, all of them if it is negative.
type Slice struct {
	Traits
	Of            Op
	Offset, Limit int
}

func newGroup(of Op, keys []int, aggregates []Aggregate) Op {
	g := Group{Of: of, Keys: keys, Aggregates: aggregates}
	about := of.About()
	for _, v := range keys {
		g.Possible.add(v)
		if about.Certain.Has(v) {
			g.Certain.add(v)
		}
	}
	g.Fragile.Include(about.Possible)
	g.Fragile.Include(about.Fragile)
	for _, a := range aggregates {
		g.Possible.add(a.Var)
		g.Fragile.add(a.Var)
		if a.Of != nil {
			g.Fragile.Include(a.Of.variables())
		}
	}
	g.Whole = true
	return g
}

func newOrder(of Op, keys []Key) Order {
	o := Order{Traits: of.About(), Of: of, Keys: keys}
	for _, k := range keys {
		o.Fragile.Include(k.Of.variables().without(o.Certain))
	}
	o.Whole = true
	return o
}

func newProject(of Op, vars []int) Op {
	var kept VarSet
	for _, v := range vars {
		kept.add(v)
	}
	about := of.About()
	return Project{Traits{about.Certain.and(kept), about.Possible.and(kept), about.Fragile, about.Whole}, of, vars}
}

func newDistinct(of Op) Op {
	d := Distinct{of.About(), of}
	d.Whole = true
	return d
}

// newSlice must not be given anything: which rows come first depends on all of them.
func newSlice(of Op, offset, limit int) Op {
	s := Slice{of.About(), of, offset, limit}
	s.Fragile.Include(s.Possible)
	s.Whole = true
	return s
}
