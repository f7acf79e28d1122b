package snapshot

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kg"
)

// check holds what is to be written to what Open asks of a file.
func check(s *kg.Splits) error {
	if err := s.Train.Check(); err != nil {
		return err
	}
	return checkHeldOut(s)
}

// checkHeldOut makes sure that the held-out facts are of the vocabulary.
func checkHeldOut(s *kg.Splits) error {
	if err := checkTriples("validation", s.Valid, s.Train.Vocabulary); err != nil {
		return err
	}
	return checkTriples("test", s.Test, s.Train.Vocabulary)
}

func checkTriples(split string, triples []kg.Triple, v *kg.Vocabulary) error {
	entities, relations := uint64(v.Entities.Names.Len()), uint64(v.NumRelations())
	for i, t := range triples {
		if uint64(t.Head) >= entities || uint64(t.Tail) >= entities || uint64(t.Relation) >= relations {
			return fmt.Errorf("%s triple %d is (%d, %d, %d), with %d entities and %d relations",
				split, i, t.Head, t.Relation, t.Tail, entities, relations)
		}
	}
	return nil
}
