package query

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// ambiguous is the error of a name that several entities or relations have.
type ambiguous struct {
	user         *kg.Error
	name, plural string
	dictionary   kg.Dictionary
	candidates   []uint32
	ofEntities   bool
}

func (a *ambiguous) Error() string { return a.user.Error() }

// Unwrap is the error as all faces know it.
func (a *ambiguous) Unwrap() error { return a.user }

func newAmbiguous(n Name, kind string, dictionary kg.Dictionary, candidates []uint32) *ambiguous {
	a := &ambiguous{name: n.display(), plural: "entities", dictionary: dictionary, candidates: candidates, ofEntities: kind == "entity"}
	if !a.ofEntities {
		a.plural = "relations"
	}
	a.user = kg.ErrorAt(kg.Invalid, place(n.Pos), "%s", a.text(nil))
	return a
}

func (a *ambiguous) text(hint func(uint32) string) string {
	const listed = 5
	var names []string
	for _, id := range a.candidates[:min(listed, len(a.candidates))] {
		name := a.dictionary.Names.At(id)
		if hint != nil {
			if h := hint(id); h != "" {
				name += " (" + h + ")"
			}
		}
		names = append(names, name)
	}
	if len(a.candidates) > listed {
		names = append(names, "…")
	}
	return fmt.Sprintf("%q is the name of %d %s: use one of the identifiers %s", a.name, len(a.candidates), a.plural, strings.Join(names, ", "))
}

// TellApart adds to the error of a name that several entities have what tells these apart. Other errors stay as they are.
func TellApart(err error, hint func(kg.Entity) string) error {
	var a *ambiguous
	if errors.As(err, &a) && a.ofEntities {
		a.user.What = a.text(func(id uint32) string { return hint(kg.Entity(id)) })
	}
	return err
}
