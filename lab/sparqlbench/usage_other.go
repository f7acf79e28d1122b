//go:build !unix

package sparqlbench

import "time"

// peakMemory is not known here.
func peakMemory() float64 { return 0 }

// processorTime is not known here.
func processorTime() time.Duration { return 0 }
