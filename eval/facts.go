package eval

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// FactsOptions say which held-out facts are ranked, and by what.
type FactsOptions struct {
	Graph  *kg.Splits
	Name   string        // of the graph, for the report
	Split  dataset.Split // Valid or Test
	Method Method
	Model  string
	Batch  int // questions that are answered together, 0 for DefaultBatch
	// Limit is the most facts, 0 for all, drawn by Seed.
	Limit int
	Seed  uint64
	// Progress, if given, is called after every batch.
	Progress func(Progress)
}

// FactsReport is how the facts of a split rank, the measure of link prediction: each from its head and from its tail, among
// the entities that no fact at all of the graph, of any split, gives. Figures are means over facts and directions.
type FactsReport struct {
	Graph string        `json:"graph"`
	Split dataset.Split `json:"split"`
	Model string        `json:"model"`
	Facts int           `json:"facts"` // that are ranked
	// LeftOut are those of the split that the training facts state, too.
	LeftOut int         `json:"left_out"`
	All     Ranking     `json:"all"`
	Tails   Ranking     `json:"tails"` // (h, r, ?)
	Heads   Ranking     `json:"heads"` // (?, r, t)
	Cases   []FactCase  `json:"cases"`
	Method  Description `json:"method"`
	Size    GraphSize   `json:"answered_on"`
	Seconds float64     `json:"seconds"`
}

// FactCase is a case of half-links: whether the graph states another fact of the relation at the entity that is given, and at the one
// that is looked for. Where the second has none, nothing says that it can be an answer at all.
type FactCase struct {
	Given bool    `json:"given"`
	Found bool    `json:"found"`
	Share float64 `json:"share"` // of all that is ranked
	Ranking
}

// Facts ranks the facts of a split.
func Facts(ctx context.Context, o FactsOptions) (*FactsReport, error) {
	began := time.Now()
	facts, leftOut, err := o.ranked()
	if err != nil {
		return nil, err
	}
	questions, err := o.questions(ctx, facts)
	if err != nil {
		return nil, err
	}
	sums := &factsSums{graph: o.Graph.Train}
	for batch := range slices.Chunk(questions, cmp.Or(o.Batch, DefaultBatch)) {
		outcomes, err := o.Method.Answer(ctx, batch)
		if err != nil {
			return nil, err
		}
		for i, q := range batch {
			sums.add(q, outcomes[i])
		}
		if o.Progress != nil {
			o.Progress(Progress{Done: sums.all.Queries, Total: 2 * len(facts), Shape: "1p", MRR: sums.all.mean(sums.all.Queries).MRR})
		}
	}
	r := sums.report()
	r.Graph, r.Split, r.Model, r.Facts, r.LeftOut = o.Name, o.Split, o.Model, len(facts), leftOut
	r.Method, r.Size = o.Method.Describe(), sizeOf("training facts", o.Graph.Train)
	r.Seconds = time.Since(began).Seconds()
	return r, nil
}

// ranked are the facts of the split that are not stated, or as many of them as the limit says.
func (o FactsOptions) ranked() (facts []kg.Triple, leftOut int, err error) {
	held := map[dataset.Split][]kg.Triple{dataset.Valid: o.Graph.Valid, dataset.Test: o.Graph.Test}[o.Split]
	known := o.Graph.Train
	for _, t := range held {
		if !known.Has(t) {
			facts = append(facts, t)
		}
	}
	leftOut = len(held) - len(facts)
	if len(facts) == 0 {
		return nil, leftOut, kg.Errorf(kg.NotFound, o.Name, "the graph holds out no %s facts to rank (a folder with train, valid and test files does)", o.Split)
	}
	if o.Limit > 0 && o.Limit < len(facts) {
		random := rand.New(rand.NewPCG(o.Seed, uint64(len(facts))))
		random.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
		facts = facts[:o.Limit]
	}
	return facts, leftOut, nil
}

// link is what one question asks for.
type link struct {
	from     kg.Entity
	relation kg.Relation
}

// questions are the links of facts from both ends, those of one entity and relation together. What any split states is no wrong answer.
func (o FactsOptions) questions(ctx context.Context, facts []kg.Triple) (list []Question, err error) {
	all, err := o.Graph.UpToTest(ctx)
	if err != nil {
		return nil, err
	}
	targets, order := map[link][]kg.Entity{}, []link{}
	ask := func(at link, target kg.Entity) {
		if targets[at] == nil {
			order = append(order, at)
		}
		targets[at] = append(targets[at], target)
	}
	for _, t := range facts {
		ask(link{t.Head, t.Relation}, t.Tail)
		ask(link{t.Tail, t.Relation.Inverse()}, t.Head)
	}
	for _, at := range order {
		list = append(list, Question{
			Expr:    query.Projection{Relation: at.relation, Of: query.Anchor{Entity: at.from}},
			Targets: slices.Compact(slices.Sorted(slices.Values(targets[at]))), Answers: all.Tails(at.from, at.relation), shape: "1p",
		})
	}
	return list, nil
}

// factsSums adds up ranks: every fact counts alike.
type factsSums struct {
	graph             *kg.Graph
	all, tails, heads Ranking
	cases             [2][2]Ranking // by given and found
}

func (s *factsSums) add(q Question, o Outcome) {
	link := q.Expr.(query.Projection)
	head := link.Of.(query.Anchor).Entity
	direction := &s.tails
	if link.Relation.IsInverse() {
		direction = &s.heads
	}
	given := index(len(s.graph.Tails(head, link.Relation)) > 0)
	for i, t := range q.Targets {
		found := index(len(s.graph.Tails(t, link.Relation.Inverse())) > 0)
		for _, sum := range []*Ranking{&s.all, direction, &s.cases[given][found]} {
			sum.addQuery(o.Ranks[i : i+1])
		}
	}
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *factsSums) report() *FactsReport {
	mean := func(sum Ranking) Ranking { return sum.mean(max(sum.Queries, 1)) }
	report := &FactsReport{All: mean(s.all), Tails: mean(s.tails), Heads: mean(s.heads)}
	for _, given := range []bool{true, false} {
		for _, found := range []bool{true, false} {
			in := mean(s.cases[index(given)][index(found)])
			report.Cases = append(report.Cases, FactCase{given, found, float64(in.Answers) / float64(s.all.Answers), in})
		}
	}
	return report
}
