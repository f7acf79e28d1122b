package kernel

// Logic is a family of fuzzy operations, METHOD "Logic".
type Logic uint8

const (
	Product Logic = iota
	Godel
	Lukasiewicz
)

func (l Logic) String() string { return [...]string{"product", "godel", "lukasiewicz"}[l] }

// LogicOp is an operation on sets.
type LogicOp uint8

const (
	Not LogicOp = iota
	And
	Or
)

// LogicStep computes slot Out of a pool from slots X and, but for Not, Y.
type LogicStep struct {
	Op        LogicOp
	Out, X, Y int32
	Lambda    float32 // of Not: which complement
}

// Apply is the operation on two truth values; Not reads x alone and has λ = 0. Exported
// as the definition for every device.
func Apply[F Float](l Logic, op LogicOp, x, y F) F {
	switch {
	case op == Not:
		return Complement(x, 0)
	case op == And:
		return and(l, x, y)
	}
	return or(l, x, y)
}

// Complement is Sugeno's, λ > -1: with λ = 0 it is 1-x, else 1 minus x with its odds
// multiplied by 1+λ (ScaleOdds). Whatever λ, 0 and 1 change places, and the complement of the complement is x.
func Complement[F Float](x, lambda F) F {
	return (1 - x) / (1 + F(lambda*x))
}

// ComplementBackward is its derivative.
func ComplementBackward[F Float](x, lambda F) F {
	below := 1 + F(lambda*x)
	return -(1 + lambda) / F(below*below)
}

func and[F Float](l Logic, x, y F) F {
	switch l {
	case Godel:
		return min(x, y)
	case Lukasiewicz:
		return max(x+y-1, 0)
	}
	return x * y
}

func or[F Float](l Logic, x, y F) F {
	switch l {
	case Godel:
		return max(x, y)
	case Lukasiewicz:
		return min(x+y, 1)
	}
	return x + y - F(x*y)
}

// ApplyBackward gives the partial derivatives. At a kink the flat side is taken, and
// of two equal values in min and max each gets half, as PyTorch does.
func ApplyBackward[F Float](l Logic, op LogicOp, x, y F) (dx, dy F) {
	switch {
	case op == Not:
		return ComplementBackward(x, 0), 0
	case l == Godel:
		return godelBackward(op, x, y)
	case l == Lukasiewicz:
		return lukasiewiczBackward(op, x, y)
	case op == And:
		return y, x
	}
	return 1 - y, 1 - x
}

func godelBackward[F Float](op LogicOp, x, y F) (dx, dy F) {
	switch {
	case x == y:
		return 0.5, 0.5
	case (x < y) == (op == And):
		return 1, 0
	}
	return 0, 1
}

func lukasiewiczBackward[F Float](op LogicOp, x, y F) (dx, dy F) {
	if op == And && x+y-1 > 0 || op == Or && x+y < 1 {
		return 1, 1
	}
	return 0, 0
}

func (p *Plain[F]) Singletons(sets Buffer, nodes int, slots, entities []int32) {
	pool := p.Values(sets)
	for i, slot := range slots {
		set := row(pool, int(slot), nodes)
		clear(set)
		set[entities[i]] = 1
	}
}

func (p *Plain[F]) Logic(l Logic, sets Buffer, nodes int, steps []LogicStep) {
	pool := p.Values(sets)
	for _, s := range steps {
		out, x, y := operands(pool, nodes, s)
		for v := range out {
			if s.Op == Not {
				out[v] = Complement(x[v], F(s.Lambda))
			} else {
				out[v] = Apply(l, s.Op, x[v], y[v])
			}
		}
	}
}

// operands opens a step; Not's second operand is its first.
func operands[F Float](pool []F, nodes int, s LogicStep) (out, x, y []F) {
	if s.Op == Not {
		s.Y = s.X
	}
	return row(pool, int(s.Out), nodes), row(pool, int(s.X), nodes), row(pool, int(s.Y), nodes)
}

func (p *Plain[F]) LogicBackward(l Logic, dsets, sets Buffer, nodes int, steps []LogicStep) {
	pool, dpool := p.Values(sets), p.Values(dsets)
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		_, x, y := operands(pool, nodes, s)
		dout, dx, dy := operands(dpool, nodes, s)
		for v, d := range dout {
			if s.Op == Not {
				dx[v] += F(d * ComplementBackward(x[v], F(s.Lambda)))
				continue
			}
			px, py := ApplyBackward(l, s.Op, x[v], y[v])
			dx[v] += F(d * px)
			dy[v] += F(d * py)
		}
	}
}

func (p *Plain[F]) Threshold(sets Buffer, least float32) {
	for i, x := range p.Values(sets) {
		if !(x > F(least)) {
			p.Values(sets)[i] = 0
		}
	}
}

// ScaleOdds multiplies the odds of x by a factor above 0: 0 and 1 stay, and the order does.
func ScaleOdds[F Float](x, factor F) F {
	return F(factor*x) / (1 + F((factor-1)*x))
}

func (p *Plain[F]) Odds(sets Buffer, factor float32) {
	values := p.Values(sets)
	for i, x := range values {
		values[i] = ScaleOdds(x, F(factor))
	}
}

func (p *Plain[F]) Traverse(g DeviceGraph, out, in Buffer, relations []int32) {
	graph, o, x := g.(plainGraph[F]), p.Values(out), p.Values(in)
	want(len(o) == len(x) && len(x) == len(relations)*g.Nodes(), "traverse", len(x), []int{len(relations), g.Nodes()})
	for b, relation := range relations {
		from, to := row(x, b, g.Nodes()), row(o, b, g.Nodes())
		for v := range to {
			to[v] = 0
			for e := graph.In.At[v]; e < graph.In.At[v+1]; e++ {
				if graph.In.Relation[e] == relation {
					to[v] = max(to[v], from[graph.In.Node[e]])
				}
			}
		}
	}
}
