package lab

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/lab/inwords"
)

func (a *app) inWordsCommand() *cobra.Command {
	var graph command.GraphFlags
	cmd := &cobra.Command{
		Use:   "in-words FILE...",
		Short: "Answer questions in words by names and relation words: a floor",
		Long: `Answer files of questions in English without a language model: find the longest name of an
entity in each, then the words that name relations, and walk from the one along the others.
Each line has a question, a tab and the right answers, parted by |. It is the floor that a
language model with Lacuna's tools has to beat.`,
		Example: `  lacuna-lab in-words -g data/graphs/MetaQA data/metaqa/1-hop-test.txt.zst`,
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(cmd *cobra.Command, files []string) error { return a.inWords(cmd, &graph, files) },
	}
	graph.Register(cmd)
	return cmd
}

// questionScore is how well the questions of a file were answered.
type questionScore struct {
	File string `json:"file"`
	inwords.Score
}

func (a *app) inWords(cmd *cobra.Command, graph *command.GraphFlags, files []string) error {
	splits, err := graph.Open(cmd.Context(), a.App)
	if err != nil {
		return err
	}
	defer splits.Close()
	whole, err := splits.UpToTest(cmd.Context())
	if err != nil {
		return err
	}
	reader := inwords.NewReader(whole)
	var all []questionScore
	for _, file := range files {
		score, err := scoreFile(reader, file)
		if err != nil {
			return err
		}
		all = append(all, questionScore{filepath.Base(file), score})
	}
	if a.JSON {
		return a.PrintJSON(all)
	}
	a.Screen.Printf("%-28s %9s %6s %6s %6s %6s\n", "%", "questions", "read", "first", "exact", "F1")
	for _, s := range all {
		a.Screen.Printf("%-28s %9d %6.1f %6.1f %6.1f %6.1f\n", s.File, s.Questions, 100*s.Read, 100*s.First, 100*s.Exact, 100*s.F1)
	}
	return nil
}

func scoreFile(reader *inwords.Reader, file string) (inwords.Score, error) {
	f, err := os.Open(file)
	if err != nil {
		return inwords.Score{}, kg.ReadError(file, err)
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(file, ".zst") {
		decoder, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return inwords.Score{}, kg.ReadError(file, err)
		}
		defer decoder.Close()
		in = decoder
	}
	return reader.Run(in, file)
}
