package plain

import "github.com/lacuna-kg/lacuna/kernel"

// message writes the message of a head in state h along a relation rel to m, all (D).
//
// The conversions F(a*b) forbid the compiler to fuse a product into the sum around it:
// backward finds the messages that reached a maximum by comparing bits, so it must
// recompute exactly what forward computed, on every architecture.
func message[F Float](kind kernel.Message, m, h, rel []F) {
	switch kind {
	case kernel.DistMult:
		for i := range m {
			m[i] = h[i] * rel[i]
		}
	case kernel.TransE:
		for i := range m {
			m[i] = h[i] + rel[i]
		}
	case kernel.Sub:
		for i := range m {
			m[i] = h[i] - rel[i]
		}
	case kernel.RotatE:
		rotate(m, h, rel)
	case kernel.Corr:
		correlate(m, h, rel)
	}
}

// messageBackward adds to dh and drel.
func messageBackward[F Float](kind kernel.Message, dh, drel, dm, h, rel []F) {
	switch kind {
	case kernel.DistMult:
		for i, d := range dm {
			dh[i] += F(d * rel[i])
			drel[i] += F(d * h[i])
		}
	case kernel.TransE:
		addTo(dh, dm)
		addTo(drel, dm)
	case kernel.Sub:
		addTo(dh, dm)
		addScaled(drel, -1, dm)
	case kernel.RotatE:
		rotateBackward(dh, drel, dm, h, rel)
	case kernel.Corr:
		correlateBackward(dh, drel, dm, h, rel)
	}
}

// rotate is the complex product of h and rel.
func rotate[F Float](m, h, rel []F) {
	n := len(m) / 2
	for i := range n {
		hr, hi, rr, ri := h[i], h[n+i], rel[i], rel[n+i]
		m[i] = F(hr*rr) - F(hi*ri)
		m[n+i] = F(hr*ri) + F(hi*rr)
	}
}

// rotateBackward multiplies by the conjugate.
func rotateBackward[F Float](dh, drel, dm, h, rel []F) {
	n := len(dm) / 2
	for i := range n {
		hr, hi, rr, ri := h[i], h[n+i], rel[i], rel[n+i]
		dr, di := dm[i], dm[n+i]
		dh[i] += F(dr*rr) + F(di*ri)
		dh[n+i] += F(di*rr) - F(dr*ri)
		drel[i] += F(dr*hr) + F(di*hi)
		drel[n+i] += F(di*hr) - F(dr*hi)
	}
}

// correlate is irfft(conj(rfft(h)) · rfft(rel)), written out: m_k = Σ_i h_i · rel_{(i+k) mod D}.
func correlate[F Float](m, h, rel []F) {
	n := len(m)
	for k := range m {
		m[k] = dot(h[:n-k], rel[k:]) + dot(h[n-k:], rel[:k])
	}
}

func correlateBackward[F Float](dh, drel, dm, h, rel []F) {
	n := len(dm)
	for k, d := range dm {
		addScaled(dh[:n-k], d, rel[k:])
		addScaled(dh[n-k:], d, rel[:k])
		addScaled(drel[k:], d, h[:n-k])
		addScaled(drel[:k], d, h[n-k:])
	}
}
