package cuda

import (
	"fmt"
	"unsafe"
)

// address is memory of the GPU.
type address uint64

func (a address) plus(bytes int) address { return a + address(bytes) }

// driver is NVIDIA's driver library: the entry points in use, by name, and how to call one.
// Every number and pointer of its interface is passed as a machine word.
type driver struct {
	symbols map[string]uintptr
	call    func(symbol uintptr, words ...uintptr) uintptr
}

// entryPoints are the functions of the driver in use.
func entryPoints() []string {
	return []string{
		"cuInit", "cuGetErrorString", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute",
		"cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2", "cuCtxSetCurrent", "cuMemGetInfo_v2",
		"cuMemAlloc_v2", "cuMemFree_v2", "cuMemHostAlloc", "cuMemFreeHost",
		"cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoDAsync_v2", "cuMemsetD32Async", "cuMemsetD8Async",
		"cuStreamSynchronize", "cuModuleLoadData", "cuModuleUnload", "cuModuleGetFunction", "cuFuncSetAttribute", "cuLaunchKernel",
		"cuEventCreate", "cuEventDestroy_v2", "cuEventRecord", "cuEventElapsedTime",
	}
}

// do calls an entry point and turns its status into an error; this is the one place where that happens.
func (d *driver) do(name string, words ...uintptr) error {
	status := d.call(d.symbols[name], words...)
	if status == 0 {
		return nil
	}
	return fmt.Errorf("cuda: %s: %s (%d)", name, d.describe(status), status)
}

func (d *driver) describe(status uintptr) string {
	text := new(unsafe.Pointer)
	if d.call(d.symbols["cuGetErrorString"], status, word(text)) != 0 || *text == nil {
		return "unknown error"
	}
	n := 0
	for *(*byte)(unsafe.Add(*text, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(*text), n))
}

// word is a pointer to what the driver reads or writes.
func word[T any](p *T) uintptr { return pointer(unsafe.Pointer(p)) }

// pointer is the same for memory of any kind. The compiler loses track of a pointer that becomes a number,
// and a stack may move before the driver uses it: what passes here is made to live on the heap.
func pointer(p unsafe.Pointer) uintptr {
	if escape.always {
		escape.to = p
	}
	return uintptr(p)
}

// escape is never written; that it might be is enough.
var escape struct {
	always bool
	to     unsafe.Pointer
}

// text is a C string, to be kept alive until the driver has read it.
func text(s string) *byte { return unsafe.SliceData(append([]byte(s), 0)) }
