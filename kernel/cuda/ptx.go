package cuda

import (
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// The compiled kernels, a file for every source and architecture. They are compressed, since their text
// would be half of the repository's lines; zcat shows one.

//go:generate go run gen/main.go kernels

//go:embed kernels/*.ptx.gz
var ptx embed.FS

// architectures are those the kernels are compiled for, best first: "90" for sm_90. PTX runs on its own
// and every later one.
func architectures() []int { return []int{90, 80} }

func ptxName(file string, architecture int) string {
	return fmt.Sprintf("kernels/%s.sm_%d.ptx.gz", file, architecture)
}

// readPTX gives the text of a compiled file.
func readPTX(file string, architecture int) (string, error) {
	name := ptxName(file, architecture)
	packed, err := ptx.Open(name)
	if err != nil {
		return "", err
	}
	defer packed.Close()
	text, err := unpack(packed)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

func unpack(packed io.Reader) (string, error) {
	r, err := gzip.NewReader(packed)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

var (
	entry    = regexp.MustCompile(`(?s)\.entry (\w+)\((.*?)\)`)
	declared = regexp.MustCompile(`\.param (?:\.align (\d+) )?\.(\w)(\d+) \w+(?:\[(\d+)\])?`)
)

// parametersOf reads the parameters of every kernel of a PTX text.
func parametersOf(source string) map[string][]parameter {
	layouts := map[string][]parameter{}
	for _, e := range entry.FindAllStringSubmatch(source, -1) {
		list, offset := []parameter{}, 0
		for line := range strings.Lines(e[2]) {
			p := declared.FindStringSubmatch(line)
			if p == nil {
				continue
			}
			bits, _ := strconv.Atoi(p[3])
			size := bits / 8
			to := size
			if p[4] != "" {
				size, _ = strconv.Atoi(p[4])
				to, _ = strconv.Atoi(p[1])
			}
			offset = align(offset, to)
			list = append(list, parameter{offset, size})
			offset += size
		}
		layouts[e[1]] = list
	}
	return layouts
}
