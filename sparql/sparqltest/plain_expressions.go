package sparqltest

import (
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/function"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// hold tells whether all conditions are true of a row.
func (p *Plain) hold(conditions []syntax.Expr, r, given row) bool {
	return !slices.ContainsFunc(conditions, func(c syntax.Expr) bool {
		holds, decided := p.truth(c, r, given)
		return !holds || !decided
	})
}

// truth is the effective boolean value of an expression, undecided for an error.
func (p *Plain) truth(e syntax.Expr, r, given row) (holds, decided bool) {
	value, ok := p.value(e, r, given)
	if !ok {
		return false, false
	}
	return term.Truth(value)
}

// value is that of an expression; ok is false for an error.
func (p *Plain) value(e syntax.Expr, r, given row) (value term.Term, ok bool) {
	switch e := e.(type) {
	case syntax.Ref:
		return valueOf(e, r, given)
	case syntax.Compare:
		return p.apply(e.Sign, []syntax.Expr{e.Left, e.Right}, r, given)
	case syntax.Arithmetic:
		return p.apply(e.Sign, []syntax.Expr{e.Left, e.Right}, r, given)
	case syntax.Signed:
		return p.apply("unary "+e.Sign, []syntax.Expr{e.Of}, r, given)
	case syntax.And:
		return p.connected(e.Of, r, given, false)
	case syntax.Or:
		return p.connected(e.Of, r, given, true)
	case syntax.Not:
		holds, decided := p.truth(e.Of, r, given)
		return function.Boolean(!holds), decided
	case syntax.In:
		return p.in(e, r, given)
	case syntax.Exists:
		values := row{}
		for _, source := range []row{given, r} {
			for name, value := range source {
				values[name] = value
			}
		}
		return function.Boolean((len(p.group(e.Of, values)) > 0) != e.Not), true
	case syntax.FunctionCall:
		return p.apply(e.IRI, e.Args, r, given)
	}
	return p.call(e.(syntax.Call), r, given)
}

func valueOf(ref syntax.Ref, r, given row) (term.Term, bool) {
	if ref.Var == "" {
		return ref.Term, true
	}
	if value, ok := r[ref.Var]; ok {
		return value, true
	}
	value, ok := given[ref.Var]
	return value, ok
}

func (p *Plain) apply(name string, args []syntax.Expr, r, given row) (term.Term, bool) {
	f, known := function.Find(name)
	values := make([]term.Term, len(args))
	for i, arg := range args {
		var ok bool
		if values[i], ok = p.value(arg, r, given); !ok {
			return term.Term{}, false
		}
	}
	if !known {
		return term.Term{}, false
	}
	return f(&p.env, values)
}

// connected is || if it is settled by a true part, && if by a false one; errors leave it open otherwise (17.2).
func (p *Plain) connected(of []syntax.Expr, r, given row, settles bool) (term.Term, bool) {
	open := false
	for _, part := range of {
		holds, decided := p.truth(part, r, given)
		if decided && holds == settles {
			return function.Boolean(settles), true
		}
		open = open || !decided
	}
	return function.Boolean(!settles), !open
}

// in is (x = a) || (x = b) || … (17.4.1.9).
func (p *Plain) in(e syntax.In, r, given row) (term.Term, bool) {
	equals := make([]syntax.Expr, len(e.List))
	for i, each := range e.List {
		equals[i] = syntax.Compare{Left: e.Left, Right: each, Sign: "="}
	}
	value, ok := p.connected(equals, r, given, true)
	if e.Not && ok {
		holds, _ := term.Truth(value)
		value = function.Boolean(!holds)
	}
	return value, ok
}

// call is a built-in function, those that do not look at all of their arguments included.
func (p *Plain) call(c syntax.Call, r, given row) (term.Term, bool) {
	switch c.Name {
	case "BOUND":
		_, bound := valueOf(c.Args[0].(syntax.Ref), r, given)
		return function.Boolean(bound), true
	case "IF":
		holds, decided := p.truth(c.Args[0], r, given)
		switch {
		case !decided:
			return term.Term{}, false
		case holds:
			return p.value(c.Args[1], r, given)
		}
		return p.value(c.Args[2], r, given)
	case "COALESCE":
		for _, arg := range c.Args {
			if value, ok := p.value(arg, r, given); ok {
				return value, true
			}
		}
		return term.Term{}, false
	}
	return p.apply(c.Name, c.Args, r, given)
}
