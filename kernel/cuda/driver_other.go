//go:build !(linux && (amd64 || arm64))

package cuda

import (
	"fmt"
	"runtime"
)

func openDriver() (*driver, error) {
	return nil, fmt.Errorf("no NVIDIA driver: libcuda.so.1 is used on linux/amd64 and linux/arm64, not on %s/%s", runtime.GOOS, runtime.GOARCH)
}
