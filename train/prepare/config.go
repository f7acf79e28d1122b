package prepare

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/lacuna-kg/lacuna/configs"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/train"
)

// ConfigText reads a training configuration as JSON: one that comes with Lacuna by its name, or
// a file whose name ends in .json. Where none is named, a run that is resumed in a folder
// goes on with its own, and a new one takes that for fine-tuning or the default. Called is
// what messages call it.
func ConfigText(name, resumed string, fineTune bool) (text []byte, called string, err error) {
	switch {
	case strings.HasSuffix(name, ".json"):
		if text, err = os.ReadFile(name); err != nil {
			return nil, name, kg.Errorf(kg.NotFound, "", "%v", err)
		}
		return text, name, nil
	case name == "" && resumed != "":
		began, err := train.SavedConfig(resumed)
		if err != nil {
			return nil, resumed, err
		}
		text, err = json.Marshal(began)
		return text, resumed, err
	case name == "" && fineTune:
		name = configs.FineTune
	case name == "":
		name = configs.Default
	}
	text, err = configs.Read(name)
	return text, name, err
}
