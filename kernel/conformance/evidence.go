package conformance

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// evidenceCases read rows the way links are made of them, at sizes around the segments of a GPU.
func evidenceCases() []Case {
	var cases []Case
	for _, nodes := range []int{1, 7, 255, 256, 257, 1000, 4096, 4097, 9000} {
		cases = append(cases, Case{fmt.Sprintf("evidence/nodes=%d", nodes), func(s *stage) { playEvidence(s, nodes) }})
	}
	return cases
}

// playEvidence has rows of which nothing, some and all is listed, values that equal a bound, and bounds that nothing and everything exceeds.
func playEvidence(s *stage, nodes int) {
	const rows = 5
	sets := s.output("odds", rows*nodes)
	values := s.random(rows*nodes, 0, 1)
	for i := range values {
		switch {
		case i%11 == 3:
			values[i] = float32(i%3) / 2 // 0, one half and 1
		case i/nodes == 3:
			values[i] *= 1e-3
		}
	}
	s.Upload(sets, values)
	all := make([]int32, nodes)
	for v := range all {
		all[v] = int32(v)
	}
	listed := kernel.NewLists([][]int32{{}, {int32(nodes - 1)}, all, all[:nodes/2], all[nodes/3 : nodes-nodes/3]})
	for _, e := range s.Observe(sets, listed) {
		s.note("evidence", float32(e.Sum), e.Top)
	}
	for _, bounds := range [][]float32{{1, 1, 1, 1e-4, 1}, {0, 3, 0, 5e-4, 1e12}, {1e12, 1e12, 1e12, 1e12, 1e12}} {
		noteAbove(s, sets, bounds)
	}
}

func noteAbove(s *stage, sets kernel.Buffer, bounds []float32) {
	list, found := s.Above(sets, bounds)
	var counts, gaps []float32 // of small numbers a relative norm shows it if one is off by 1
	for b := range bounds {
		counts = append(counts, float32(len(list.Row(b))))
	}
	for i, v := range list.Items {
		if i > 0 {
			v -= list.Items[i-1]
		}
		gaps = append(gaps, float32(v))
	}
	s.note("counts", counts...)
	s.note("entities", gaps...)
	s.note("values", found...)
}
