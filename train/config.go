package train

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/lacuna-kg/lacuna/configs"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Config is everything that decides what training gives, on one device and for one
// graph and source of queries. METHOD "Training" names the values of the paper.
type Config struct {
	Model gnn.Spec `json:"model"`
	Logic string   `json:"logic"` // one of fuzzy.LogicNames
	Seed  uint64   `json:"seed"`  // of initial values, order of queries and dropout
	Steps int      `json:"steps"`
	Batch int      `json:"batch"` // queries in a step

	Rate    float64 `json:"learning_rate"`
	Beta1   float64 `json:"beta1"`
	Beta2   float64 `json:"beta2"`
	Epsilon float64 `json:"epsilon"`
	// ClipNorm, if not 0, is the largest norm that the gradient of a step may have; a longer one is shortened. Of many graphs a few have gradients
	// hundreds of times as long as most, by whose squares Adam would divide for long.
	ClipNorm float64 `json:"clip_norm,omitempty"`
	// Schedule is how the rate changes after Warmup steps of rising: constant or cosine.
	Schedule string `json:"schedule"`
	Warmup   int    `json:"warmup"`
	// Average, if not 0, is the decay of a moving average of the weights, which is then
	// what is validated and saved.
	Average float64 `json:"average"`

	Dropout float64 `json:"traversal_dropout"` // how many of the edges that answer a step are hidden from it
	// HideFacts hides an edge together with its inverse twin, as a missing fact lacks both;
	// the paper drops them independently, and most of what it hides can be read from the twin.
	HideFacts bool `json:"hide_facts"`
	// HideOne hides at least one of the edges that a projection follows.
	HideOne bool `json:"hide_one"`
	// HidePairs hides with an edge every other one between its two entities. Where the facts that are
	// missed join entities that nothing else joins, the others are a hint that will not be there.
	HidePairs HidePairs `json:"hide_pairs,omitempty"`
	// KnownWeight is what an answer that traversal still finds when those are hidden weighs beside
	// a hidden one: 1 in the paper; at 0 only hidden answers are positives.
	KnownWeight  float64 `json:"known_weight"`
	Temperature  float64 `json:"adversarial_temperature"` // 0: all negatives weigh the same
	SampleWeight bool    `json:"sample_weight"`           // queries weigh by their number of answers
	// SampleWeightGroup is how many queries are weighed beside each other; groups weigh the same. 0 stands for
	// the whole batch. The paper's NELL995 was trained on four GPUs, which weigh their 8 queries each.
	SampleWeightGroup int `json:"sample_weight_group,omitempty"`
	// FixedRelationGraph lets ultra see the relations of the whole graph where dropout thins
	// the facts; building them anew takes longer than a step on a GPU.
	FixedRelationGraph bool `json:"fixed_relation_graph"`
	// Cut is on how many entities around what it starts from a query is trained: 0 stands for neural.DefaultCut on graphs of more than
	// neural.CutAbove and for all of others, a negative number for all of any.
	Cut int `json:"cut,omitempty"`
	// Parts, of each graph, are cut out of it at random and trained on beside it (Parts).
	Parts int `json:"parts"`
	// PartEntities are how many entities the smallest and the largest part may have; none stands for 30 to 2,000.
	PartEntities []int `json:"part_entities,omitempty"`
	// PartsSplit is how many of the parts say with several relations what the graph says with one (splitRelations).
	PartsSplit float64 `json:"parts_split,omitempty"`
	// PartsApart is how many of the others have of all facts between two entities only one (joinedOnce), or one each way (joinedOnceEachWay).
	PartsApart float64 `json:"parts_apart,omitempty"`
	// PartsShare is how many of the steps are on parts, where there are parts.
	PartsShare float64 `json:"parts_share"`
	// ThinParts, of each graph, are parts that state little more than what holds them together and are asked for the rest (ThinParts); ThinShare
	// is how many of the steps are on them.
	ThinParts    int     `json:"thin_parts,omitempty"`
	ThinEntities []int   `json:"thin_entities,omitempty"` // as part_entities
	ThinShare    float64 `json:"thin_share,omitempty"`
	// ThinBeside is how many of the facts that nothing hangs on a thin part states at most; half of the parts state a tenth of that at most. 0 stands for 0.8.
	ThinBeside float64 `json:"thin_beside,omitempty"`
	// Worlds are graphs with laws of their own (package worlds), of as many entities as a part may have up to 1,000; WorldsShare is how many of
	// the steps are on them.
	Worlds      int     `json:"worlds,omitempty"`
	WorldsShare float64 `json:"worlds_share,omitempty"`
	// MixturePower, of several graphs: each is drawn by its number of facts to this power.
	MixturePower float64 `json:"mixture_power"`
	// MixtureWeights, of whole graphs by name: how many times as often as that a graph is drawn; 1 where it is not named.
	MixtureWeights map[string]float64 `json:"mixture_weights,omitempty"`

	Validations int `json:"validations"` // spread evenly over the steps, the last at the end
	// ValidationShapes are those that a model is judged by; none stands for all 14.
	ValidationShapes []string `json:"validation_shapes,omitempty"`
	// Shapes are the shapes trained on. Of a dataset all their queries are used; of
	// queries drawn on the fly each is as likely as its share of the counts.
	Shapes map[string]int `json:"shapes"`
	// TrainFraction is the part of a dataset's queries that is used, evenly of every shape.
	TrainFraction float64 `json:"train_fraction"`
	// ByAnswers is how many of a dataset's queries, or of the single links drawn from a graph, are drawn by their answers, each as often as it has some; the others come equally often.
	// Of single links all facts are hidden equally often then, and heads that have many tails are not as rare as in a list of pairs.
	ByAnswers float64 `json:"by_answers,omitempty"`
}

