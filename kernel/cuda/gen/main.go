//go:build ignore

// Program gen compiles kernels/*.cu to the PTX that package cuda embeds, compressed, with clang-19 and
// nothing else: no CUDA toolkit, no CUDA headers. In kernel/cuda:
//
//	go run gen/main.go kernels
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if err := compileAll("kernels", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// compiler is the program that must be there.
const compiler = "clang-19"

// architectures are those compiled for: the first for everything since Ampere, the second for Hopper.
func architectures() []int { return []int{80, 90} }

// version is the compiler's first line, which every PTX file carries: another version may give other PTX.
func version() (string, error) {
	out, err := exec.Command(compiler, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", compiler, err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line), nil
}

// compileAll compiles every .cu file of a folder for every architecture.
func compileAll(from, to string) error {
	sources, err := filepath.Glob(filepath.Join(from, "*.cu"))
	if err != nil {
		return err
	}
	made, err := version()
	if err != nil {
		return err
	}
	for _, source := range sources {
		for _, architecture := range architectures() {
			name := fmt.Sprintf("%s.sm_%d.ptx.gz", strings.TrimSuffix(filepath.Base(source), ".cu"), architecture)
			if err := one(source, filepath.Join(to, name), architecture, made); err != nil {
				return err
			}
		}
	}
	return nil
}

// one compiles a file. Contraction is off because backward compares messages by their bits.
func one(source, target string, architecture int, made string) error {
	var stdout, stderr bytes.Buffer
	c := exec.Command(compiler, "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", fmt.Sprintf("--cuda-gpu-arch=sm_%d", architecture),
		"-Xclang", "-target-feature", "-Xclang", "+ptx78", "-std=c++20", "-ffp-contract=off", "-Wall", "-Werror", "-S", "-O3", "-o", "-", source)
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", source, err, stderr.String())
	}
	return write(target, append([]byte("// "+made+"\n"), stdout.Bytes()...))
}

// write compresses a text. The same text gives the same file: gzip's header has no name and no time. A file that
// holds the text already stays as it is, since another version of Go may compress it to other bytes.
func write(target string, text []byte) error {
	if held, err := read(target); err == nil && bytes.Equal(held, text) {
		return nil
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(target, packed.Bytes(), 0o644)
}

func read(target string) ([]byte, error) {
	file, err := os.Open(target)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
