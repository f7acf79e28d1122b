package cuda

import (
	"cmp"
	"slices"
	"time"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Timing is what one kernel did while the profile was on.
type Timing struct {
	Kernel string
	Runs   int
	Time   time.Duration
	// Bytes moved, as the algorithm needs them: each number read or written counts as often as a
	// kernel asks memory for it. 0 where nobody counted.
	Bytes int64
}

// profile times every launch between two events.
type profile struct {
	spans []span
}

type span struct {
	kernel      string
	bytes       int64
	start, stop uintptr
}

// start begins a span; the function it returns ends it. Without a profile neither does anything.
func (p *profile) start(f *frame, kernel string, bytes int64) (stop func()) {
	if p == nil {
		return func() {}
	}
	s := span{kernel: kernel, bytes: bytes, start: f.event(), stop: f.event()}
	f.do("cuEventRecord", s.start, 0)
	return func() {
		f.do("cuEventRecord", s.stop, 0)
		p.spans = append(p.spans, s)
	}
}

func (f *frame) event() uintptr {
	e := new(uintptr)
	f.do("cuEventCreate", word(e), 0)
	return *e
}

// Profile times every kernel that work launches, some microseconds slower each, and gives the longest first.
// Of another device than a GPU there is nothing to tell, and work does not run.
func Profile(of kernel.Device, work func() error) ([]Timing, error) {
	d, isGPU := of.(*device)
	if !isGPU {
		return nil, nil
	}
	d.profile = &profile{}
	err := work()
	return d.stopProfile(), err
}

// stopProfile waits for the GPU and adds the spans up by kernel.
func (d *device) stopProfile() []Timing {
	p := d.profile
	d.profile = nil
	f := d.frame()
	if f == nil {
		return nil
	}
	defer f.close()
	f.do("cuStreamSynchronize", 0)
	byName := map[string]*Timing{}
	for _, s := range p.spans {
		if byName[s.kernel] == nil {
			byName[s.kernel] = &Timing{Kernel: s.kernel}
		}
		t, milliseconds := byName[s.kernel], new(float32)
		f.do("cuEventElapsedTime", word(milliseconds), s.start, s.stop)
		f.do("cuEventDestroy_v2", s.start)
		f.do("cuEventDestroy_v2", s.stop)
		t.Runs++
		t.Bytes += s.bytes
		t.Time += time.Duration(float64(*milliseconds) * float64(time.Millisecond))
	}
	list := make([]Timing, 0, len(byName))
	for _, t := range byName {
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b Timing) int { return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Kernel, b.Kernel)) })
	return list
}
