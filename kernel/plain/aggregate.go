package plain

import (
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
)

// stdFloor bounds the variance from below under PNA's square root.
const stdFloor = 1e-6

// sample is one sample of a layer's input, opened: everything aggregation reads.
type sample[F Float] struct {
	l           kernel.Layer
	g           graph[F]
	hidden      []F // (V,D)
	set         []F // (V)
	query       []F // (D)
	relations   []F // (R,W)
	message, dm []F // (D) scratch
}

// sampleGradient mirrors sample: where aggregation's gradient is added.
type sampleGradient[F Float] struct {
	hidden    []F // (V,D)
	query     []F // (D)
	relations []F // (R,W)
}

// head and relation of an edge of In, as vectors.
func (s *sample[F]) head(edge int32) []F { return row(s.hidden, int(s.g.In.Node[edge]), s.l.Width) }
func (s *sample[F]) relation(edge int32) []F {
	return row(s.relations, int(s.g.In.Relation[edge]), s.l.RelationWidth())
}

// edges is the range of v's incoming edges.
func (s *sample[F]) edges(v int) (from, to int32) { return s.g.In.At[v], s.g.In.At[v+1] }

// boundary writes the boundary message of v to s.message.
func (s *sample[F]) boundary(v int) []F {
	for i, q := range s.query {
		s.message[i] = s.set[v] * q
	}
	return s.message
}

// along writes the message of an edge to s.message.
func (s *sample[F]) along(edge int32) []F {
	message(s.l.Message, s.message, s.head(edge), s.relation(edge))
	return s.message
}

// aggregate writes the statistics (S,D) of node v.
func (s *sample[F]) aggregate(stats []F, v int) {
	switch s.l.Aggregate {
	case kernel.Sum, kernel.Mean:
		s.sum(stats, v)
	case kernel.Max:
		s.max(stats, v)
	case kernel.PNA:
		s.pna(stats, v)
	case kernel.Directed:
		s.directed(stats, v)
	case kernel.Bases:
		s.bases(stats, v)
	}
}

// aggregateBackward adds the gradient of node v's statistics to what its messages were made of.
func (s *sample[F]) aggregateBackward(d sampleGradient[F], dstats, stats []F, v int) {
	switch s.l.Aggregate {
	case kernel.Directed:
		s.directedBackward(d, dstats, v)
	case kernel.Bases:
		s.basesBackward(d, dstats, v)
	default:
		s.eachMessage(d, v, s.messageGradient(dstats, stats, v))
	}
}

// messageGradient gives the function that writes dm, the gradient of a message m that v
// received: the boundary's or that of any edge.
func (s *sample[F]) messageGradient(dstats, stats []F, v int) func(dm, m []F) {
	switch s.l.Aggregate {
	case kernel.Max:
		return s.maxBackward(dstats, stats)
	case kernel.PNA:
		return s.pnaBackward(dstats, stats, v)
	}
	return s.sumBackward(dstats, v)
}

// share is what one message weighs in a sum or a mean over the messages of v.
func (s *sample[F]) share(v int) F {
	if s.l.Aggregate == kernel.Sum {
		return 1
	}
	return 1 / F(s.g.In.Degree(v)+1)
}

func (s *sample[F]) sum(stats []F, v int) {
	copy(stats, s.boundary(v))
	from, to := s.edges(v)
	for e := from; e < to; e++ {
		addTo(stats, s.along(e))
	}
	share := s.share(v)
	for i := range stats {
		stats[i] *= share
	}
}

func (s *sample[F]) sumBackward(dstats []F, v int) func(dm, m []F) {
	share := s.share(v)
	return func(dm, _ []F) {
		for i := range dm {
			dm[i] = share * dstats[i]
		}
	}
}

func (s *sample[F]) max(stats []F, v int) {
	copy(stats, s.boundary(v))
	from, to := s.edges(v)
	for e := from; e < to; e++ {
		for i, m := range s.along(e) {
			stats[i] = max(stats[i], m)
		}
	}
}

func (s *sample[F]) maxBackward(dstats, stats []F) func(dm, m []F) {
	return func(dm, m []F) {
		for i := range dm {
			dm[i] = ifEqual(m[i], stats[i], dstats[i])
		}
	}
}

// ifEqual passes the gradient of an extreme to a message that reached it: all of it,
// however many messages are tied.
func ifEqual[F Float](m, extreme, d F) F {
	if m == extreme {
		return d
	}
	return 0
}

// pna writes mean, max, min and std, each (D).
func (s *sample[F]) pna(stats []F, v int) {
	n := s.l.Width
	mean, high, low, square := stats[:n], stats[n:2*n], stats[2*n:3*n], stats[3*n:]
	for i, m := range s.boundary(v) {
		mean[i], high[i], low[i], square[i] = m, m, m, m*m
	}
	from, to := s.edges(v)
	for e := from; e < to; e++ {
		for i, m := range s.along(e) {
			mean[i] += m
			square[i] += F(m * m)
			high[i] = max(high[i], m)
			low[i] = min(low[i], m)
		}
	}
	share := 1 / F(s.g.In.Degree(v)+1)
	for i := range mean {
		mean[i] *= share
		square[i] = std(F(square[i]*share), mean[i])
	}
}

func std[F Float](meanSquare, mean F) F {
	return F(math.Sqrt(float64(max(meanSquare-F(mean*mean), F(stdFloor)))))
}

// pnaBackward: with n = deg_v and σ the std, the message m has
//
//	dm = dmean/n + [m = max] dmax + [m = min] dmin + dσ·(m − mean)/(n·σ)
//
// and the last term only where the floor under the root did not act.
func (s *sample[F]) pnaBackward(dstats, stats []F, v int) func(dm, m []F) {
	n := s.l.Width
	share := 1 / F(s.g.In.Degree(v)+1)
	mean, high, low, sigma := stats[:n], stats[n:2*n], stats[2*n:3*n], stats[3*n:]
	dmean, dhigh, dlow, dsigma := dstats[:n], dstats[n:2*n], dstats[2*n:3*n], dstats[3*n:]
	floor := F(math.Sqrt(float64(F(stdFloor))))
	return func(dm, m []F) {
		for i := range dm {
			dm[i] = F(share*dmean[i]) + ifEqual(m[i], high[i], dhigh[i]) + ifEqual(m[i], low[i], dlow[i])
			if sigma[i] > floor {
				dm[i] += share * dsigma[i] * (m[i] - mean[i]) / sigma[i]
			}
		}
	}
}

// eachMessage recomputes every message m of v, the boundary first, has gradient write
// its dm, and passes that on to the query, the heads and the relations.
func (s *sample[F]) eachMessage(d sampleGradient[F], v int, gradient func(dm, m []F)) {
	dm := s.dm
	gradient(dm, s.boundary(v))
	addScaled(d.query, s.set[v], dm)
	from, to := s.edges(v)
	for e := from; e < to; e++ {
		gradient(dm, s.along(e))
		dhead := row(d.hidden, int(s.g.In.Node[e]), s.l.Width)
		drel := row(d.relations, int(s.g.In.Relation[e]), s.l.Width)
		messageBackward(s.l.Message, dhead, drel, dm, s.head(e), s.relation(e))
	}
}
