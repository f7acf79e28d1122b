package main

import (
	"debug/buildinfo"
	"encoding/json"
	"io"
	"runtime/debug"
)

// component is a module of a program, in CycloneDX.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
	Ref     string `json:"bom-ref"`
}

func newComponent(kind string, m debug.Module) component {
	purl := "pkg:golang/" + m.Path + "@" + m.Version
	return component{kind, m.Path, m.Version, purl, purl}
}

// writeSBOM writes the bill of materials of a binary by what Go noted in it when it was built: what is listed is
// what is linked.
func writeSBOM(to io.Writer, binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	parts := []component{newComponent("library", debug.Module{Path: "std", Version: info.GoVersion})}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, newComponent("library", *m))
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   map[string]any{"component": newComponent("application", info.Main)},
		"components": parts,
	})
}
