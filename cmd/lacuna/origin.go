package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/links"
)

// origin is what a table came from: the same command with the same version, graph, model and calibration gives it again.
type origin struct {
	Version     string `json:"version"`
	Commit      string `json:"commit,omitempty"`
	Command     string `json:"command"`
	Graph       string `json:"graph"` // the digests of all three
	Model       string `json:"model,omitempty"`
	Calibration string `json:"calibration,omitempty"`
}

// originOf says what an engine's answers come from. Probabilities are fitted before, as they are part of it; without a model there are none, and
// by sets they are not fitted.
func originOf(ctx context.Context, cmd *cobra.Command, engine *lacuna.Engine, way lacuna.Way) (o *origin, err error) {
	o = &origin{Version: command.Version(), Commit: command.Commit(), Command: typed(cmd), Graph: links.GraphHash(engine.Graph)}
	predictor := engine.Model().Predictor
	if predictor == nil {
		return o, nil
	}
	if o.Model, err = predictor.Model.Hash(); err != nil || way == lacuna.Sets {
		return o, err
	}
	fitted, err := engine.LinkMap(ctx)
	if err != nil {
		return o, err
	}
	text, err := json.Marshal(fitted)
	if err != nil {
		return o, err
	}
	digest := sha256.Sum256(text)
	o.Calibration = hex.EncodeToString(digest[:])
	return o, nil
}

// password is what stands before the host of an address: it goes into no file.
var password = regexp.MustCompile(`://[^/@\s]*@`)

// typed is a command with the flags that were given, in the order of their names.
func typed(cmd *cobra.Command) string {
	parts := []string{cmd.CommandPath()}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		if list, isList := f.Value.(pflag.SliceValue); isList {
			value = strings.Join(list.GetSlice(), ",")
		}
		parts = append(parts, "--"+f.Name+"="+quoted(value))
	})
	for _, arg := range cmd.Flags().Args() {
		parts = append(parts, quoted(arg))
	}
	return password.ReplaceAllString(strings.Join(parts, " "), "://")
}

// quoted is a word as a shell takes it.
func quoted(word string) string {
	if word != "" && strings.IndexFunc(word, func(r rune) bool {
		return !strings.ContainsRune("_-./:,=^+@%", r) && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	}) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(strings.ReplaceAll(word, "'", `'\''`), "\n", " ") + "'"
}

// writeComment writes the origin as lines that begin with #, before the names of columns.
func (o origin) writeComment(to io.Writer) {
	for _, line := range [][2]string{{"lacuna", strings.TrimSpace(o.Version + " " + o.Commit)}, {"command", o.Command}, {"graph", o.Graph}, {"model", o.Model}, {"calibration", o.Calibration}} {
		fmt.Fprintf(to, "# %s: %s\n", line[0], line[1]) // what is wrong with the writer comes to light when it is flushed
	}
}
