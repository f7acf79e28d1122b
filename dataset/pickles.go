package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/pickle"
	"github.com/lacuna-kg/lacuna/kg"
)

// readPickle reads the one value of a file.
func readPickle(path string) (any, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, kg.Errorf(kg.NotFound, path, "there is no such file")
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	value, err := pickle.Decode(file, pickle.Hooks{})
	var malformed *pickle.Error
	if errors.As(err, &malformed) {
		return nil, kg.Errorf(kg.Invalid, path, "%v", malformed)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return value, nil
}

// readDict reads a file whose value is a dict.
func readDict(path string) (*pickle.Dict, error) {
	value, err := readPickle(path)
	if err != nil {
		return nil, err
	}
	dict, ok := value.(*pickle.Dict)
	if !ok {
		return nil, kg.Errorf(kg.Invalid, path, "expected a dict, found %s", describe(value))
	}
	return dict, nil
}

// answerFile gives the answers of queries, or says that there are none.
type answerFile struct {
	path  string
	lists map[string]any // by the key of the query's tuple; nil if the file does not exist
}

// readAnswers reads a dict of queries and sets; a file that does not exist gives no answers.
func readAnswers(path string) (answerFile, error) {
	if path == "" || !exists(path) {
		return answerFile{path: path}, nil
	}
	dict, err := readDict(path)
	if err != nil {
		return answerFile{}, err
	}
	file := answerFile{path, make(map[string]any, dict.Len())}
	var key []byte
	for i, tuple := range dict.Keys {
		if key, err = appendTupleKey(key[:0], tuple); err != nil {
			return answerFile{}, kg.Errorf(kg.Invalid, path, "key %d: %v", i, err)
		}
		file.lists[string(key)] = dict.Values[i]
	}
	return file, nil
}

// of gives the answers of a query; ok is false where the file gives none.
func (f answerFile) of(key []byte, n numbering) (answers []kg.Entity, ok bool, err error) {
	value, ok := f.lists[string(key)]
	if !ok {
		return nil, false, nil
	}
	answers, err = n.answerList(value)
	if err != nil {
		return nil, false, kg.Errorf(kg.Invalid, f.path, "%v", err)
	}
	return answers, true, nil
}

// integers are the members of a set or list of numbers.
func integers(value any) ([]int64, error) {
	var others []any
	var numbers []int64
	switch value := value.(type) {
	case *pickle.Set:
		numbers, others = value.Ints, value.Others
	case *pickle.List:
		others = value.Items
	default:
		return nil, fmt.Errorf("expected a set of answers, found %s", describe(value))
	}
	if len(others) > 0 {
		numbers = slices.Clone(numbers)
	}
	for _, item := range others {
		number, ok := item.(int64)
		if !ok {
			return nil, fmt.Errorf("expected a number as an answer, found %s", describe(item))
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}

func sortedDistinct(answers []kg.Entity) []kg.Entity {
	slices.Sort(answers)
	return slices.Compact(answers)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
