package answer

import (
	"fmt"
	"maps"

	"github.com/lacuna-kg/lacuna/query"
)

// A derivation counts each of its links once, also where two conditions of the question rest on the same one: r(h, y) ∧ r(h, z) of y = z. So
// beside a conjunction as it stands, in which links multiply, there are those in which links that may be the same one are, and the best
// of all is the answer's: whatever a derivation shares, one of these says so.

// mostMerged bounds how many there are.
const mostMerged = 32

// merged gives a conjunction and those with some of its links made one.
func (c conjunction) merged() []conjunction {
	all, seen := []conjunction{c}, map[string]bool{c.key(): true}
	for i := 0; i < len(all) && len(all) < mostMerged; i++ {
		for _, one := range all[i].mergedOnce() {
			if key := one.key(); !seen[key] && len(all) < mostMerged {
				seen[key] = true
				all = append(all, one)
			}
		}
	}
	return all
}

// mergedOnce makes two links one, each two that can be.
func (c conjunction) mergedOnce() (all []conjunction) {
	for i, a := range c.links {
		for _, b := range c.links[i+1:] {
			if a.Relation != b.Relation || isGround(a) && isGround(b) {
				continue
			}
			is := maps.Clone(c.is)
			if !unify(is, a.From, b.From) || !unify(is, a.To, b.To) {
				continue
			}
			if one, possible := (conjunction{c.links, c.members, c.no, is}).normal(); possible {
				all = append(all, one)
			}
		}
	}
	return all
}

// parts splits a conjunction into those that share no variable, and the links and negations between entities alone.
func (c conjunction) parts() (ground conjunction, parts []conjunction) {
	ground.is = c.is
	group := map[int]int{} // of a variable: the part it is in
	var find func(int) int
	find = func(v int) int {
		if p, known := group[v]; known && p != v {
			return find(p)
		}
		group[v] = v
		return v
	}
	each := func(visit func(vars []int, add func(*conjunction))) {
		for _, l := range c.links {
			visit(variables(l.From, l.To), func(p *conjunction) { p.links = append(p.links, l) })
		}
		for _, m := range c.members {
			visit(variables(m.Of), func(p *conjunction) { p.members = append(p.members, m) })
		}
		for _, n := range c.no {
			visit(c.free(n), func(p *conjunction) { p.no = append(p.no, n) })
		}
	}
	each(func(vars []int, _ func(*conjunction)) {
		for _, v := range vars {
			group[find(v)] = find(vars[0])
		}
	})
	at := map[int]int{}
	each(func(vars []int, add func(*conjunction)) {
		if len(vars) == 0 {
			add(&ground)
			return
		}
		root := find(vars[0])
		if _, begun := at[root]; !begun {
			at[root] = len(parts)
			parts = append(parts, conjunction{is: c.is})
		}
		add(&parts[at[root]])
	})
	return ground, parts
}

// free are the variables of a condition that have no value and that no ∃ in it binds, ascending.
func (c conjunction) free(n query.Condition) []int {
	var arguments []query.Argument
	for v := range query.FreeVariables(n) {
		arguments = append(arguments, of(c.is, query.Argument{IsVariable: true, Variable: v}))
	}
	return variables(arguments...)
}

// key tells conjunctions apart, also by what their variables are.
func (c conjunction) key() string {
	values := make(map[int]query.Argument, len(c.is))
	for v := range c.is {
		values[v] = of(c.is, query.Argument{IsVariable: true, Variable: v})
	}
	return fmt.Sprint(c.links, values)
}
