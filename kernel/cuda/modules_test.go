package cuda

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every kernel named here is in the PTX of every architecture, and the other way round.
func TestKernelsExist(t *testing.T) {
	for file, names := range kernelsOf() {
		for _, architecture := range architectures() {
			source, err := readPTX(file, architecture)
			if err != nil {
				t.Fatal(err)
			}
			declared := parametersOf(source)
			for _, name := range names {
				if _, there := declared[name]; !there {
					t.Errorf("%s for sm_%d has no kernel %s", file, architecture, name)
				}
			}
			for name := range declared {
				if !slices.Contains(names, name) {
					t.Errorf("%s for sm_%d has a kernel %s that nobody names", file, architecture, name)
				}
			}
			if strings.Contains(source, ".local") {
				t.Errorf("%s for sm_%d keeps arrays in local memory, which is slow", file, architecture)
			}
		}
	}
}

func TestEveryFileIsLoaded(t *testing.T) {
	for pattern, each := range map[string]int{"kernels/*.cu": 1, "kernels/*.ptx*": len(architectures())} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) != each*len(kernelsOf()) {
			t.Errorf("%d files %s (%v), %d sources are named", len(files), pattern, err, len(kernelsOf()))
		}
	}
}

// The PTX is what the sources give, where the compiler that made it is at hand.
func TestPTXIsCurrent(t *testing.T) {
	for _, program := range []string{"clang-19", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("cannot compare the PTX with its sources (Debian: apt install clang-19): %v", err)
		}
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "gen/main.go", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for file := range kernelsOf() {
		for _, architecture := range architectures() {
			name := ptxName(file, architecture)
			have, fresh := read(t, name), read(t, filepath.Join(dir, filepath.Base(name)))
			compiler, _, _ := strings.Cut(fresh, "\n")
			if !strings.HasPrefix(have, compiler+"\n") {
				t.Skipf("%s was made by another compiler than this one, which would give other code; its first line names it: %s", name, compiler)
			}
			if have != fresh {
				t.Errorf("%s is not what its source gives: run go generate in kernel/cuda", name)
			}
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := unpack(file)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return text
}

func TestParametersOf(t *testing.T) {
	got := parametersOf(".visible .entry f(\n\t.param .u64 f_param_0,\n\t.param .u32 f_param_1,\n\t.param .align 8 .b8 f_param_2[20],\n\t.param .f32 f_param_3\n)\n{}")["f"]
	want := []parameter{{0, 8}, {8, 4}, {16, 20}, {36, 4}}
	if !slices.Equal(got, want) {
		t.Errorf("parameters %v, expected %v", got, want)
	}
}

func TestArgumentsMustFit(t *testing.T) {
	layout := []parameter{{0, 8}, {8, 4}}
	var p packed
	p.lay("f", layout, []any{address(0x0102), int32(-1)})
	if p.size != 12 || p.bytes[0] != 2 || p.bytes[1] != 1 || p.bytes[8] != 0xff {
		t.Errorf("packed %v of %d bytes", p.bytes[:12], p.size)
	}
	for _, wrong := range [][]any{{address(1)}, {int32(1), int32(1)}, {address(1), int64(1)}, {address(1), 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("arguments %v were accepted", wrong)
				}
			}()
			p.lay("f", layout, wrong)
		}()
	}
}
