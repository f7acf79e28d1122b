package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// coefficients is the number of values per column that a row's edges need to make the
// gradient of a message: PNA a, b, max, dmax, min, dmin; Max max, dmax; Sum its share.
func coefficients(aggregate string) int {
	return map[string]int{"PNA": 6, "Max": 2, "Sum": 1}[aggregate]
}

// scattering is one scatter kernel: the gradient of the statistics of rows goes along
// their edges to the heads and the relations.
type scattering struct {
	block
	message, aggregate string
	coef               Register // of the row; vector j holds its k-th at (j·n + k) vectors
	smooth             [][]VecVirtual
	extreme            [][]VecVirtual // AVX-512 only: AVX2 has too few registers
}

func scatterKernels(set vectors, vecs int) {
	for _, message := range messages {
		for _, aggregate := range aggregates {
			if message == "RotatE" && vecs == 1 {
				continue
			}
			s := &scattering{block: block{set: set, vecs: vecs}, message: message, aggregate: aggregate}
			s.emit()
		}
	}
}

func (s *scattering) emit() {
	function(s.set, fmt.Sprintf("scatter%s%s%d", s.aggregate, s.message, s.vecs*s.set.lanes),
		"(dhidden, drelations, hidden, relations []float32, edges [][2]int32, counts []int32, coef []float32, width int)",
		"adds the gradient along the edges of rows to heads and relations.")
	dhidden, drelations := base("dhidden"), base("drelations")
	hidden, relations, edges := base("hidden"), base("relations"), base("edges")
	counts, rows, width := base("counts"), length("counts"), stride("width")
	s.coef = base("coef")
	if s.message == "RotatE" {
		s.half = copyOf(width)
		SHRQ(Imm(1), s.half)
	}
	loop("row", rows, 1, func() {
		left := GP64()
		MOVLQSX(Mem{Base: counts}, left)
		ADDQ(Imm(4), counts)
		s.load()
		loop("edge", left, 1, func() {
			s.prefetch(Mem{Base: edges}, width, hidden, dhidden)
			head, relation := edgeOffsets(Mem{Base: edges}, width)
			ADDQ(Imm(8), edges)
			dhead, drelation := copyOf(head), copyOf(relation)
			ADDQ(hidden, head)
			ADDQ(dhidden, dhead)
			ADDQ(relations, relation)
			ADDQ(drelations, drelation)
			m := s.block.message(s.message, Mem{Base: head}, relation)
			dm := s.gradient(m)
			s.pass(dm, dhead, drelation, head, relation)
		})
		s.nextRow(width)
	})
	finish()
}

// at is coefficient k of vector j in memory.
func (s *scattering) at(j, k int) Mem {
	return Mem{Base: s.coef, Disp: (j*coefficients(s.aggregate) + k) * s.set.bytes()}
}

func (s *scattering) nextRow(width Register) {
	switch coefficients(s.aggregate) {
	case 6:
		LEAQ(Mem{Base: s.coef, Index: width, Scale: 4}, s.coef)
		LEAQ(Mem{Base: s.coef, Index: width, Scale: 2}, s.coef)
	case 2:
		LEAQ(Mem{Base: s.coef, Index: width, Scale: 2}, s.coef)
	case 1:
		ADDQ(width, s.coef)
	}
}

// load brings the coefficients of a row into registers, as many as fit.
func (s *scattering) load() {
	first := map[string]int{"PNA": 2, "Max": 0, "Sum": 1}[s.aggregate]
	s.smooth, s.extreme = make([][]VecVirtual, s.vecs), make([][]VecVirtual, s.vecs)
	for j := range s.vecs {
		for k := range coefficients(s.aggregate) {
			if k >= first && s.set.lanes == 8 {
				break
			}
			v := s.set.reg()
			VMOVUPS(s.at(j, k), v)
			if k < first {
				s.smooth[j] = append(s.smooth[j], v)
			} else {
				s.extreme[j] = append(s.extreme[j], v)
			}
		}
	}
}

// gradient makes dm of every vector of messages:
//
//	PNA  dm = a + b·m + [m = max] dmax + [m = min] dmin
//	Max  dm = [m = max] dmax
//	Sum  dm = the row's share
func (s *scattering) gradient(m []VecVirtual) []VecVirtual {
	if s.aggregate == "Sum" {
		return []VecVirtual{s.smooth[0][0], s.smooth[s.vecs-1][0]}[:s.vecs]
	}
	dm := s.set.regs(s.vecs)
	for j := range m {
		if s.aggregate == "Max" {
			s.set.zero(dm[j])
			s.ifEqual(dm[j], m[j], j, 0)
			continue
		}
		VMOVAPS(s.smooth[j][0], dm[j])
		VFMADD231PS(s.smooth[j][1], m[j], dm[j])
		s.ifEqual(dm[j], m[j], j, 2)
		s.ifEqual(dm[j], m[j], j, 4)
	}
	return dm
}

// ifEqual adds coefficient k+1 where the message equals coefficient k, an extreme: all of
// it to every message that is tied.
func (s *scattering) ifEqual(dm, m VecVirtual, j, k int) {
	if s.set.lanes == 16 {
		first := coefficients(s.aggregate) - len(s.extreme[j])
		equal := K()
		VCMPPS(Imm(0), s.extreme[j][k-first], m, equal)
		VADDPS(s.extreme[j][k-first+1], dm, equal, dm)
		return
	}
	equal := s.set.reg()
	VCMPPS(Imm(0), s.at(j, k), m, equal)
	VANDPS(s.at(j, k+1), equal, equal)
	VADDPS(equal, dm, dm)
}

// pass takes dm back through the message.
func (s *scattering) pass(dm []VecVirtual, dhead, drelation, head, relation Register) {
	if s.message == "RotatE" {
		s.passConjugate(dm, dhead, relation)
		s.passConjugate(dm, drelation, head)
		return
	}
	for j := range dm {
		for _, side := range [][2]Register{{dhead, relation}, {drelation, head}} {
			sum := s.set.reg()
			VMOVUPS(s.column(side[0], j), sum)
			if s.message == "TransE" {
				VADDPS(dm[j], sum, sum)
			} else {
				VFMADD231PS(s.column(side[1], j), dm[j], sum)
			}
			VMOVUPS(sum, s.column(side[0], j))
		}
	}
}

// passConjugate adds dm times the conjugate of the other factor of a complex product.
func (s *scattering) passConjugate(dm []VecVirtual, dself, other Register) {
	re, im := s.set.reg(), s.set.reg()
	VMOVUPS(s.column(dself, 0), re)
	VFMADD231PS(s.column(other, 0), dm[0], re)
	VFMADD231PS(s.column(other, 1), dm[1], re)
	VMOVUPS(re, s.column(dself, 0))
	VMOVUPS(s.column(dself, 1), im)
	VFMADD231PS(s.column(other, 0), dm[1], im)
	VFNMADD231PS(s.column(other, 1), dm[0], im)
	VMOVUPS(im, s.column(dself, 1))
}
