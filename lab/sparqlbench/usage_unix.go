//go:build unix

package sparqlbench

import (
	"runtime"
	"syscall"
	"time"
)

// peakMemory is the most that the process has held, in megabytes.
func peakMemory() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	unit := 1e3 // kilobytes
	if runtime.GOOS == "darwin" {
		unit = 1e6
	}
	return float64(used.Maxrss) / unit
}

// processorTime is what the process has used so far, on all cores: on a machine that others use too
// it says more than a clock.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
