package train

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Source gives training queries by number, without end, all their answers easy. The same
// number gives the same query in every run: training can go on where it stopped.
// Package sample's Drawer is one, Stored another. It serves any number of goroutines.
type Source interface {
	Draw(i uint64) (shape string, q dataset.Query, err error)
}

// Stored is the training queries of a dataset in memory, packed: a benchmark has
// hundreds of thousands. They come in a random order, each once before any comes
// again; so shapes come as often as they have queries.
type Stored struct {
	Unanswered int // queries left out because they have no answer to learn

	code      []uint32 // expressions, as packed by pack
	codeAt    []int    // query i is code[codeAt[i]:codeAt[i+1]]
	answers   []kg.Entity
	answersAt []int

	seed   uint64
	mutex  sync.Mutex
	orders map[uint64][]int32 // of the passes that are under way
}

// Load reads the training queries of the configuration's shapes, or of all if it names
// none, and of each shape as large a part as it says.
func Load(ctx context.Context, set *dataset.Set, c Config) (*Stored, error) {
	s := &Stored{codeAt: []int{0}, answersAt: []int{0}, seed: c.Seed, orders: map[uint64][]int32{}}
	met := map[string]float64{}
	for q, err := range set.Queries(ctx, dataset.Train, c.ShapeNames()...) {
		if err != nil {
			return nil, err
		}
		shape := query.ShapeOf(q.Expr)
		met[shape]++
		if part := c.TrainFraction; math.Floor(met[shape]*part) > math.Floor((met[shape]-1)*part) {
			s.add(q)
		}
	}
	if s.Len() == 0 {
		return nil, kg.Errorf(kg.Invalid, set.Dir, "the folder has no training queries of the shapes %v", c.ShapeNames())
	}
	return s, nil
}

func (s *Stored) add(q dataset.Query) {
	if len(q.Easy) == 0 {
		s.Unanswered++
		return
	}
	s.code = pack(s.code, q.Expr)
	s.codeAt = append(s.codeAt, len(s.code))
	s.answers = append(s.answers, q.Easy...)
	s.answersAt = append(s.answersAt, len(s.answers))
}

// Len is the number of queries.
func (s *Stored) Len() int { return len(s.codeAt) - 1 }

// Draw implements Source.
func (s *Stored) Draw(i uint64) (shape string, q dataset.Query, err error) {
	n := uint64(s.Len())
	at := s.order(i / n)[i%n]
	e, _ := unpack(s.code[s.codeAt[at]:s.codeAt[at+1]])
	return query.ShapeOf(e), dataset.Query{Expr: e, Easy: s.answers[s.answersAt[at]:s.answersAt[at+1]]}, nil
}

// passesUnderWay is how many orders are remembered: batches that are prepared together
// rarely lie in more than two passes, unless passes are short and quickly shuffled.
const passesUnderWay = 4

// order is the order of a pass, which depends on nothing but the seed and its number.
func (s *Stored) order(pass uint64) []int32 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	order, known := s.orders[pass]
	if known {
		return order
	}
	if len(s.orders) >= passesUnderWay {
		delete(s.orders, slices.Min(slices.Collect(maps.Keys(s.orders))))
	}
	order = make([]int32, s.Len())
	for i := range order {
		order[i] = int32(i)
	}
	random := rand.New(rand.NewPCG(s.seed, pass))
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	s.orders[pass] = order
	return order
}

// The operations of a packed expression: each is followed by an entity, a relation
// or the number of operands, then by its operands.
const (
	packedAnchor uint32 = iota
	packedUniverse
	packedProjection
	packedIntersection
	packedUnion
	packedComplement
)

func pack(to []uint32, e query.Expr) []uint32 {
	operands := query.Operands(e)
	switch e := e.(type) {
	case query.Anchor:
		to = append(to, packedAnchor, uint32(e.Entity))
	case query.Universe:
		to = append(to, packedUniverse, 0)
	case query.Projection:
		to = append(to, packedProjection, uint32(e.Relation))
	case query.Intersection:
		to = append(to, packedIntersection, uint32(len(operands)))
	case query.Union:
		to = append(to, packedUnion, uint32(len(operands)))
	case query.Complement:
		to = append(to, packedComplement, 1)
	}
	for _, operand := range operands {
		to = pack(to, operand)
	}
	return to
}

// unpack gives the expression that code begins with, and what follows it.
func unpack(code []uint32) (e query.Expr, rest []uint32) {
	op, operand := code[0], code[1]
	rest = code[2:]
	several := func() []query.Expr {
		of := make([]query.Expr, operand)
		for i := range of {
			of[i], rest = unpack(rest)
		}
		return of
	}
	switch op {
	case packedAnchor:
		return query.Anchor{Entity: kg.Entity(operand)}, rest
	case packedProjection:
		of, rest := unpack(rest)
		return query.Projection{Relation: kg.Relation(operand), Of: of}, rest
	case packedComplement:
		of, rest := unpack(rest)
		return query.Complement{Of: of}, rest
	case packedIntersection:
		of := several()
		return query.Intersection{Of: of}, rest
	case packedUnion:
		of := several()
		return query.Union{Of: of}, rest
	}
	return query.Universe{}, rest
}

// fingerprint tells sources apart by their first queries, so that a run is not
// continued with other queries than it began with.
func fingerprint(s Source) (string, error) {
	hash := sha256.New()
	for i := range uint64(16) {
		_, q, err := s.Draw(i)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%q %v\n", query.Key(q.Expr), q.Easy)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8]), nil
}
