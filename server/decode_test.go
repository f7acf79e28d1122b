package server

import (
	"strings"
	"testing"
)

// What is wrong with a body is told in words of JSON.
func TestJSONTrouble(t *testing.T) {
	for body, want := range map[string]string{
		`{"score": [["a", "r", "b"]]}`: `array is no value in "score", expected an object`,
		`{"relation": 3}`:              `number is no value in "relation", expected a string`,
		`{"top": "many"}`:              `string is no value in "top", expected a number that fits`,
		`{"lacking": "yes"}`:           `string is no value in "lacking", expected true or false`,
		``:                             `it is empty`,
		`{"n"`:                         `it ends early`,
		`{"n": 3}`:                     `unknown field "n"`,
		`[]`:                           `array is no value there, expected an object`,
	} {
		err := decodeJSON([]byte(body), &PredictRequest{})
		if err == nil || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "Go") {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
}
