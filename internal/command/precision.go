package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/checkpoint"
)

// precisionFlags say how a model that is written stores its numbers.
type PrecisionFlags struct {
	half, bytes bool
}

func (p *PrecisionFlags) Register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.half, "half", false, "half precision (F16)")
	cmd.Flags().BoolVar(&p.bytes, "bytes", false, "a byte a number (I8, with a scale for each row of a table; what is no table F16)")
}

func (p *PrecisionFlags) Precision() checkpoint.Precision {
	switch {
	case p.bytes:
		return checkpoint.Bytes
	case p.half:
		return checkpoint.Half
	}
	return checkpoint.Single
}

// precisionText says how a file stores a model, with vectors beside its network or without.
func PrecisionText(p checkpoint.Precision, vectors bool) string {
	if !vectors {
		return "as " + string(p.Network)
	}
	return fmt.Sprintf("as %s, vectors as %s", p.Network, p.Vectors)
}
