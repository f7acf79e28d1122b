//go:build !(linux && (amd64 || arm64)) || nocuda

package cuda

import (
	"fmt"
	"runtime"
)

// Built tells that this program can use a GPU.
const Built = false

func openDriver() (*driver, error) {
	return nil, fmt.Errorf("no NVIDIA driver: libcuda.so.1 is used on linux/amd64 and linux/arm64 unless the program was built by the tag nocuda; this is one for %s/%s", runtime.GOOS, runtime.GOARCH)
}
