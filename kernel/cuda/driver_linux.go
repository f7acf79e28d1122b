//go:build linux && (amd64 || arm64) && !nocuda

package cuda

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// Built tells that this program can use a GPU. Built by the tag nocuda it cannot, and is static: purego, which opens the
// driver, needs the C library.
const Built = true

// library is the driver's file, which comes with the kernel module and not with any toolkit.
const library = "libcuda.so.1"

// openDriver opens the driver at run time; without cgo the program runs where there is none.
func openDriver() (*driver, error) {
	handle, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, fmt.Errorf("no NVIDIA driver: %s cannot be opened: %w", library, err)
	}
	d := &driver{symbols: map[string]uintptr{}, call: call}
	for _, name := range entryPoints() {
		if d.symbols[name], err = purego.Dlsym(handle, name); err != nil {
			return nil, fmt.Errorf("the NVIDIA driver is too old: %s has no %s", library, name)
		}
	}
	return d, nil
}

// call passes words in registers and on the stack; a status has 32 bits.
func call(symbol uintptr, words ...uintptr) uintptr {
	status, _, _ := purego.SyscallN(symbol, words...)
	return uintptr(uint32(status))
}
