package checkpoint

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kg"
)

// Card is what a checkpoint says about itself, in the metadata of its file.
type Card struct {
	Config   gnn.Spec           // which network, and what was put on it
	Graph    Graph              // which graph its relations are those of
	Seed     uint64             // of initial values, queries and dropout
	Step     int                // steps of training behind it
	Version  string             // of the program that trained it
	Commit   string             // the same, to the commit
	Device   string             // it was trained on
	Training json.RawMessage    // the training configuration, as JSON
	Metrics  map[string]float64 // such as "valid_mrr"
	From     string             // the model that its training began with; empty for random parameters
	Averaged int                // how many models its parameters are the mean of; 0 for a model as trained
	// Calibration is the map of probabilities that is folded into the parameters, as JSON; nil for none.
	Calibration json.RawMessage
	// Factors are vectors that the model has beside its network; nil for none.
	Factors *Factors
	// Stored is how the file that it was read from has its numbers; Save is told anew.
	Stored Precision
}

// Graph identifies the graph that a model was trained on.
type Graph struct {
	Name       string
	Vocabulary string // hash of all names and their numbers, in hexadecimal
	Entities   int
	Facts      int
	Relations  []string // names of the base relations in order: rows 2i and 2i+1 of a table are relation i and its inverse
}

// Describe identifies a graph under the name its user knows it by.
func Describe(g *kg.Graph, name string) Graph {
	d := describeVocabulary(g.Vocabulary, name)
	d.Facts = g.NumTriples()
	return d
}

func describeVocabulary(v *kg.Vocabulary, name string) Graph {
	hash := v.Hash()
	d := Graph{Name: name, Vocabulary: hex.EncodeToString(hash[:]), Entities: v.Entities.Names.Len()}
	for base := range uint32(v.Relations.Names.Len()) {
		d.Relations = append(d.Relations, v.Relations.Names.At(base))
	}
	return d
}

func (g Graph) String() string {
	if graphs := strings.Count(g.Name, ", ") + 1; len(g.Relations) == 0 && graphs > 1 { // as a foundation model is trained on
		return fmt.Sprintf("%d graphs (%d entities, %d facts)", graphs, g.Entities, g.Facts)
	}
	if len(g.Relations) == 0 {
		return fmt.Sprintf("%q (%d entities, %d facts)", g.Name, g.Entities, g.Facts)
	}
	return fmt.Sprintf("%q (%d entities, %d relations, vocabulary %.12s)", g.Name, g.Entities, 2*len(g.Relations), g.Vocabulary)
}

// formatName marks the files of this package; a change that older readers would not notice changes it.
const formatName = "lacuna-1"

// metadata writes the card as safetensors wants it, a map of strings.
func (c Card) metadata() (map[string]string, error) {
	m := map[string]string{
		"format": formatName, "version": c.Version, "commit": c.Commit, "device": c.Device,
		"seed": strconv.FormatUint(c.Seed, 10), "step": strconv.Itoa(c.Step),
		"graph": c.Graph.Name, "vocabulary": c.Graph.Vocabulary,
		"entities": strconv.Itoa(c.Graph.Entities), "facts": strconv.Itoa(c.Graph.Facts),
	}
	if c.From != "" {
		m["from"] = c.From
	}
	if c.Averaged > 0 {
		m["averaged"] = strconv.Itoa(c.Averaged)
	}
	if c.Calibration != nil {
		m["calibration"] = string(c.Calibration)
	}
	for key, value := range map[string]any{"config": c.Config, "relations": c.Graph.Relations, "training": c.Training, "metrics": c.Metrics} {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("checkpoint: %s: %w", key, err)
		}
		m[key] = string(text)
	}
	return m, nil
}

// parseCard reads the metadata of a file back.
func parseCard(m map[string]string, file string) (Card, error) {
	if m["format"] != formatName {
		return Card{}, kg.Errorf(kg.Invalid, file, "the file holds tensors, but no model of this program: expected format %q in its metadata, found %q", formatName, m["format"])
	}
	c := Card{Version: m["version"], Commit: m["commit"], Device: m["device"], From: m["from"], Graph: Graph{Name: m["graph"], Vocabulary: m["vocabulary"]}}
	var broken error
	read := func(key string, into any) {
		if err := json.Unmarshal([]byte(m[key]), into); err != nil && broken == nil {
			broken = corrupt(file, "%q in its metadata: %v", key, err)
		}
	}
	read("config", &c.Config)
	read("relations", &c.Graph.Relations)
	read("training", &c.Training)
	read("metrics", &c.Metrics)
	read("seed", &c.Seed)
	read("step", &c.Step)
	read("entities", &c.Graph.Entities)
	read("facts", &c.Graph.Facts)
	if m["averaged"] != "" {
		read("averaged", &c.Averaged)
	}
	if m["calibration"] != "" {
		read("calibration", &c.Calibration)
	}
	return c, broken
}

// TrainedOn tells whether a graph has the very names of the one that the model was trained on.
func (c Card) TrainedOn(v *kg.Vocabulary) bool {
	hash := v.Hash()
	return c.Graph.Vocabulary == hex.EncodeToString(hash[:])
}

// CheckGraph refuses a graph other than the one the model was trained on: its numbers would
// mean other things. A foundation model fits every graph.
func (c Card) CheckGraph(v *kg.Vocabulary, name string) error {
	theirs, ours := c.Graph, describeVocabulary(v, name)
	if theirs.Vocabulary == ours.Vocabulary || c.Config.AnyGraph() {
		return nil
	}
	return kg.Errorf(kg.Invalid, name, "the model was trained on another graph, %v, and does not fit %v: %s", theirs, ours, difference(theirs, ours))
}

// CheckRelations is a weaker check, for graphs with entities that the model has not
// seen: no parameter belongs to an entity, so the same relations in the same order are enough.
func (c Card) CheckRelations(v *kg.Vocabulary, name string) error {
	theirs, ours := c.Graph, describeVocabulary(v, name)
	if what := relationDifference(theirs, ours); what != "" && !c.Config.AnyGraph() {
		return kg.Errorf(kg.Invalid, name, "the model was trained on another graph, %v, and does not fit %v: %s", theirs, ours, what)
	}
	return nil
}

// difference names the first thing in which two graphs differ.
func difference(theirs, ours Graph) string {
	if what := relationDifference(theirs, ours); what != "" {
		return what
	}
	if theirs.Entities != ours.Entities {
		return fmt.Sprintf("it has %d entities where the model's has %d", ours.Entities, theirs.Entities)
	}
	return "the names of its entities, or their order, differ"
}

func relationDifference(theirs, ours Graph) string {
	if len(theirs.Relations) != len(ours.Relations) {
		return fmt.Sprintf("it has %d relations where the model's has %d", 2*len(ours.Relations), 2*len(theirs.Relations))
	}
	for i, name := range theirs.Relations {
		if name != ours.Relations[i] {
			return fmt.Sprintf("its relation %d is %q where the model's is %q", i, ours.Relations[i], name)
		}
	}
	return ""
}
