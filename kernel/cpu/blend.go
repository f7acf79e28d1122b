package cpu

import (
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// Blend gives every worker whole rows, which take a twentieth of the time of the network that made them.
func (d *Device) Blend(prob, z kernel.Buffer, own, other []float32) {
	x, logits := d.floats(prob), d.floats(z)
	want(len(x) == len(logits) && len(own) == len(other) && len(own) > 0 && len(x)%len(own) == 0, "blend", len(x), len(own))
	nodes := len(x) / len(own)
	d.parallel(len(own), func(_ *worker, b int) { plain.BlendRow(row(x, b, nodes), row(logits, b, nodes), own[b], other[b]) })
}
