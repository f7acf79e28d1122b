package answer

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

// event is something that a derivation rests on and that is not certain: a predicted link, or that something is not.
type event struct {
	fact        kg.Triple
	isNot       bool   // the link must not be
	not         string // instead of a link: a condition that must not be
	probability float64
}

func (e event) compare(other event) int {
	return cmp.Or(e.fact.Compare(other.fact), cmp.Compare(e.not, other.not), boolean(e.isNot)-boolean(other.isNot))
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rest makes a derivation rest on one more event, unless it does already. What has to be and must not be at once is impossible.
func (j *Judge) rest(d *derivation, e event) {
	at, found := slices.BinarySearchFunc(d.events, e, event.compare)
	if found {
		return
	}
	d.events = slices.Insert(slices.Clip(d.events), at, e)
	d.probability = plain.Apply(j.logic.Norm, kernel.And, d.probability, e.probability)
	opposite := e
	if opposite.isNot = !e.isNot; e.not == "" {
		if _, contradicts := slices.BinarySearchFunc(d.events, opposite, event.compare); contradicts {
			d.probability = 0
		}
	}
}

// mostDerivations is how many of the likeliest derivations of an answer count.
const mostDerivations = 8

// likeliest are the derivations that matter: possible ones, the likeliest first, without those that rest on all that another rests on, and more.
func likeliest(all []derivation) []derivation {
	all = slices.DeleteFunc(all, func(d derivation) bool { return d.probability <= 0 })
	slices.SortStableFunc(all, func(a, b derivation) int {
		return cmp.Or(cmp.Compare(b.probability, a.probability), cmp.Compare(len(a.events), len(b.events)))
	})
	var kept []derivation
	for _, d := range all {
		if len(kept) < mostDerivations && !slices.ContainsFunc(kept, func(k derivation) bool { return isPart(k.events, d.events) }) {
			kept = append(kept, d)
		}
	}
	return kept
}

// isPart tells whether all events of one list are in another.
func isPart(some, all []event) bool {
	for _, e := range some {
		if _, found := slices.BinarySearchFunc(all, e, event.compare); !found {
			return false
		}
	}
	return true
}

// Several derivations make an answer likelier than the best of them, but facts that speak for one often speak for the other, so that they are not
// independent. union is how far, from the best derivation to all of them as if they were, the probability goes (docs/probability.md says what it was
// chosen by). Both ends keep every law of probability, and so does what is between them.
const union = 0.5

// probability is that of an answer by its derivations, the best first.
func (j *Judge) probability(all []derivation) float64 {
	switch {
	case len(all) == 0:
		return 0
	case len(all) == 1 || j.logic.Norm != kernel.Product:
		return all[0].probability
	}
	best := all[0].probability
	return best + union*max(0, anyOf(all)-best)
}

// anyOf is the probability that some derivation holds if events are independent, by inclusion and exclusion.
func anyOf(all []derivation) (sum float64) {
	for set := uint(1); set < 1<<len(all); set++ {
		var events []event
		for i, d := range all {
			if set&(1<<i) == 0 {
				continue
			}
			for _, e := range d.events {
				if at, found := slices.BinarySearchFunc(events, e, event.compare); !found {
					events = slices.Insert(events, at, e)
				}
			}
		}
		product := 1.0
		for _, e := range events {
			product *= e.probability
		}
		if bits.OnesCount(set)%2 == 0 {
			product = -product
		}
		sum += product
	}
	return sum
}
