package complete

import (
	"bytes"
	"container/heap"
	"sort"
)

// span is a range of the sorted words: all that begin alike.
type span struct{ from, to int }

func (s span) empty() bool { return s.from >= s.to }

// narrow is the part of a span whose words go on with suffix after their first depth bytes, which all share.
func (p *part) narrow(s span, depth int, suffix []byte) span {
	after := func(i int) []byte {
		text := p.text[int(p.words[s.from+i].at)+depth:]
		if len(text) > len(suffix) {
			text = text[:len(suffix)]
		}
		return text // a zero ends the name: nothing that is typed compares equal beyond it
	}
	n := s.to - s.from
	from := sort.Search(n, func(i int) bool { return bytes.Compare(after(i), suffix) >= 0 })
	to := from + sort.Search(n-from, func(i int) bool { return bytes.Compare(after(from+i), suffix) > 0 })
	return span{s.from + from, s.from + to}
}

// tournament answers which of a range of words is the weightiest: a complete binary
// tree in which every node names the winner below it.
type tournament struct {
	size   int
	winner []uint32 // winner[1] of all; leaves are size … 2·size-1
	weight []uint32
}

func newTournament(n int, weigh func(int) int) tournament {
	t := tournament{n, make([]uint32, 2*n), make([]uint32, n)}
	for i := range n {
		t.weight[i] = uint32(weigh(i))
		t.winner[n+i] = uint32(i)
	}
	for i := n - 1; i > 0; i-- {
		t.winner[i] = t.better(t.winner[2*i], t.winner[2*i+1])
	}
	return t
}

// better prefers the earlier of equals, so that results do not depend on how a range was cut.
func (t tournament) better(a, b uint32) uint32 {
	if t.weight[a] > t.weight[b] || t.weight[a] == t.weight[b] && a < b {
		return a
	}
	return b
}

// best is the winner of a span that is not empty.
func (t tournament) best(s span) uint32 {
	winner := uint32(s.from)
	for from, to := s.from+t.size, s.to+t.size; from < to; from, to = from/2, to/2 {
		if from&1 == 1 {
			winner = t.better(winner, t.winner[from])
			from++
		}
		if to&1 == 1 {
			to--
			winner = t.better(winner, t.winner[to])
		}
	}
	return winner
}

// contest holds spans, that of the weightiest winner on top.
type contest struct {
	part  *part
	spans []span
	wins  []uint32 // of each span
}

func newContest(p *part, spans ...span) *contest {
	c := &contest{part: p}
	for _, s := range spans {
		c.add(s)
	}
	return c
}

func (c *contest) add(s span) {
	if !s.empty() {
		heap.Push(c, s)
	}
}

// next takes the weightiest word that is left.
func (c *contest) next() (w word, weight uint32, ok bool) {
	if len(c.spans) == 0 {
		return word{}, 0, false
	}
	s, winner := c.spans[0], c.wins[0]
	heap.Pop(c)
	c.add(span{s.from, int(winner)})
	c.add(span{int(winner) + 1, s.to})
	return c.part.words[winner], c.part.best.weight[winner], true
}

func (c *contest) Len() int { return len(c.spans) }

func (c *contest) Less(i, j int) bool {
	return c.part.best.better(c.wins[i], c.wins[j]) == c.wins[i]
}

func (c *contest) Swap(i, j int) {
	c.spans[i], c.spans[j] = c.spans[j], c.spans[i]
	c.wins[i], c.wins[j] = c.wins[j], c.wins[i]
}

func (c *contest) Push(s any) {
	c.spans = append(c.spans, s.(span))
	c.wins = append(c.wins, c.part.best.best(s.(span)))
}

func (c *contest) Pop() any {
	last := len(c.spans) - 1
	s := c.spans[last]
	c.spans, c.wins = c.spans[:last], c.wins[:last]
	return s
}
