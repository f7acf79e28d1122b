package plain

import "github.com/lacuna-kg/lacuna/kernel"

// Apply is the operation on two truth values; Not reads x alone and has λ = 0. Exported
// as the definition for every device.
func Apply[F Float](l kernel.Logic, op kernel.LogicOp, x, y F) F {
	switch {
	case op == kernel.Not:
		return Complement(x, 0)
	case op == kernel.And:
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

func and[F Float](l kernel.Logic, x, y F) F {
	switch l {
	case kernel.Godel:
		return min(x, y)
	case kernel.Lukasiewicz:
		return max(x+y-1, 0)
	}
	return x * y
}

func or[F Float](l kernel.Logic, x, y F) F {
	switch l {
	case kernel.Godel:
		return max(x, y)
	case kernel.Lukasiewicz:
		return min(x+y, 1)
	}
	return x + F(y*(1-x)) // 1 where x or y is, in every precision; x+y-xy is not
}

// ApplyBackward gives the partial derivatives. At a kink the flat side is taken, and
// of two equal values in min and max each gets half, as PyTorch does.
func ApplyBackward[F Float](l kernel.Logic, op kernel.LogicOp, x, y F) (dx, dy F) {
	switch {
	case op == kernel.Not:
		return ComplementBackward(x, 0), 0
	case l == kernel.Godel:
		return godelBackward(op, x, y)
	case l == kernel.Lukasiewicz:
		return lukasiewiczBackward(op, x, y)
	case op == kernel.And:
		return y, x
	}
	return 1 - y, 1 - x
}

func godelBackward[F Float](op kernel.LogicOp, x, y F) (dx, dy F) {
	switch {
	case x == y:
		return 0.5, 0.5
	case (x < y) == (op == kernel.And):
		return 1, 0
	}
	return 0, 1
}

func lukasiewiczBackward[F Float](op kernel.LogicOp, x, y F) (dx, dy F) {
	if op == kernel.And && x+y-1 > 0 || op == kernel.Or && x+y < 1 {
		return 1, 1
	}
	return 0, 0
}

func (p *Device[F]) Singletons(sets kernel.Buffer, nodes int, slots, entities []int32) {
	pool := p.Values(sets)
	for i, slot := range slots {
		set := row(pool, int(slot), nodes)
		clear(set)
		set[entities[i]] = 1
	}
}

func (p *Device[F]) Logic(l kernel.Logic, sets kernel.Buffer, nodes int, steps []kernel.LogicStep) {
	pool := p.Values(sets)
	for _, s := range steps {
		out, x, y := operands(pool, nodes, s)
		for v := range out {
			if s.Op == kernel.Not {
				out[v] = Complement(x[v], F(s.Lambda))
			} else {
				out[v] = Apply(l, s.Op, x[v], y[v])
			}
		}
	}
}

// operands opens a step; Not's second operand is its first.
func operands[F Float](pool []F, nodes int, s kernel.LogicStep) (out, x, y []F) {
	if s.Op == kernel.Not {
		s.Y = s.X
	}
	return row(pool, int(s.Out), nodes), row(pool, int(s.X), nodes), row(pool, int(s.Y), nodes)
}

func (p *Device[F]) LogicBackward(l kernel.Logic, dsets, sets kernel.Buffer, nodes int, steps []kernel.LogicStep) {
	pool, dpool := p.Values(sets), p.Values(dsets)
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		_, x, y := operands(pool, nodes, s)
		dout, dx, dy := operands(dpool, nodes, s)
		for v, d := range dout {
			if s.Op == kernel.Not {
				dx[v] += F(d * ComplementBackward(x[v], F(s.Lambda)))
				continue
			}
			px, py := ApplyBackward(l, s.Op, x[v], y[v])
			dx[v] += F(d * px)
			dy[v] += F(d * py)
		}
	}
}

func (p *Device[F]) Threshold(sets kernel.Buffer, least float32) {
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

func (p *Device[F]) Odds(sets kernel.Buffer, factor float32) {
	values := p.Values(sets)
	for i, x := range values {
		values[i] = ScaleOdds(x, F(factor))
	}
}

func (p *Device[F]) Traverse(g kernel.DeviceGraph, out, in kernel.Buffer, relations []int32) {
	edges, o, x := g.(graph[F]).In, p.Values(out), p.Values(in)
	want(len(o) == len(x) && len(x) == len(relations)*g.Nodes(), "traverse", len(x), []int{len(relations), g.Nodes()})
	for b, relation := range relations {
		from, to := row(x, b, g.Nodes()), row(o, b, g.Nodes())
		for v := range to {
			to[v] = 0
			for e := edges.At[v]; e < edges.At[v+1]; e++ {
				if edges.Relation[e] == relation {
					to[v] = max(to[v], from[edges.Node[e]])
				}
			}
		}
	}
}
