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

// Stored is the training queries of a dataset in memory, as ids and answers: a benchmark has
// hundreds of thousands. They come in a random order, each once before any comes
// again; so shapes come as often as they have queries. A share of them is drawn by answers instead (Config.ByAnswers).
type Stored struct {
	Unanswered int // queries left out because they have no answer to learn

	templates []*query.Template // by query; those of one template share it
	ids       []uint32          // what fills the templates, one query after the other
	idsAt     []int             // query i has ids[idsAt[i]:idsAt[i+1]]
	answers   []kg.Entity
	answersAt []int

	seed      uint64
	byAnswers float64 // the share
	mutex     sync.Mutex
	orders    map[uint64][]int32 // of the passes that are under way
}

// Load reads the training queries of the configuration's shapes, or of all if it names
// none, and of each shape as large a part as it says.
func Load(ctx context.Context, set *dataset.Set, c Config) (*Stored, error) {
	s := &Stored{idsAt: []int{0}, answersAt: []int{0}, seed: c.Seed, byAnswers: c.ByAnswers, orders: map[uint64][]int32{}}
	met := map[string]float64{}
	var templates query.Templates
	for q, err := range set.Queries(ctx, dataset.Train, c.ShapeNames()...) {
		if err != nil {
			return nil, err
		}
		template, ids := templates.Split(q.Expr)
		shape := template.String()
		met[shape]++
		if part := c.TrainFraction; math.Floor(met[shape]*part) > math.Floor((met[shape]-1)*part) {
			s.add(template, ids, q.Easy)
		}
	}
	if s.Len() == 0 {
		return nil, kg.Errorf(kg.Invalid, set.Dir, "the folder has no training queries of the shapes %v", c.ShapeNames())
	}
	return s, nil
}

func (s *Stored) add(template *query.Template, ids []uint32, answers []kg.Entity) {
	if len(answers) == 0 {
		s.Unanswered++
		return
	}
	s.templates = append(s.templates, template)
	s.ids = append(s.ids, ids...)
	s.idsAt = append(s.idsAt, len(s.ids))
	s.answers = append(s.answers, answers...)
	s.answersAt = append(s.answersAt, len(s.answers))
}

// Len is the number of queries.
func (s *Stored) Len() int { return len(s.templates) }

// Draw implements Source.
func (s *Stored) Draw(i uint64) (shape string, q dataset.Query, err error) {
	at := s.number(i)
	template := s.templates[at]
	e := template.Fill(s.ids[s.idsAt[at]:s.idsAt[at+1]])
	return template.String(), dataset.Query{Expr: e, Easy: s.answers[s.answersAt[at]:s.answersAt[at+1]]}, nil
}

// number is which query comes as the i-th.
func (s *Stored) number(i uint64) int {
	if s.byAnswers > 0 {
		random := rand.New(rand.NewPCG(^s.seed, i))
		if random.Float64() < s.byAnswers {
			at, _ := slices.BinarySearch(s.answersAt, random.IntN(len(s.answers))+1)
			return at - 1
		}
	}
	n := uint64(s.Len())
	return int(s.order(i / n)[i%n])
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
