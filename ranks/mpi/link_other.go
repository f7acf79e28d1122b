//go:build !(linux && (amd64 || arm64)) || nocuda

package mpi

import (
	"runtime"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/ranks"
)

// Built tells that this program can use MPI.
const Built = false

// Open says why there is no link.
func Open(l Launch) (ranks.Link, error) {
	return nil, kg.Errorf(kg.Invalid, "", "%s started %d ranks, but MPI is used on linux/amd64 and linux/arm64 unless the program was built by the tag nocuda; this is one for %s/%s (LACUNA_MPI=off lets each run by itself)",
		l.By, l.Size, runtime.GOOS, runtime.GOARCH)
}
