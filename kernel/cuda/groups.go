package cuda

import (
	"cmp"
	"slices"
)

// A group's segments and their runs are limited by a block's threads and shared memory: of long segments a warp each and a run
// by strand (message_sum.cu), of short ones eight lanes each and a run whatever the strands (message_short.cu).
const (
	longGroup, longRuns   = 8, 160
	shortGroup, shortRuns = 32, 128
	shortEdges            = 16
)

// groups are the edges as they were sent, for sums of width 64: a block takes the segments of a group, whose runs
// of one relation it adds up before they leave for memory. Of FB15k-237 that leaves 51 thousand rows of 177.
type groups struct {
	list  address // {first segment, segments, first slot, slots}
	slots address // of every group, in order of relation: {first run, behind the last, row, 0}
	long  int     // groups of long segments, which come first
	count int
	rows  runs // what is left, a row a slot, numbered by relation
}

// grouping is groups on the host.
type grouping struct {
	list, slots []quad
	long        int
	edges       [][2]int32 // {tail, relation·256 + run of the group}, and some more
}

// group cuts the segments of a side into groups.
func (s *segments) group() *grouping {
	g := &grouping{edges: make([][2]int32, len(s.edges))}
	for i, e := range s.edges {
		g.edges[i] = [2]int32{e[0], e[1] << 8}
	}
	g.cut(s, 0, s.long, longGroup, longRuns)
	g.long = len(g.list)
	g.cut(s, s.long, len(s.list), shortGroup, shortRuns)
	return g
}

// cut makes groups of the segments from first on, each of so many at most with so many runs.
func (g *grouping) cut(s *segments, first, end, most, mostRuns int) {
	for first < end {
		next, count := first, 0
		for next < end && next-first < most {
			own := len(s.runsOf(next, nil))
			if count+own > mostRuns {
				break
			}
			next, count = next+1, count+own
		}
		g.add(s, first, next)
		first = next
	}
}

// run is some edges of one relation in a strand, from first on.
type run struct{ relation, first, edges int32 }

// runsOf appends the runs of a segment: those of its strands, which in a short one count as one.
func (s *segments) runsOf(segment int, list []run) []run {
	parts := s.strands[segment*strands : (segment+1)*strands]
	if segment >= s.long {
		parts = [][2]int32{{parts[0][0], parts[0][1] + parts[1][1] + parts[2][1] + parts[3][1]}}
	}
	for _, strand := range parts {
		for i, end := strand[0], strand[0]+strand[1]; i < end; i++ {
			if r := s.edges[i][1]; i > strand[0] && r == s.edges[i-1][1] {
				list[len(list)-1].edges++
			} else {
				list = append(list, run{r, i, 1})
			}
		}
	}
	return list
}

// add makes a group of segments: its runs are numbered by relation, so that those of a slot are neighbours.
func (g *grouping) add(s *segments, first, next int) {
	var list []run
	for segment := first; segment < next; segment++ {
		list = s.runsOf(segment, list)
	}
	slices.SortStableFunc(list, func(a, b run) int { return cmp.Compare(a.relation, b.relation) })
	firstSlot := len(g.slots)
	for number, r := range list {
		for i := range r.edges {
			g.edges[r.first+i][1] |= int32(number)
		}
		if number == 0 || list[number-1].relation != r.relation {
			g.slots = append(g.slots, quad{int32(number), 0, r.relation, 0})
		}
		g.slots[len(g.slots)-1][1] = int32(number) + 1
	}
	g.list = append(g.list, quad{int32(first), int32(next - first), int32(firstSlot), int32(len(g.slots) - firstSlot)})
}

// numberSlots puts the row of every slot in the place of its relation, and returns where each relation's rows begin (R+1).
func (g *grouping) numberSlots(relations int) []int32 {
	first := make([]int32, relations+1)
	for _, slot := range g.slots {
		first[slot[2]+1]++
	}
	for r := range relations {
		first[r+1] += first[r]
	}
	next := slices.Clone(first)
	for i, slot := range g.slots {
		g.slots[i][2] = next[slot[2]]
		next[slot[2]]++
	}
	return first
}

// groups puts the groups of Out on the device: the edges are the graph's own, all else is its shape's.
func (f *frame) groups(g *graph, out *segments) {
	want(g.relations < 1<<23, "relations", g.relations, 1<<23)
	on := out.group()
	first := on.numberSlots(g.relations)
	g.shape.groups = groups{list: keep(f, &g.shape.owned, on.list), slots: keep(f, &g.shape.owned, on.slots), long: on.long, count: len(on.list), rows: f.runs(g.shape, first)}
	g.sentEdges = keep(f, &g.owned, on.edges)
}

func (g groups) record(edges address) record {
	return record{g.list, g.slots, edges, int32(g.count), int32(g.rows.count)}
}
