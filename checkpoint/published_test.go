package checkpoint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

const publishedFolder = "../models"

// TestPublishedModels opens every model that the repository hands out and holds the table of
// models/README.md to what the file's card says: graph, network, steps, validation.
func TestPublishedModels(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(publishedFolder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	readme := strings.ReplaceAll(string(text), ",", "") // 14,505 for people is 14505 here
	files, err := filepath.Glob(filepath.Join(publishedFolder, "*.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(readme, "\n| `"); len(files) == 0 || rows != len(files) {
		t.Errorf("%d models, of which README.md lists %d", len(files), rows)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) { checkPublished(t, path, readme) })
	}
}

func checkPublished(t *testing.T, path, readme string) {
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 8<<20 {
		t.Errorf("%d bytes, expected at most 8 MiB: everyone who clones the repository gets them", info.Size())
	}
	model, card, err := checkpoint.Load(path, plain.New())
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	if row := publishedRow(filepath.Base(path), card); !strings.Contains(readme, row) {
		t.Errorf("README.md lacks, but for commas, the row\n%s", row)
	}
	if len(card.Training) == 0 || !strings.Contains(readme, card.Commit[:min(7, len(card.Commit))]) {
		t.Errorf("the card lacks the training's configuration, or README.md its commit %q", card.Commit)
	}
}

func publishedRow(file string, card checkpoint.Card) string {
	c, g := card.Config, card.Graph
	validation := fmt.Sprintf("%.1f", 100*card.Metrics["valid_mrr"])
	if card.Averaged > 0 { // a mean has not been validated by its training
		validation = fmt.Sprintf("a mean of %d", card.Averaged)
	}
	network := fmt.Sprintf("%s %s %s width %d %d layers", c.Kind, c.Message, c.Aggregate, c.Width, c.Layers)
	if card.Factors != nil {
		network += fmt.Sprintf("; vectors of rank %d", card.Factors.Vectors.Width()/2)
	}
	return fmt.Sprintf("| `%s` | %s: %d entities %d facts %d relations | %s | %d | %s |",
		file, g.Name, g.Entities, g.Facts, len(g.Relations), network, card.Step, validation)
}
