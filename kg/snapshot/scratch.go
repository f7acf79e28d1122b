package snapshot

import (
	"errors"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/mapped"
	"github.com/lacuna-kg/lacuna/kg"
)

// Scratch keeps the facts that a graph is made of, and then its edges, in temporary files instead of memory. It
// is a kg.TripleList and a kg.EdgeRoom.
type Scratch struct {
	folder                  string
	facts, relations, tails *os.File
	count, edges            int // that were written
	someRelations           []kg.Relation
	someTails               []kg.Entity
}

// NewScratch makes the files in a folder. Close removes them.
func NewScratch(folder string) (*Scratch, error) {
	s := &Scratch{folder: folder}
	var err error
	s.facts, err = s.file()
	return s, err
}

// file is a new one, which has no name where the system has such files.
func (s *Scratch) file() (*os.File, error) {
	f, err := os.CreateTemp(s.folder, "lacuna-scratch-")
	if err == nil {
		_ = os.Remove(f.Name()) // elsewhere Close does
	}
	return f, err
}

// Add writes facts behind those before.
func (s *Scratch) Add(facts []kg.Triple) error {
	_, err := s.facts.Write(bytesOf(facts))
	s.count += len(facts)
	return err
}

// Len is the number of facts.
func (s *Scratch) Len() int { return s.count }

// Pieces reads all facts.
func (s *Scratch) Pieces() iter.Seq2[[]kg.Triple, error] {
	return func(yield func([]kg.Triple, error) bool) {
		size := sizeOf[kg.Triple]()
		buffer := make([]byte, min(s.count, 1<<16)*size)
		in := io.NewSectionReader(s.facts, 0, int64(s.count)*int64(size))
		for left := s.count; left > 0; {
			some := buffer[:min(len(buffer), left*size)]
			if _, err := io.ReadFull(in, some); err != nil {
				yield(nil, err)
				return
			}
			if left -= len(some) / size; !yield(numbersOf[kg.Triple](some), nil) {
				return
			}
		}
	}
}

// Begin makes room for edges.
func (s *Scratch) Begin(int) (err error) {
	if s.relations, err = s.file(); err == nil {
		s.tails, err = s.file()
	}
	return err
}

// Next gives room for some edges, and writes those before.
func (s *Scratch) Next(edges int) ([]kg.Relation, []kg.Entity, error) {
	err := s.write()
	s.someRelations = slices.Grow(s.someRelations[:0], edges)[:edges]
	s.someTails = slices.Grow(s.someTails[:0], edges)[:edges]
	return s.someRelations, s.someTails, err
}

func (s *Scratch) write() error {
	_, first := s.relations.Write(bytesOf(s.someRelations))
	_, second := s.tails.Write(bytesOf(s.someTails))
	s.edges += len(s.someTails)
	s.someRelations, s.someTails = s.someRelations[:0], s.someTails[:0]
	return errors.Join(first, second)
}

// End maps the edges. The facts are gone then.
func (s *Scratch) End() (relations []kg.Relation, tails []kg.Entity, forget func(), release func() error, err error) {
	if err := errors.Join(s.write(), s.drop(&s.facts)); err != nil {
		return nil, nil, nil, nil, err
	}
	if s.edges == 0 { // which mmap refuses
		return nil, nil, nil, s.Close, nil
	}
	first, releaseFirst, err := s.mapped(s.relations)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	second, releaseSecond, err := s.mapped(s.tails)
	if err != nil {
		return nil, nil, nil, nil, errors.Join(err, releaseFirst())
	}
	forget = func() { mapped.Forget(first); mapped.Forget(second) }
	release = func() error { return errors.Join(releaseFirst(), releaseSecond(), s.Close()) }
	return numbersOf[kg.Relation](first), numbersOf[kg.Entity](second), forget, release, nil
}

func (s *Scratch) mapped(f *os.File) (data []byte, release func() error, err error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil { // where it is read and not mapped
		return nil, nil, err
	}
	return mapped.File(f, 4*s.edges)
}

// Close removes the files.
func (s *Scratch) Close() error {
	return errors.Join(s.drop(&s.facts), s.drop(&s.relations), s.drop(&s.tails))
}

func (s *Scratch) drop(f **os.File) error {
	if *f == nil {
		return nil
	}
	err := (*f).Close()
	_ = os.Remove((*f).Name()) // where it has a name still
	*f = nil
	return err
}
