package plain

import "math"

// The aggregations of the paper's ablation: CompGCN's directed sums and RGCN's bases.
// In both the boundary enters only as the first state.

// norm is CompGCN's edge weight, 2/√(outdeg(u)·indeg(v)); both degrees count the edge itself.
func (s *sample[F]) norm(edge int32, v int) F {
	u := int(s.g.In.Node[edge])
	return 2 / F(math.Sqrt(float64(s.g.Out.Degree(u))*float64(s.g.In.Degree(v))))
}

// side is the half of stats that an edge adds to: stated edges first, inverse ones second.
func (s *sample[F]) side(stats []F, edge int32) []F {
	if s.g.Inverse[s.g.In.Relation[edge]] {
		return stats[s.l.Width:]
	}
	return stats[:s.l.Width]
}

func (s *sample[F]) directed(stats []F, v int) {
	clear(stats)
	from, to := s.edges(v)
	for e := from; e < to; e++ {
		addScaled(s.side(stats, e), s.norm(e, v), s.along(e))
	}
}

func (s *sample[F]) directedBackward(d sampleGradient[F], dstats []F, v int) {
	n := s.l.Width
	from, to := s.edges(v)
	for e := from; e < to; e++ {
		weight := s.norm(e, v)
		for i, x := range s.side(dstats, e) {
			s.dm[i] = weight * x
		}
		dhead := row(d.hidden, int(s.g.In.Node[e]), n)
		drel := row(d.relations, int(s.g.In.Relation[e]), n)
		messageBackward(s.l.Message, dhead, drel, s.dm, s.head(e), s.relation(e))
	}
}

// bases writes, for every basis k, the mean over incoming edges of coefficient_{r,k} · h_u.
func (s *sample[F]) bases(stats []F, v int) {
	clear(stats)
	from, to := s.edges(v)
	for e := from; e < to; e++ {
		for k, c := range s.relation(e) {
			addScaled(row(stats, k, s.l.Width), c/F(to-from), s.head(e))
		}
	}
}

func (s *sample[F]) basesBackward(d sampleGradient[F], dstats []F, v int) {
	n := s.l.Width
	from, to := s.edges(v)
	share := 1 / F(max(to-from, 1))
	for e := from; e < to; e++ {
		h := s.head(e)
		dhead := row(d.hidden, int(s.g.In.Node[e]), n)
		dcoefficient := row(d.relations, int(s.g.In.Relation[e]), s.l.Bases)
		for k, c := range s.relation(e) {
			dbasis := row(dstats, k, n)
			addScaled(dhead, c*share, dbasis)
			dcoefficient[k] += share * dot(dbasis, h)
		}
	}
}
