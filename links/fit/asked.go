package fit

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
)

// Who fills a column asks for values that the graph lacks, on the graph as it is. A copy that lacks a tenth of its facts more is another graph: all of its
// entities are a little less connected, and networks are as sure of nothing on both. So some cells are asked for on a copy that lacks little beside them, each
// relation's as far as it has any, and how far first values are to be trusted is learned from these.

const (
	askedShare = 0.45 // of all rows are cells
	lacksCells = 0.03 // of its facts a copy lacks at most, and there are as many copies as turns
)

// cells draws facts that are the only value of their head, of each relation by the root of how many it has, at most one of a head.
func (o Options) cells() (facts []kg.Triple) {
	most := min(askedShare*float64(o.Rows), turns*lacksCells*float64(o.Graph.NumTriples()))
	random := rand.New(rand.NewPCG(o.Seed, 0xce115))
	of, sum := o.singles(random), 0.0
	for _, some := range of {
		sum += math.Sqrt(float64(len(some)))
	}
	taken, isLast := map[kg.Entity]int{}, func(e kg.Entity) bool { return o.Graph.Degree(e) <= 1 }
	for _, some := range of {
		wanted := math.Floor(most*math.Sqrt(float64(len(some)))/sum + random.Float64())
		for _, t := range some {
			if wanted < 1 {
				break
			}
			if taken[t.Head] == 0 && !(isLast(t.Head) && isLast(t.Tail)) {
				taken[t.Head]++
				facts, wanted = append(facts, t), wanted-1
			}
		}
	}
	random.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	const even = turns * rowsOfGroup // turns have whole groups of rows
	if others := o.Rows - len(facts); others%even > 0 && o.Rows%even == 0 {
		facts = facts[:max(0, len(facts)-even+others%even)]
	}
	return facts
}

// singles are such facts by relation, in a random order, without those that lead to numbers and dates.
func (o Options) singles(random *rand.Rand) (of [][]kg.Triple) {
	byRelation, ranges := o.Graph.ByRelation(), links.NewRanges(o.Graph, false)
	for base := range uint32(o.Graph.Relations.Names.Len()) {
		q := kg.Forward(base)
		var facts []kg.Triple
		for _, h := range byRelation.Heads(q) {
			p := links.Pair{Head: h, Relation: q}
			if tails := o.Graph.Tails(h, q); len(tails) == 1 && !ranges.Closed(p) && ranges.Admits(p, tails[0]) {
				facts = append(facts, kg.Triple{Head: h, Relation: q, Tail: tails[0]})
			}
		}
		random.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
		of = append(of, facts)
	}
	return of
}

// ask asks for cells, on as many copies as it takes, and gives each part some of them.
func (o Options) ask(ctx context.Context, cells []kg.Triple, parts []observations) error {
	most := max(1, int(lacksCells*float64(o.Graph.NumTriples())))
	copies := (len(cells) + most - 1) / most
	for i := range copies {
		of := cells[i*len(cells)/copies : (i+1)*len(cells)/copies]
		if err := o.askCopy(ctx, turns+i, of, parts); err != nil {
			return err
		}
	}
	return nil
}

func (o Options) askCopy(ctx context.Context, number int, cells []kg.Triple, parts []observations) error {
	rest, err := o.Model.OnRest(ctx, o.Graph, cells)
	if err != nil {
		return err
	}
	w := o.worldOf(rest, cells, number)
	defer w.close()
	pairs := make([]links.Pair, len(cells))
	for i, t := range cells {
		pairs[i] = links.Pair{Head: t.Head, Relation: t.Relation}
	}
	var turned []twice
	var of []int // the parts that they are for
	err = w.eachRow(ctx, pairs, func(i int, odds links.Odds, e links.Evidence) {
		parts[i%len(parts)].rows++
		for _, t := range toTurn(w.row(pairs[i], odds, e), turnedOf) {
			turned, of = append(turned, t), append(of, i%len(parts))
		}
	})
	if err == nil {
		err = w.turn(ctx, turned)
	}
	for k, t := range turned {
		if t.back != nil {
			parts[of[k]].asked = append(parts[of[k]].asked, t)
		}
	}
	return err
}

// worldOf is a graph that lacks facts of its own.
func (o Options) worldOf(rest *neural.Predictor, hidden []kg.Triple, number int) *world {
	return &world{
		options: o, predictor: rest, held: hidden, full: o.Graph, looked: number << 24, random: rand.New(rand.NewPCG(o.Seed, 0x11bf+uint64(number))),
		domains: links.NewDomains(rest.Graph), rooms: links.NewDomains(o.Graph), ranges: links.NewRanges(rest.Graph, false),
	}
}
