package query

// conjuncts are the conditions of a question that have to be true together, and the variables that are bound around them.
func (n *Normal) conjuncts() (vars []int, of []Condition) {
	body := n.Body
	if some, ok := body.(Some); ok {
		vars, body = some.Vars, some.Of
	}
	if all, ok := body.(All); ok {
		return vars, all.Of
	}
	return vars, []Condition{body}
}

// Relaxations are the questions that are left when one of the links that have to be true together is left out, each with that link. A variable
// that nothing speaks of any more is left out with it; an answer variable has to be given a value then.
func (n *Normal) Relaxations() (left []*Normal, without []Link) {
	vars, of := n.conjuncts()
	for i, c := range of {
		link, ok := c.(Link)
		if !ok {
			continue
		}
		rest := All{}
		for j, other := range of {
			if j != i {
				rest.Of = append(rest.Of, other)
			}
		}
		free := FreeVariables(rest)
		var bound []int
		for _, v := range vars {
			if free[v] {
				bound = append(bound, v)
			}
		}
		left = append(left, &Normal{Variables: n.Variables, Answers: n.Answers, Body: Some{bound, rest}})
		without = append(without, link)
	}
	return left, without
}
