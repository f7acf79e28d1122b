package cpu

import "github.com/lacuna-kg/lacuna/kernel"

// plainAccumulate adds the messages of rows of equal degree to their statistics, for
// a span of columns. Conversions keep products from being fused: see kernel's message.
func plainAccumulate(aggregate int, message kernel.Message, columns int) accumulateFunc {
	return func(acc, hidden, relations []float32, edges [][2]int32, rows, degree, accRow, width int) {
		m := make([]float32, messageWidth(message, columns))
		for r := range rows {
			for _, e := range edges[r*degree : (r+1)*degree] {
				plainMessage(message, m, hidden[int(e[0])*width:], relations[int(e[1])*width:], columns, width)
				for half := 0; half < len(m); half += columns {
					plainTake(aggregate, acc[r*accRow+half/columns*(width/2):], m[half:half+columns], width)
				}
			}
		}
	}
}

// messageWidth is the number of values a span has: RotatE's in both halves.
func messageWidth(message kernel.Message, columns int) int {
	if message == kernel.RotatE {
		return 2 * columns
	}
	return columns
}

func plainMessage(message kernel.Message, m, h, rel []float32, columns, width int) {
	switch message {
	case kernel.DistMult:
		h, rel = h[:len(m)], rel[:len(m)]
		for i := range m {
			m[i] = h[i] * rel[i]
		}
	case kernel.TransE:
		h, rel = h[:len(m)], rel[:len(m)]
		for i := range m {
			m[i] = h[i] + rel[i]
		}
	case kernel.RotatE:
		n := width / 2
		for i := range columns {
			m[i] = float32(h[i]*rel[i]) - float32(h[n+i]*rel[n+i])
			m[columns+i] = float32(h[i]*rel[n+i]) + float32(h[n+i]*rel[i])
		}
	}
}

func plainTake(aggregate int, acc, m []float32, width int) {
	switch aggregate {
	case sum:
		plainAddScaled(acc[:len(m)], m, 1)
	case maximum:
		plainHighest(acc[:len(m)], m)
	case pna:
		plainHighest(acc[width:][:len(m)], m)
		plainLowest(acc[2*width:][:len(m)], m)
		mean, square := acc[:len(m)], acc[3*width:][:len(m)]
		for i, x := range m {
			mean[i] += x
			square[i] += float32(x * x)
		}
	}
}

// plainHighest keeps the higher values. Comparing is faster than max, which minds NaN:
// here the mean carries it.
func plainHighest(high, m []float32) {
	high = high[:len(m)]
	for i, x := range m {
		if x > high[i] {
			high[i] = x
		}
	}
}

func plainLowest(low, m []float32) {
	low = low[:len(m)]
	for i, x := range m {
		if x < low[i] {
			low[i] = x
		}
	}
}

// plainScatter adds the gradient along the edges of rows to heads and relations. The
// coefficients of a span lie together: of all its columns the first, then the second.
func plainScatter(aggregate int, message kernel.Message, columns int) scatterFunc {
	n := coefficientsOf(aggregate)
	return func(dhidden, drelations, hidden, relations []float32, edges [][2]int32, counts []int32, coef []float32, width int) {
		m := make([]float32, messageWidth(message, columns))
		for row, count := range counts {
			c := coef[row*n*width:]
			for _, e := range edges[:count] {
				head, relation := int(e[0])*width, int(e[1])*width
				plainMessage(message, m, hidden[head:], relations[relation:], columns, width)
				for half := 0; half < len(m); half += columns {
					plainGradient(aggregate, m[half:half+columns], c[half*n:])
				}
				plainPass(message, dhidden[head:], drelations[relation:], m, hidden[head:], relations[relation:], width)
			}
			edges = edges[count:]
		}
	}
}

// plainGradient turns messages into their gradients.
func plainGradient(aggregate int, m, coef []float32) {
	n := len(m)
	for i, x := range m {
		switch aggregate {
		case sum:
			m[i] = coef[i]
		case maximum:
			m[i] = ifEqual(x, coef[i], coef[n+i])
		case pna:
			m[i] = coef[i] + float32(coef[n+i]*x) + ifEqual(x, coef[2*n+i], coef[3*n+i]) + ifEqual(x, coef[4*n+i], coef[5*n+i])
		}
	}
}

// ifEqual is d where a message reached the extreme, else 0.
func ifEqual(x, extreme, d float32) float32 {
	if x == extreme {
		return d
	}
	return 0
}

// plainPass takes the gradient dm back through the message.
func plainPass(message kernel.Message, dh, drel, dm, h, rel []float32, width int) {
	switch message {
	case kernel.DistMult:
		for i, d := range dm {
			dh[i] += float32(d * rel[i])
			drel[i] += float32(d * h[i])
		}
	case kernel.TransE:
		for i, d := range dm {
			dh[i] += d
			drel[i] += d
		}
	case kernel.RotatE:
		n, columns := width/2, len(dm)/2
		for i := range columns {
			re, im := dm[i], dm[columns+i]
			dh[i] += float32(re*rel[i]) + float32(im*rel[n+i])
			dh[n+i] += float32(im*rel[i]) - float32(re*rel[n+i])
			drel[i] += float32(re*h[i]) + float32(im*h[n+i])
			drel[n+i] += float32(im*h[i]) - float32(re*h[n+i])
		}
	}
}
