package main

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/train"
	"github.com/lacuna-kg/lacuna/train/prepare"
)

// readConfig reads the configuration and lets the flags override it.
func (f *trainFlags) readConfig(cmd *cobra.Command) (train.Config, error) {
	resumed := ""
	if f.training.Resume {
		resumed = f.output
	}
	data, name, err := prepare.ConfigText(f.config, resumed, f.training.From != "")
	if err != nil {
		return train.Config{}, err
	}
	if data, err = override(data, f.settings, name); err != nil {
		return train.Config{}, err
	}
	config, err := train.ParseConfig(data, name)
	if err != nil {
		return config, err
	}
	if f.steps != 0 {
		config.Steps = f.steps
	}
	if f.batch != 0 {
		config.Batch = f.batch
	}
	if f.cut != 0 {
		config.Cut = f.cut
	}
	if cmd.Flags().Changed("seed") {
		config.Seed = f.seed
	}
	return config, config.Check()
}

// override puts settings of the form path=value into a configuration. A path leads
// through objects by dots; a value is JSON, or a string where it is none.
func override(data []byte, settings []string, name string) ([]byte, error) {
	if len(settings) == 0 {
		return data, nil
	}
	var config map[string]any
	if err := json.Unmarshal(data, &config); err != nil {
		return nil, kg.Errorf(kg.Invalid, name, "expected a training configuration as JSON: %v", err)
	}
	for _, setting := range settings {
		path, text, ok := strings.Cut(setting, "=")
		if !ok || path == "" {
			return nil, kg.Errorf(kg.Invalid, "", "--set %s: expected a setting and its value, such as traversal_dropout=0.5", setting)
		}
		if err := assign(config, path, text); err != nil {
			return nil, kg.Errorf(kg.Invalid, "", "--set %s: %v", setting, err)
		}
	}
	return json.Marshal(config)
}

func assign(config map[string]any, path, text string) error {
	key, rest, nested := strings.Cut(path, ".")
	if !nested {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			value = text
		}
		config[key] = value
		return nil
	}
	within, ok := config[key].(map[string]any)
	if !ok {
		if config[key] != nil {
			return kg.Errorf(kg.Invalid, "", "%s has no settings within", key)
		}
		within = map[string]any{}
		config[key] = within
	}
	return assign(within, rest, text)
}
