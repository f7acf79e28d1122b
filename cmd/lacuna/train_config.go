package main

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/configs"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/train"
)

// readConfig reads the configuration and lets the flags override it.
func (f *trainFlags) readConfig(cmd *cobra.Command) (train.Config, error) {
	data, err := f.configText()
	if err != nil {
		return train.Config{}, err
	}
	if data, err = override(data, f.settings, f.config); err != nil {
		return train.Config{}, err
	}
	config, err := train.ParseConfig(data, f.config)
	if err != nil {
		return config, err
	}
	if f.steps != 0 {
		config.Steps = f.steps
	}
	if f.batch != 0 {
		config.Batch = f.batch
	}
	if cmd.Flags().Changed("seed") {
		config.Seed = f.seed
	}
	return config, config.Check()
}

// configText is the configuration that was named. Where none was, a run goes on with its own,
// and a new one takes that for fine-tuning or the default.
func (f *trainFlags) configText() ([]byte, error) {
	switch {
	case strings.HasSuffix(f.config, ".json"):
		data, err := os.ReadFile(f.config)
		if err != nil {
			return nil, kg.Errorf(kg.NotFound, "", "%v", err)
		}
		return data, nil
	case f.config == "" && f.opts.Resume:
		f.config = f.opts.Dir
		began, err := train.SavedConfig(f.opts.Dir)
		if err != nil {
			return nil, err
		}
		return json.Marshal(began)
	case f.config == "" && f.from != "":
		f.config = configs.FineTune
	case f.config == "":
		f.config = configs.Default
	}
	return configs.Read(f.config)
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

// start reads the model to start from. A resumed run has its own parameters, but
// the network is the same.
func (f *trainFlags) start() (err error) {
	if f.from == "" {
		return nil
	}
	f.opts.Start, err = neural.OpenModel(f.from, f.opts.Device)
	return err
}
