package kg

import (
	"fmt"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// labelChange is the part of a change that is about labels, by identifiers.
type labelChange struct {
	add, remove           []Fact
	added, found, removed int // stated anew; stated, of those to be removed; stated no more
}

// labelChange takes the labels out of what is to be added and removed; removals come first.
func (r *resolver) labelChange(v *Vocabulary, add, remove []Fact) (c labelChange, err error) {
	if !r.labels || !slices.ContainsFunc(add, isLabel) && !slices.ContainsFunc(remove, isLabel) {
		return c, nil
	}
	if c.add, err = r.labelFacts(add, "added"); err != nil {
		return c, err
	}
	if c.remove, err = r.labelFacts(remove, "removed"); err != nil {
		return c, err
	}
	stated, stays := v.LabelTriples(), map[Fact]bool{}
	for _, f := range c.add {
		stays[f] = true
		if !stated.states(v.Entities.Names, f) {
			c.added++
		}
	}
	for _, f := range c.remove {
		if stated.states(v.Entities.Names, f) {
			c.found++
			if !stays[f] {
				c.removed++
			}
		}
	}
	return c, nil
}

func isLabel(f Fact) bool { return IsLabelFact(f.Relation, f.Tail) }

// labelFacts are the labels among facts, each once and with the identifier of what it labels.
func (r *resolver) labelFacts(facts []Fact, list string) (labels []Fact, err error) {
	seen := map[Fact]bool{}
	for i, f := range facts {
		if !isLabel(f) {
			continue
		}
		id, known, err := r.entities.resolve(f.Head)
		if known {
			f.Head = r.entities.at(id)
		} else if err == nil {
			err = r.entities.checkNew(f.Head)
		}
		if err == nil {
			err = r.entities.checkNew(f.Tail)
		}
		if err != nil {
			return nil, Errorf(KindOf(err), fmt.Sprintf("%s fact %d", list, i+1), "%v", err)
		}
		if !seen[f] {
			seen[f] = true
			labels = append(labels, f)
		}
	}
	return labels, nil
}

// at is the name of an id that resolve gave.
func (n *names) at(id uint32) string {
	if n.grown != nil {
		return n.grown.names.At(id)
	}
	return n.Names.At(id)
}

// apply gives a vocabulary, which may have more names than the one before, its labels.
func (c labelChange) apply(v, before *Vocabulary) *Vocabulary {
	old := before.Stated
	if len(c.add)+len(c.remove) > 0 {
		old = before.LabelTriples()
	}
	stated := relabelled(old, v, before.Entities.Names.Len(), c.add, c.remove)
	if stated == before.Stated {
		return v
	}
	changed := &Vocabulary{Entities: v.Entities, Relations: v.Relations, Stated: stated, Prefixes: v.Prefixes}
	changed.Entities.Labels = c.renamed(v.Entities, v)
	changed.Relations.Labels = c.renamed(v.Relations, v)
	changed.Stated = stated
	return changed
}

// renamed are the readable names after the change: what has none takes the first label that
// it gets, and what loses the one it went by takes another.
func (c labelChange) renamed(d Dictionary, v *Vocabulary) *Labels {
	names := map[uint32]string{}
	readable := func(id uint32) string {
		if name, changed := names[id]; changed {
			return name
		}
		if d.Labels == nil {
			return ""
		}
		return d.Labels.At(id)
	}
	for _, f := range c.remove {
		if id, known := d.Names.Find(f.Head); known && readable(id) == textOf(f) {
			names[id] = c.remaining(f, v)
		}
	}
	for _, f := range c.add {
		if id, known := d.Names.Find(f.Head); known && readable(id) == "" {
			names[id] = textOf(f)
		}
	}
	if len(names) == 0 {
		return d.Labels
	}
	all := make([]string, d.Names.Len())
	for id := range all {
		all[id] = readable(uint32(id))
	}
	return NewLabels(all)
}

func textOf(label Fact) string { return rdf.Readable(label.Tail) }

// remaining is the first label that stays of what loses one; "" for none.
func (c labelChange) remaining(lost Fact, v *Vocabulary) string {
	old := v.LabelTriples()
	if old == nil {
		return ""
	}
	subject, _ := old.find(v.Entities.Names, lost.Head)
	for _, literal := range old.Of(subject) {
		f := Fact{Head: lost.Head, Relation: RDFSLabel, Tail: old.Name(v.Entities.Names, literal)}
		if !slices.Contains(c.remove, f) {
			return textOf(f)
		}
	}
	return ""
}
