package gaps

import (
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// rowsFor are the rows to look at: with numbers and dates among what is predicted where that is wanted.
func (f *Finder) rowsFor(o Options) *links.Rows {
	if o.Literals {
		return f.rows.WithLiterals()
	}
	return f.rows
}

// leadsToValues tells whether a relation has numbers or dates at one of its ends, whichever way it is read, which are not predicted.
func (f *Finder) leadsToValues(r kg.Relation, o Options) bool {
	ranges := f.rowsFor(o).Ranges()
	return ranges.LeadsToValues(r) || ranges.LeadsToValues(r.Inverse())
}

// checkPredictable refuses a relation that leads to values, unless they are wanted.
func (f *Finder) checkPredictable(r kg.Relation, o Options) error {
	if !f.leadsToValues(r, o) {
		return nil
	}
	return kg.Errorf(kg.Invalid, "", "%s leads to numbers or dates, which a model can only guess (--literals predicts them anyway)", f.graph.Relation(kg.Forward(r.Base())))
}
