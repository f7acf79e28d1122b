package sample

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/ranks"
)

// Blocks of attempts that each rank makes before they meet: few at first, as some shapes need no more, then more, to meet less often.
const (
	firstBlocks = 4
	mostBlocks  = 64
)

// attemptsTogether is attempts on all ranks of a team. An attempt is a function of its number, so that it is all one who makes
// it: each rank makes a stretch of consecutive blocks, rank 0 takes those of all in their order and tells the others whether to go on.
func (p *pool) attemptsTogether(ctx context.Context, team *ranks.Team, t *query.Template, stream uint64, take func(*block) (bool, error)) error {
	first := uint64(0)
	for blocks := uint64(firstBlocks); ; blocks = min(2*blocks, mostBlocks) {
		var mine []byte
		err := team.TakeTime(ctx, func(ctx context.Context) (err error) {
			mine, err = p.packBlocks(ctx, t, stream, first+uint64(team.Rank())*blocks, blocks)
			return err
		})
		if err != nil {
			return err
		}
		all, err := team.Gather(ctx, mine)
		if err != nil {
			return err
		}
		if more, err := takeAll(ctx, team, t, all, take); err != nil || !more {
			return err
		}
		first += blocks * uint64(team.Size())
	}
}

// takeAll has rank 0 take the blocks of all ranks; more tells all of them whether to go on.
func takeAll(ctx context.Context, team *ranks.Team, t *query.Template, all [][]byte, take func(*block) (bool, error)) (more bool, err error) {
	goOn := []byte{0}
	err = team.TakeTime(ctx, func(context.Context) error {
		more, err := takePacked(bytes.Join(all, nil), t, take)
		if more {
			goOn[0] = 1
		}
		return err
	})
	if err != nil {
		return false, err
	}
	told, err := team.Broadcast(ctx, goOn)
	return err == nil && told[0] == 1, err
}

func takePacked(data []byte, t *query.Template, take func(*block) (bool, error)) (more bool, err error) {
	for len(data) > 0 {
		var b block
		b, data = unpackBlock(data, t)
		if more, err = take(&b); err != nil || !more {
			return false, err
		}
	}
	return more, nil
}

// packBlocks makes a stretch of blocks.
func (p *pool) packBlocks(ctx context.Context, t *query.Template, stream, first, blocks uint64) ([]byte, error) {
	work := func(examiner int) func(context.Context, uint64) []byte {
		var b block
		return func(ctx context.Context, number uint64) []byte {
			p.examiners[examiner].fill(ctx, &b, t, stream, number*blockSize)
			return packBlock(nil, &b)
		}
	}
	packed := parallel.Start(ctx, len(p.examiners), int(blocks), stretch(first, blocks), work)
	defer packed.Close()
	var all []byte
	for range blocks {
		data, ok := packed.Next()
		if !ok {
			return nil, kg.Stopped(ctx)
		}
		all = append(all, data...)
	}
	return all, nil
}

func stretch(first, n uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := first; i < first+n && yield(i); i++ {
		}
	}
}

// packBlock appends the attempts of a block: a byte for what became of each and, of one that was accepted, what its template is filled with, and its answers.
func packBlock(to []byte, b *block) []byte {
	for _, a := range b.attempts {
		to = append(to, byte(a.verdict))
		if a.verdict != accepted {
			continue
		}
		_, ids := query.Split(a.query.Expr)
		for _, id := range ids {
			to = binary.AppendUvarint(to, uint64(id))
		}
		to = packEntities(packEntities(to, a.query.Easy), a.query.Hard)
	}
	return to
}

func unpackBlock(data []byte, t *query.Template) (block, []byte) {
	b := block{attempts: make([]attempt, blockSize)}
	for i := range b.attempts {
		a := &b.attempts[i]
		a.verdict, data = verdict(data[0]), data[1:]
		if a.verdict != accepted {
			continue
		}
		ids := make([]uint32, t.Slots)
		for slot := range ids {
			var id uint64
			id, data = unpackNumber(data)
			ids[slot] = uint32(id)
		}
		a.query = dataset.Query{Expr: t.Fill(ids)}
		a.query.Easy, data = unpackEntities(data)
		a.query.Hard, data = unpackEntities(data)
		a.key = query.Key(a.query.Expr)
	}
	return b, data
}

// packEntities appends an ascending list: its length, then the steps.
func packEntities(to []byte, list []kg.Entity) []byte {
	to = binary.AppendUvarint(to, uint64(len(list)))
	last := kg.Entity(0)
	for _, e := range list {
		to = binary.AppendUvarint(to, uint64(e-last))
		last = e
	}
	return to
}

func unpackEntities(data []byte) ([]kg.Entity, []byte) {
	n, data := unpackNumber(data)
	if n == 0 {
		return nil, data
	}
	list := make([]kg.Entity, n)
	last := kg.Entity(0)
	for i := range list {
		var step uint64
		step, data = unpackNumber(data)
		last += kg.Entity(step)
		list[i] = last
	}
	return list, data
}

func unpackNumber(data []byte) (uint64, []byte) {
	x, n := binary.Uvarint(data)
	return x, data[n:]
}

// compare refuses ranks that would draw something else.
func (o Options) compare(ctx context.Context, s *kg.Splits) error {
	if o.Team.Size() == 1 {
		return nil
	}
	words, err := o.Team.Exchange(ctx, ranks.Word{Text: o.identity(s)})
	if err != nil {
		return err
	}
	for rank, w := range words {
		if w.Text != words[0].Text {
			return kg.Errorf(kg.Invalid, "sample", "rank %d on %s draws something else than rank 0: expected the same graph and options on all ranks", rank, o.Team.Members[rank].Host)
		}
	}
	return nil
}

// identity tells what is drawn, and from which graph, from all else.
func (o Options) identity(s *kg.Splits) string {
	text := fmt.Sprint(o.Seed, o.Counts, o.maxAnswers(), o.patience(), o.SkipEmpty, digest(s), s.Train.Entities.Names.Digest(), s.Train.Relations.Names.Digest())
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

// digest tells the facts of splits from others.
func digest(s *kg.Splits) uint64 {
	h := uint64(0)
	add := func(t kg.Triple) {
		h = scramble(h^uint64(t.Head)<<32^uint64(t.Tail)) + uint64(t.Relation)
	}
	for t := range s.Train.Triples() {
		add(t)
	}
	for _, held := range [][]kg.Triple{s.Valid, s.Test} {
		for _, t := range held {
			add(t)
		}
		h = scramble(h + uint64(len(held)))
	}
	return h
}
