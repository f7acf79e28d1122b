//go:build unix

package cpu_test

import (
	"syscall"
	"time"
)

// processTime is the CPU time used so far: on a machine that others use too it tells
// more than the clock.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
