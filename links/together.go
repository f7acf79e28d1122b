package links

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/ranks"
)

// Sharing is how ranks make rows together; the zero value is one rank alone. All of them ask for the same
// pairs, with equal rows; rank 0 gets what they make.
type Sharing struct {
	Team *ranks.Team
	// Round is how many rows each makes before they meet; 0 is DefaultRound.
	Round int
}

// DefaultRound suits a CPU; a GPU has more rows under way at once.
const DefaultRound = 128

// predict is Rows.predict on all ranks: take gets every row, in order, on rank 0, of each the likeliest links.
func (s Sharing) predict(ctx context.Context, r *Rows, pairs []Pair, most int, take func([]Row) error) error {
	if s.Team.Size() == 1 {
		return r.predict(ctx, pairs, take)
	}
	if s.Round == 0 {
		s.Round = DefaultRound
	}
	for len(pairs) > 0 {
		some := pairs[:min(len(pairs), s.Round*s.Team.Size())]
		pairs = pairs[len(some):]
		rows, err := s.round(ctx, r, some, most)
		if err == nil && s.Team.Leads() {
			err = take(rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// round makes this rank's share of rows and gives rank 0 all of them.
func (s Sharing) round(ctx context.Context, r *Rows, pairs []Pair, most int) (rows []Row, err error) {
	from, to := ranks.Share(len(pairs), s.Team.Rank(), s.Team.Size())
	var mine []byte
	err = s.Team.TakeTime(ctx, func(ctx context.Context) error {
		return r.predict(ctx, pairs[from:to], func(some []Row) error {
			for _, row := range some {
				mine = packRow(mine, row.Likeliest(most))
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	if _, err := s.Team.Exchange(ctx, ranks.Word{Number: uint64(len(pairs))}); err != nil { // none runs ahead of rank 0
		return nil, err
	}
	all, err := s.Team.Gather(ctx, mine)
	if err != nil {
		return nil, err
	}
	for _, data := range all {
		for len(data) > 0 {
			var row Row
			row, data = unpackRow(data)
			p := pairs[len(rows)]
			row.Stated = r.graph.Tails(p.Head, p.Relation)
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// position has rank 0 tell the others with which pair it goes on.
func (s Sharing) position(ctx context.Context, done int) (int, error) {
	data, err := s.Team.Broadcast(ctx, binary.LittleEndian.AppendUint64(nil, uint64(done)))
	if err != nil {
		return 0, err
	}
	return int(binary.LittleEndian.Uint64(data)), nil
}

// packRow appends the predicted links of a row, to the bit: their number, the tails, the probabilities.
func packRow(to []byte, r Row) []byte {
	to = binary.LittleEndian.AppendUint32(to, uint32(len(r.Tails)))
	for _, t := range r.Tails {
		to = binary.LittleEndian.AppendUint32(to, uint32(t))
	}
	for _, p := range r.Probabilities {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(p))
	}
	return to
}

func unpackRow(data []byte) (r Row, rest []byte) {
	n := int(binary.LittleEndian.Uint32(data))
	data = data[4:]
	r.Tails, r.Probabilities = make([]kg.Entity, n), make([]float32, n)
	for i := range n {
		r.Tails[i] = kg.Entity(binary.LittleEndian.Uint32(data[4*i:]))
		r.Probabilities[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*(n+i):]))
	}
	return r, data[8*n:]
}
