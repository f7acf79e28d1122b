package read

import (
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// scratchFrom is how many facts stay in memory by default.
const scratchFrom = 2 << 20

// factCount is the number of facts of a part so far, wherever they are.
func (l *loader) factCount(part split) int {
	n := len(l.facts[part])
	if part == trainSplit && l.scratch != nil {
		n += l.scratch.Len()
	}
	return n
}

// relieve moves facts to a file, where the user gave a folder for it. The last stays, as more may be said of it. Those
// of named graphs, those that others speak of and denials stay, as they are looked at again.
func (l *loader) relieve(part split) error {
	most := l.opts.ScratchFrom
	if most == 0 {
		most = scratchFrom
	}
	facts := l.facts[part]
	if l.opts.Scratch == "" || part != trainSplit || len(facts) <= most || l.looksBack() {
		return nil
	}
	if l.scratch == nil {
		var err error
		if l.scratch, err = snapshot.NewScratch(l.opts.Scratch); err != nil {
			return kg.WriteError(l.opts.Scratch, err)
		}
	}
	last := len(facts) - 1
	if err := l.scratch.Add(facts[:last]); err != nil {
		return kg.WriteError(l.opts.Scratch, err)
	}
	l.facts[part] = append(facts[:0], facts[last])
	return nil
}

// looksBack tells whether the facts are needed once more, one by one.
func (l *loader) looksBack() bool {
	return l.graphs.names.Len() > 0 || l.statements.names.Len() > 0 || len(l.reified) > 0 || l.denies
}

// bringBack takes facts from their file, where they are needed in memory after all.
func (l *loader) bringBack() error {
	if l.scratch == nil || !l.looksBack() {
		return nil
	}
	all := make([]kg.Triple, 0, l.factCount(trainSplit))
	for piece, err := range l.scratch.Pieces() {
		if err != nil {
			return kg.ReadError(l.opts.Scratch, err)
		}
		all = append(all, piece...)
	}
	l.facts[trainSplit] = append(all, l.facts[trainSplit]...)
	err := l.scratch.Close()
	l.scratch = nil
	return err
}

// build makes the graph of the training facts. Their memory is needed for it.
func (l *loader) build(v *kg.Vocabulary) (*kg.Graph, error) {
	facts := l.facts[trainSplit]
	l.facts[trainSplit] = nil
	var train *kg.Graph
	var err error
	if l.scratch == nil {
		train, err = kg.BuildContext(l.ctx, v, facts)
	} else if err = l.scratch.Add(facts); err == nil {
		if packed := v.Entities.Names.Packed(); packed != v.Entities.Names {
			v.Entities.Names, l.entities = packed, kg.Interner{}
		}
		train, err = kg.BuildIn(l.ctx, v, l.scratch, l.scratch)
	}
	switch {
	case l.ctx.Err() != nil:
		return nil, stopped()
	case err != nil:
		return nil, kg.WriteError(l.opts.Scratch, err)
	}
	l.scratch = nil // it is the graph's now
	return train, nil
}