// Default suits a graph that nothing is known about.
func Default() Config {
	data, err := configs.Read(configs.Default)
	var c Config
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		panic(fmt.Sprintf("train: the default configuration: %v", err)) // a test reads it
	}
	return c
}

// ParseConfig reads a configuration; what it does not name is as in Default. name stands in errors.
func ParseConfig(data []byte, name string) (Config, error) {
	c := Default()
	var given struct {
		Shapes map[string]int `json:"shapes"`
	}
	if json.Unmarshal(data, &given) == nil && given.Shapes != nil {
		c.Shapes = nil // replaced as a whole, not shape by shape
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return c, kg.Errorf(kg.Invalid, name, "expected a training configuration as JSON: %v", err)
	}
	if err := c.Check(); err != nil {
		return c, kg.Errorf(kg.Invalid, name, "%v", err)
	}
	return c, nil
}

// Check says in one line what is wrong with a configuration.
func (c Config) Check() error {
	if err := c.Model.Check(); err != nil {
		return err
	}
	if _, err := fuzzy.ParseLogic(c.Logic); err != nil {
		return err
	}
	if c.Schedule != Constant && c.Schedule != Cosine {
		return kg.Errorf(kg.Invalid, "", "no schedule %q (expected %s or %s)", c.Schedule, Constant, Cosine)
	}
	if c.HidePairs != PairsStay && !c.HideFacts {
		return kg.Errorf(kg.Invalid, "", "hide_pairs needs hide_facts")
	}
	for name, p := range map[string][]int{"part_entities": c.PartEntities, "thin_entities": c.ThinEntities} {
		if p != nil && (len(p) != 2 || p[0] < 3 || p[1] < p[0]) {
			return kg.Errorf(kg.Invalid, "", "%s is %v, expected the least, 3 or more, and the most", name, p)
		}
	}
	for _, limit := range []struct {
		name  string
		value float64
		ok    bool
		want  string
	}{
		{"steps", float64(c.Steps), c.Steps >= 1, "1 or more"},
		{"batch", float64(c.Batch), c.Batch >= 1, "1 or more"},
		{"cut", float64(c.Cut), c.Cut >= -1, "a number of entities, 0 for the usual or -1 for all of the graph"},
		{"learning_rate", c.Rate, c.Rate > 0, "more than 0"},
		{"beta1", c.Beta1, c.Beta1 >= 0 && c.Beta1 < 1, "0 or more and less than 1"},
		{"beta2", c.Beta2, c.Beta2 >= 0 && c.Beta2 < 1, "0 or more and less than 1"},
		{"clip_norm", c.ClipNorm, c.ClipNorm >= 0, "0 or more"},
		{"epsilon", c.Epsilon, c.Epsilon > 0, "more than 0"},
		{"traversal_dropout", c.Dropout, c.Dropout >= 0 && c.Dropout <= 1, "0 to 1"},
		{"known_weight", c.KnownWeight, c.KnownWeight >= 0 && c.KnownWeight <= 1, "0 to 1"},
		{"warmup", float64(c.Warmup), c.Warmup >= 0, "0 or more"},
		{"average", c.Average, c.Average >= 0 && c.Average < 1, "0 or more and less than 1"},
		{"parts", float64(c.Parts), c.Parts >= 0, "0 or more"},
		{"parts_split", c.PartsSplit, c.PartsSplit >= 0 && c.PartsSplit <= 1, "0 to 1"},
		{"parts_apart", c.PartsApart, c.PartsApart >= 0 && c.PartsSplit+c.PartsApart <= 1, "0 to 1 with parts_split"},
		{"parts_share", c.PartsShare, c.PartsShare >= 0 && c.PartsShare <= 1, "0 to 1"},
		{"worlds", float64(c.Worlds), c.Worlds >= 0, "0 or more"},
		{"worlds_share", c.WorldsShare, c.WorldsShare >= 0 && c.PartsShare+c.WorldsShare <= 1, "0 to 1 with parts_share"},
		{"thin_parts", float64(c.ThinParts), c.ThinParts >= 0, "0 or more"},
		{"thin_share", c.ThinShare, c.ThinShare >= 0 && c.PartsShare+c.WorldsShare+c.ThinShare <= 1, "0 to 1 with parts_share and worlds_share"},
		{"thin_beside", c.ThinBeside, c.ThinBeside >= 0 && c.ThinBeside <= 1, "0 to 1"},
		{"sample_weight_group", float64(c.SampleWeightGroup), c.SampleWeightGroup >= 0, "0 or more"},
		{"mixture_power", c.MixturePower, c.MixturePower >= 0, "0 or more"},
		{"train_fraction", c.TrainFraction, c.TrainFraction > 0 && c.TrainFraction <= 1, "more than 0 and at most 1"},
		{"by_answers", c.ByAnswers, c.ByAnswers >= 0 && c.ByAnswers <= 1, "0 to 1"},
		{"adversarial_temperature", c.Temperature, c.Temperature >= 0, "0 or more"},
		{"validations", float64(c.Validations), c.Validations >= 0, "0 or more"},
	} {
		if !limit.ok {
			return kg.Errorf(kg.Invalid, "", "%s is %v, expected %s", limit.name, limit.value, limit.want)
		}
	}
	return nil
}

// objective is what the loss computes.
func (c Config) objective() kernel.Objective {
	return kernel.Objective{Temperature: float32(c.Temperature)}
}

// ShapeNames lists the shapes in order.
func (c Config) ShapeNames() []string { return slices.Sorted(maps.Keys(c.Shapes)) }

// validatesAt tells whether a validation is due after so many steps.
func (c Config) validatesAt(step int) bool {
	return step > 0 && step*c.Validations/c.Steps > (step-1)*c.Validations/c.Steps
}

// differs names the first setting in which two configurations would train differently.
// How long training lasts is not one of them: a cosine is then that of the new length.
func (c Config) differs(began Config) string {
	ours, theirs := c.settings(), began.settings()
	for _, key := range slices.Sorted(maps.Keys(ours)) {
		if !bytes.Equal(ours[key], theirs[key]) {
			return fmt.Sprintf("%s is %s where the run began with %s", key, ours[key], theirs[key])
		}
	}
	return ""
}

func (c Config) settings() map[string]json.RawMessage {
	c.Steps, c.Validations = 0, 0
	text, _ := json.Marshal(c) // plain numbers and strings
	var settings map[string]json.RawMessage
	json.Unmarshal(text, &settings)
	return settings
}
