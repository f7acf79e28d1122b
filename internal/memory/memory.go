// Package memory says how much memory the process may take, so that limits can be shares of it.
package memory

import (
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// usual is assumed where nothing says how much there is.
const usual = 4 << 30

// Limit is the memory that the process may take: by GOMEMLIMIT, its container or control group, or else the machine's.
func Limit() int64 {
	limit := debug.SetMemoryLimit(-1) // which only reads it
	if limit == math.MaxInt64 {
		limit = min(group("/"), machine())
	}
	if limit == math.MaxInt64 {
		return usual
	}
	return limit
}

// Keep has the collector keep the process below its container's limit, unless the user chose by GOMEMLIMIT: a tenth
// is left for what the collector does not count, such as mapped files that are in use.
func Keep() {
	if limit := group("/"); limit != math.MaxInt64 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit / 10 * 9)
	}
}

// group is the limit of the control group that the process is in and of those around it. The root is another's in tests.
func group(root string) int64 {
	limit := int64(math.MaxInt64)
	own, _ := os.ReadFile(path.Join(root, "proc/self/cgroup"))
	for line := range strings.Lines(string(own)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		folder, name := "sys/fs/cgroup", "memory.max"
		if parts[1] == "memory" { // the older hierarchy
			folder, name = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if parts[1] != "" {
			continue
		}
		for at := path.Join("/", parts[2]); ; at = path.Dir(at) {
			limit = min(limit, number(path.Join(root, folder, at, name)))
			if at == "/" {
				break
			}
		}
	}
	return limit
}

// number is what a file says, without end where it is not there or says "max".
func number(file string) int64 {
	text, _ := os.ReadFile(file)
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n <= 0 || n > 1<<50 { // the older hierarchy writes a huge number for none
		return math.MaxInt64
	}
	return n
}

// machine is the memory of the machine, where it says so.
func machine() int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, "MemTotal:"); found {
			kB, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err == nil {
				return kB << 10
			}
		}
	}
	return math.MaxInt64
}
