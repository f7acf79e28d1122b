//go:build linux && (amd64 || arm64) && !nocuda

package mpi

import (
	"syscall"
	"unsafe"
)

// keepSignals remembers how signals are handled until restore is called: MPI libraries put handlers of
// their own in the place of Go's, which needs its own to stop a goroutine and to report a nil pointer.
func keepSignals() (restore func()) {
	var actions [numSignals + 1]action
	for signal := 1; signal <= numSignals; signal++ {
		rtSigaction(signal, nil, &actions[signal])
	}
	return func() {
		for signal := 1; signal <= numSignals; signal++ {
			rtSigaction(signal, &actions[signal], nil)
		}
	}
}

// numSignals are those that programs use; the kernel refuses to change two of them, which is as well.
const numSignals = 31

// action is the kernel's struct sigaction.
type action struct{ handler, flags, restorer, mask uint64 }

func rtSigaction(signal int, set, old *action) {
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(signal), uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), 8, 0, 0)
}
