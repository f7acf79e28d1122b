package train

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/configs"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

func TestEveryConfiguration(t *testing.T) {
	paper := map[string]Config{
		"fb15k": {Steps: 10_000, Batch: 192}, "fb15k-237": {Steps: 10_000, Batch: 192}, "nell995": {Steps: 30_000, Batch: 32, SampleWeight: true, SampleWeightGroup: 8},
	}
	names := configs.Names()
	if len(names) != 20 {
		t.Errorf("configurations %v", names)
	}
	for _, name := range names {
		data, err := configs.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := ParseConfig(data, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, shape := range c.ShapeNames() {
			if _, err := query.ParseShape(shape); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		foundation := strings.HasPrefix(name, "foundation")
		if foundation != c.Model.AnyGraph() || (c.Model.Kind == gnn.Ultra || strings.HasPrefix(name, configs.FineTune)) != c.FixedRelationGraph {
			t.Errorf("%s: %+v", name, c)
		}
		want, ok := paper[name]
		if !ok {
			continue
		}
		if c.Steps != want.Steps || c.Batch != want.Batch || c.SampleWeight != want.SampleWeight || c.SampleWeightGroup != want.SampleWeightGroup || c.Model.ConcatHidden != want.SampleWeight ||
			c.Rate != 5e-3 || c.Dropout != 0.25 || c.KnownWeight != 1 || c.Temperature != 0.2 || c.Validations != 10 || c.Model.Width != 32 || c.Model.Layers != 4 || len(c.Shapes) != 10 {
			t.Errorf("%s: %+v is not the paper's", name, c)
		}
	}
	if _, err := configs.Read("none"); kg.KindOf(err) != kg.NotFound {
		t.Errorf("a configuration that does not exist: %v", err)
	}
}

func TestParseConfigFillsIn(t *testing.T) {
	c, err := ParseConfig([]byte(`{"steps": 7, "model": {"dim": 16}, "shapes": {"2i": 3}}`), "x")
	want := Default()
	want.Steps, want.Model.Width, want.Shapes = 7, 16, map[string]int{"2i": 3}
	if err != nil || !reflect.DeepEqual(c, want) {
		t.Errorf("read %+v, %v, want %+v", c, err, want)
	}
}

func TestParseConfigRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"stepz": 7}`:                       `unknown field "stepz"`,
		`[]`:                                 "as JSON",
		`{"steps": 0}`:                       "steps is 0, expected 1 or more",
		`{"batch": -1}`:                      "batch is -1",
		`{"traversal_dropout": 1.5}`:         "traversal_dropout is 1.5, expected 0 to 1",
		`{"hide_pairs": "some"}`:             `hide_pairs is "some", expected true, false or auto`,
		`{"hide_pairs": true}`:               "hide_pairs needs hide_facts",
		`{"known_weight": -0.1}`:             "known_weight is -0.1, expected 0 to 1",
		`{"schedule": "linear"}`:             `no schedule "linear" (expected constant or cosine)`,
		`{"average": 1}`:                     "average is 1, expected 0 or more and less than 1",
		`{"adversarial_temperature": -0.5}`:  "adversarial_temperature is -0.5",
		`{"part_entities": [9]}`:             "part_entities is [9], expected the least",
		`{"learning_rate": 0}`:               "learning_rate is 0, expected more than 0",
		`{"logic": "boolean"}`:               `no logic "boolean"`,
		`{"model": {"aggregate": "median"}}`: `unknown aggregate "median"`,
	} {
		_, err := ParseConfig([]byte(text), "c.json")
		if kg.KindOf(err) != kg.Invalid || !strings.Contains(fmt.Sprint(err), want) || !strings.HasPrefix(err.Error(), "c.json: ") {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

func TestValidationsAreSpreadEvenly(t *testing.T) {
	for _, c := range []struct {
		steps, validations int
		want               string
	}{{10, 2, "[5 10]"}, {10, 3, "[4 7 10]"}, {3, 10, "[1 2 3]"}, {5, 0, "[]"}, {7, 1, "[7]"}} {
		at := []int{}
		for step := range c.steps + 1 {
			if (Config{Steps: c.steps, Validations: c.validations}).validatesAt(step) {
				at = append(at, step)
			}
		}
		if fmt.Sprint(at) != c.want {
			t.Errorf("%d validations in %d steps: at %v, want %v", c.validations, c.steps, at, c.want)
		}
	}
}
