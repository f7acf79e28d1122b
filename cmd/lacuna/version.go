package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/kernel/cuda"
)

// built is what a binary says of itself, and the JSON of lacuna version.
type built struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"time,omitempty"`     // of the commit
	Modified bool   `json:"modified,omitempty"` // the sources were not those of the commit
	Go       string `json:"go"`
	System   string `json:"system"`
	CUDA     bool   `json:"cuda"` // built with GPUs
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is, of what commit, and whether it can use GPUs",
		Long: `Say which version this is, of what commit, and how it was built: a static binary, built by
the tag nocuda, needs no C library and uses no GPU.`,
		Example: "  lacuna version\n  lacuna version --json",
		Args:    command.Arguments(0, 0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			b := newBuilt()
			if a.JSON {
				return a.PrintJSON(b)
			}
			a.showBuilt(b)
			return nil
		},
	}
}

func newBuilt() built {
	b := built{Version: command.Version(), Commit: command.Commit(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, CUDA: cuda.Built}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.time":
				b.Time = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	return b
}

func (a *app) showBuilt(b built) {
	s := a.Screen
	s.Printf("lacuna %s\n", b.Version)
	if b.Commit != "" {
		more := ""
		if b.Time != "" {
			more = " of " + b.Time
		}
		if b.Modified {
			more += ", changed since"
		}
		s.Printf("commit  %s%s\n", b.Commit, more)
	}
	gpu := "uses a GPU where there is one"
	if !b.CUDA {
		gpu = "built without GPUs"
	}
	s.Printf("built   by %s for %s; %s\n", b.Go, b.System, gpu)
}
