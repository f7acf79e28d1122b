package cuda

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// layerKind decides which kernels compute a layer: those made for it, or those for any kind.
type layerKind struct {
	l      kernel.Layer
	shared int // bytes of shared memory that a block may have
}

func (d *device) kindOf(l kernel.Layer) layerKind { return layerKind{l, d.capacity.sharedPerBlock} }

// FallsBack tells whether messages or the Linear of a layer run on the kernels for any kind.
func (d *device) FallsBack(l kernel.Layer) bool {
	k := d.kindOf(l)
	return !k.isStraight() || !k.isTensor() && !k.isWide()
}

// hasBoundary tells whether the boundary is one more message.
func hasBoundary(l kernel.Layer) bool { return l.Aggregate <= kernel.PNA }

// isStraight tells whether the kernels of message.cu apply: columns of a message are independent.
func (k layerKind) isStraight() bool {
	return (k.l.Message == kernel.DistMult || k.l.Message == kernel.TransE) && hasBoundary(k.l)
}

// isVector tells whether those of message_vector.cu do, which read four columns at a time.
func (k layerKind) isVector() bool {
	return k.isStraight() && k.l.Message == kernel.DistMult && k.l.Aggregate != kernel.Max && (k.l.Width == 32 || k.l.Width == 64)
}

// isTensor tells whether linear_pna.cu applies.
func (k layerKind) isTensor() bool {
	return k.l.Aggregate == kernel.PNA && k.l.Width == 32 && k.shared >= packedBytes
}

// isWide tells whether linear_sum.cu applies.
func (k layerKind) isWide() bool {
	return k.l.Width == 64 && hasBoundary(k.l) && k.l.Aggregate != kernel.PNA && k.shared >= outerShared
}

// isSummed tells whether message_sum.cu applies.
func (k layerKind) isSummed() bool {
	return k.l.Width == 64 && k.isVector() && k.l.Aggregate != kernel.PNA
}

// aggregateName is that of the kernels; a mean is a sum with a share.
func (k layerKind) aggregateName() string {
	switch k.l.Aggregate {
	case kernel.Max, kernel.PNA:
		return k.l.Aggregate.String()
	}
	return "sum"
}

// edgeKernel is the name of a kernel over edges for this kind of layer.
func (k layerKind) edgeKernel(what string) string {
	if k.isVector() {
		return fmt.Sprintf("%s%d_%s", what, k.l.Width, k.aggregateName())
	}
	return fmt.Sprintf("%s_%v_%s", what, k.l.Message, k.aggregateName())
}
