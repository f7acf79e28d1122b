package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// vectors is an instruction set: its name in function names and the floats of a register.
type vectors struct {
	name  string
	lanes int
}

var (
	avx512 = vectors{"AVX512", 16}
	avx2   = vectors{"AVX2", 8}
)

func (s vectors) bytes() int { return 4 * s.lanes }

// reg is a fresh vector register.
func (s vectors) reg() VecVirtual {
	if s.lanes == 16 {
		return ZMM()
	}
	return YMM()
}

func (s vectors) regs(n int) []VecVirtual {
	list := make([]VecVirtual, n)
	for i := range list {
		list[i] = s.reg()
	}
	return list
}

// zero clears a register.
func (s vectors) zero(v VecVirtual) {
	if s.lanes == 16 {
		VPXORD(v, v, v)
		return
	}
	VXORPS(v, v, v)
}

// sum adds up the lanes of v, which is lost, and leaves the total in every lane of it.
func (s vectors) sum(v VecVirtual) {
	y := v
	if s.lanes == 16 {
		high := YMM()
		VEXTRACTF64X4(Imm(1), v, high)
		VADDPS(high, v.AsY(), high)
		y = high
	}
	x, t := XMM(), XMM()
	VEXTRACTF128(Imm(1), y.AsY(), x)
	VADDPS(y.AsX(), x, x)
	VPERMILPS(Imm(0x4e), x, t)
	VADDPS(t, x, x)
	VPERMILPS(Imm(0xb1), x, t)
	VADDPS(t, x, x)
	VBROADCASTSS(x, v)
}

// zeros are cleared registers.
func (s vectors) zeros(n int) []VecVirtual {
	list := s.regs(n)
	for _, v := range list {
		s.zero(v)
	}
	return list
}

// sumFour adds up the lanes of each of four registers, or four times of one, and leaves the totals side by side.
func (s vectors) sumFour(list []VecVirtual) VecVirtual {
	last := len(list) - 1
	left := s.sumPairs(list[0], list[min(1, last)], VUNPCKLPS, VUNPCKHPS)
	right := s.sumPairs(list[min(2, last)], list[min(3, last)], VUNPCKLPS, VUNPCKHPS)
	four := s.sumPairs(left, right, VUNPCKLPD, VUNPCKHPD)
	if s.lanes == 16 {
		high := YMM()
		VEXTRACTF64X4(Imm(1), four, high)
		VADDPS(high, four.AsY(), high)
		four = high
	}
	x := XMM()
	VEXTRACTF128(Imm(1), four.AsY(), x)
	VADDPS(four.AsX(), x, x)
	return x
}

// sumPairs interleaves two registers and adds up the halves.
func (s vectors) sumPairs(a, b VecVirtual, low, high func(...Op)) VecVirtual {
	l, h := s.reg(), s.reg()
	low(b, a, l)
	high(b, a, h)
	VADDPS(h, l, l)
	return l
}

// broadcast fills a register with a float parameter.
func (s vectors) broadcast(param string) VecVirtual {
	v := s.reg()
	address, err := Param(param).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(address.Addr, v)
	return v
}

// constant fills a register with a number.
func (s vectors) constant(name string, value float32) VecVirtual {
	v := s.reg()
	VBROADCASTSS(constants(name, value), v)
	return v
}

// constants are emitted once each and shared by all kernels.
var emitted = map[string]Mem{}

func constants(name string, value float32) Mem {
	if _, there := emitted[name]; !there {
		// As bits: avo prints a float without a fraction as an integer.
		emitted[name] = ConstData(name, U32(math.Float32bits(value)))
	}
	return emitted[name]
}

// base loads the address of a slice.
func base(param string) Register { return Load(Param(param).Base(), GP64()) }

// length loads the length of a slice.
func length(param string) Register { return Load(Param(param).Len(), GP64()) }

// number loads an int.
func number(param string) Register { return Load(Param(param), GP64()) }

// stride loads an int that counts floats as bytes.
func stride(param string) Register {
	r := number(param)
	SHLQ(Imm(2), r)
	return r
}

// copyOf is a register that starts with the value of another.
func copyOf(r Register) Register {
	c := GP64()
	MOVQ(r, c)
	return c
}

// function begins a kernel: its name with the set's behind it, its signature, what it does.
func function(set vectors, name, signature, does string) {
	TEXT(name+set.name, NOSPLIT, "func"+signature)
	Doc(name + set.name + " " + does)
	Pragma("noescape")
}

// finish ends a kernel; the upper halves of the registers are left clean.
func finish() {
	VZEROUPPER()
	RET()
}

// loop emits body until the counter, which it counts down by step, is below step. The
// counter keeps the rest.
func loop(name string, counter Register, step int, body func()) {
	CMPQ(counter, U32(uint32(step)))
	JL(LabelRef(name + "_end"))
	Label(name)
	body()
	if step == 1 { // one operation, which saves one an edge
		DECQ(counter)
		JNZ(LabelRef(name))
	} else {
		SUBQ(U32(uint32(step)), counter)
		CMPQ(counter, U32(uint32(step)))
		JGE(LabelRef(name))
	}
	Label(name + "_end")
}
