package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// wheel is a package for Python: the client as a module, and the program, which pip puts beside the interpreter.
type wheel struct {
	version  string
	platform string // a tag of PEP 425
	windows  bool
	program  []byte
	client   []byte
	readme   []byte
	license  []byte
}

// platforms are the tags of wheels. Builds of Linux need its usual C library, static ones fit the others.
var platforms = map[string]string{
	"linux/amd64": "manylinux_2_17_x86_64", "linux/arm64": "manylinux_2_17_aarch64",
	"linux/amd64/static": "musllinux_1_1_x86_64", "linux/arm64/static": "musllinux_1_1_aarch64",
	"darwin/amd64": "macosx_11_0_x86_64", "darwin/arm64": "macosx_11_0_arm64",
	"windows/amd64": "win_amd64", "windows/arm64": "win_arm64",
}

func runWheel(args []string) error {
	var w wheel
	flags := flag.NewFlagSet("wheel", flag.ContinueOnError)
	target := flags.String("target", "", "the machine it is for, as linux/amd64, linux/amd64/static for a static program")
	binary := flags.String("binary", "", "the program")
	version := flags.String("version", "", "of the program, as git describe has it")
	folder := flags.String("o", "", "the folder to write to")
	if err := flags.Parse(args); err != nil {
		return err
	}
	w.version, w.platform, w.windows = pythonVersion(*version), platforms[*target], strings.HasPrefix(*target, "windows/")
	if w.platform == "" {
		return fmt.Errorf("target %q, expected linux/amd64 or the like", *target)
	}
	when, err := commitTime()
	if err != nil {
		return err
	}
	for path, to := range map[string]*[]byte{*binary: &w.program, "clients/python/lacuna.py": &w.client, "clients/python/README.md": &w.readme, "LICENSE": &w.license} {
		if *to, err = os.ReadFile(path); err != nil {
			return err
		}
	}
	data, err := w.archive(when)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(*folder, w.name()), data, 0o666)
}

var described = regexp.MustCompile(`^v?(\d+\.\d+\.\d+)(?:-(\d+)-g([0-9a-f]+))?$`)

// pythonVersion is a version in the form of PEP 440: 0.3.0-12-gabc is 0.3.0.post12+gabc.
func pythonVersion(version string) string {
	found := described.FindStringSubmatch(version)
	switch {
	case found == nil:
		number, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), "-")
		return number + "+" + strings.NewReplacer("-", ".", "/", ".").Replace(rest)
	case found[2] == "":
		return found[1]
	}
	return found[1] + ".post" + found[2] + "+g" + found[3]
}

func (w *wheel) name() string { return "lacuna_kg-" + w.version + "-py3-none-" + w.platform + ".whl" }

const wheelMetadata = `Metadata-Version: 2.1
Name: lacuna-kg
Version: %s
Summary: Answers logical questions on knowledge graphs that have gaps
License: MIT
Requires-Python: >=3.9
Description-Content-Type: text/markdown

%s`

// archive is the file: the same input gives the same bytes.
func (w *wheel) archive(when time.Time) ([]byte, error) {
	info, program := "lacuna_kg-"+w.version+".dist-info/", "lacuna"
	if w.windows {
		program = "lacuna.exe"
	}
	files := []struct {
		name string
		data []byte
		mode os.FileMode
	}{
		{"lacuna/__init__.py", w.client, 0o644},
		{"lacuna/py.typed", nil, 0o644},
		{"lacuna_kg-" + w.version + ".data/scripts/" + program, w.program, 0o755},
		{info + "LICENSE", w.license, 0o644},
		{info + "METADATA", fmt.Appendf(nil, wheelMetadata, w.version, w.readme), 0o644},
		{info + "WHEEL", fmt.Appendf(nil, "Wheel-Version: 1.0\nGenerator: lacuna\nRoot-Is-Purelib: false\nTag: py3-none-%s\n", w.platform), 0o644},
	}
	var out, record bytes.Buffer
	archive := zip.NewWriter(&out)
	put := func(name string, data []byte, mode os.FileMode) error {
		header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: when}
		header.SetMode(mode)
		entry, err := archive.CreateHeader(header)
		if err == nil {
			_, err = entry.Write(data)
		}
		return err
	}
	for _, f := range files {
		digest := sha256.Sum256(f.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(digest[:]), len(f.data))
		if err := put(f.name, f.data, f.mode); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	if err := put(info+"RECORD", record.Bytes(), 0o644); err != nil {
		return nil, err
	}
	err := archive.Close()
	return out.Bytes(), err
}
