package conformance

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// The plain device meets its own definition: guard zones, inputs and shapes hold in every case.
func TestPlainDevice(t *testing.T) {
	for _, c := range Cases() {
		report, err := c.Run(plain.New(), Float32())
		if err != nil {
			t.Error(err)
		}
		if report != (Report{}) {
			t.Errorf("%s: the plain device differs from itself by %v", c.Name, report)
		}
	}
}

// Float64 rounds differently, as a fast device does: every case must leave room for that.
func TestCasesAreStable(t *testing.T) {
	for _, c := range Cases() {
		if _, err := c.Run(plain.New64(), Float32()); err != nil {
			t.Error(err)
		}
	}
}

// faulty is the plain device with one operation broken.
type faulty struct {
	*plain.Device[float32]
	boundary func(d *plain.Device[float32], out, set, query kernel.Buffer)
}

func (f faulty) Boundary(out, set, query kernel.Buffer) { f.boundary(f.Device, out, set, query) }

func TestFaultsAreFound(t *testing.T) {
	runs := 0
	for want, broken := range map[string]func(d *plain.Device[float32], out, set, query kernel.Buffer){
		"off by": func(d *plain.Device[float32], out, set, query kernel.Buffer) {
			d.Boundary(out, set, query)
			d.Values(out)[out.Len()-1] += 0.001
		},
		"an input was changed": func(d *plain.Device[float32], out, set, query kernel.Buffer) {
			d.Boundary(out, set, query)
			d.Values(set)[0]++
		},
		"outside the buffer": func(d *plain.Device[float32], out, set, query kernel.Buffer) {
			d.Boundary(out, set, query)
			last := &d.Values(out)[out.Len()-1]
			*(*float32)(unsafe.Add(unsafe.Pointer(last), 4)) = 0
		},
		"in the next": func(d *plain.Device[float32], out, set, query kernel.Buffer) {
			d.Boundary(out, set, query)
			runs++
			d.Values(out)[0] += float32(runs) * 1e-7
		},
	} {
		found := ""
		for _, c := range Cases() {
			if strings.HasPrefix(c.Name, "boundary/") {
				if _, err := c.Run(faulty{plain.New(), broken}, Float32()); err != nil {
					found += err.Error()
				}
			}
		}
		if !strings.Contains(found, want) {
			t.Errorf("a fault was not found: expected %q in %q", want, found)
		}
	}
}

// hasty is the plain device that takes the rare members of a first layer's sets for absent.
type hasty struct {
	*plain.Device[float32]
	backward bool // only there
}

func (h hasty) without(in kernel.LayerInput) kernel.LayerInput {
	if !in.FromBoundary {
		return in
	}
	for _, b := range []*kernel.Buffer{&in.Set, &in.Hidden} {
		copied := h.NewBuffer((*b).Len())
		h.Copy(copied, *b)
		*b = copied
	}
	for i, x := range h.Values(in.Set) {
		if x == 0.25 {
			h.Values(in.Set)[i] = 0
		}
	}
	h.Boundary(in.Hidden, in.Set, in.Query)
	return in
}

func (h hasty) LayerForward(l kernel.Layer, g kernel.DeviceGraph, out kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) {
	if !h.backward {
		in = h.without(in)
	}
	h.Device.LayerForward(l, g, out, kept, in, w)
}

func (h hasty) LayerBackward(l kernel.Layer, g kernel.DeviceGraph, din kernel.LayerGradient, dw kernel.LayerWeights, dout kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) {
	h.Device.LayerBackward(l, g, din, dw, dout, kept, h.without(in), w)
}

// A device that passes over too much of a first layer is found out, forward and backward.
func TestSkippedMessagesAreFound(t *testing.T) {
	for _, device := range []hasty{{plain.New(), false}, {plain.New(), true}} {
		for _, c := range Cases() {
			if !strings.HasPrefix(c.Name, "layer/distmult/pna/width=32/first") {
				continue
			}
			if _, err := c.Run(device, Float32()); err == nil {
				t.Errorf("%s: a skipped message went unnoticed (backward only: %v)", c.Name, device.backward)
			}
		}
	}
}
