package cuda

import "testing"

// Every edge is in the group of its segment; edges share a run exactly where they share relation and strand; and the runs of a
// slot are those of its relation.
func TestGroups(t *testing.T) {
	g := randomGraph(t, 300, 40, 6000, 900)
	s := cut(g.Out)
	on := s.group()
	relationOf := make([]int32, len(on.slots))
	for i, slot := range on.slots {
		relationOf[i] = slot[2]
	}
	first := on.numberSlots(g.Relations)
	rows, next := map[int32]bool{}, int32(0)
	for _, group := range on.list {
		if group[0] != next || group[1] < 1 || group[1] > shortGroup {
			t.Fatalf("group %v follows segment %d", group, next)
		}
		next += group[1]
		type place struct{ strand, relation int32 }
		runs := map[int32]place{}
		for strand := group[0] * strands; strand < next*strands; strand++ {
			of := s.strands[strand]
			for i := of[0]; i < of[0]+of[1]; i++ {
				e, run := on.edges[i], on.edges[i][1]&255
				if e[0] != s.edges[i][0] || e[1]>>8 != s.edges[i][1] {
					t.Fatalf("edge %d is %v, expected %v", i, e, s.edges[i])
				}
				here := place{strand, e[1] >> 8}
				if group[0] >= int32(s.long) {
					here.strand = strand / strands
				}
				if there, taken := runs[run]; taken && there != here {
					t.Fatalf("run %d is in %v and %v", run, there, here)
				}
				runs[run] = here
			}
		}
		if len(runs) > longRuns {
			t.Fatalf("%d runs in a group", len(runs))
		}
		end := int32(0)
		for i := group[2]; i < group[2]+group[3]; i++ {
			slot, r := on.slots[i], relationOf[i]
			if slot[0] != end || slot[2] < first[r] || slot[2] >= first[r+1] || rows[slot[2]] {
				t.Fatalf("slot %v of relation %d, rows %d to %d, after run %d", slot, r, first[r], first[r+1], end)
			}
			rows[slot[2]] = true
			for end = slot[0]; end < slot[1]; end++ {
				if runs[end].relation != r {
					t.Fatalf("run %d of relation %d is in slot %v of %d", end, runs[end].relation, slot, r)
				}
			}
		}
		if int(end) != len(runs) {
			t.Fatalf("slots end at %d of %d runs", end, len(runs))
		}
	}
	if int(next) != len(s.list) || len(rows) != int(first[g.Relations]) {
		t.Errorf("%d of %d segments, %d of %d rows", next, len(s.list), len(rows), first[g.Relations])
	}
}
