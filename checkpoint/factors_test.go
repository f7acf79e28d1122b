package checkpoint

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/factor"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

func toyFactors(t *testing.T) *Factors {
	t.Helper()
	f, err := NewFactors(factor.New(3, 4, 2, 1), toyGraph().Vocabulary, factor.Blend{{UpTo: 3, Vectors: 0.5}, {Vectors: 1}}, factor.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFactorsRoundTrip(t *testing.T) {
	m, card := toyModel(t, configs()["nbfnet"], 3)
	card.Factors = toyFactors(t)
	path := filepath.Join(t.TempDir(), "both.safetensors")
	if err := Save(path, m, card, Single); err != nil {
		t.Fatal(err)
	}
	_, back, err := Load(path, plain.New())
	if err != nil || !reflect.DeepEqual(back.Factors, card.Factors) {
		t.Errorf("%+v became %+v (%v)", card.Factors, back.Factors, err)
	}
}

// Vectors are of the names that they were learned with, and of others that came behind them.
func TestFactorsFit(t *testing.T) {
	f, relations := toyFactors(t), []string{"knows", "likes"}
	for _, c := range []struct {
		entities, relations []string
		fits                bool
	}{
		{[]string{"ada", "bob", "cy"}, relations, true},
		{[]string{"ada", "bob", "cy", "dee"}, append(relations, "hates"), true},
		{[]string{"ada", "cy", "bob"}, relations, false},
		{[]string{"ada", "bob"}, relations, false},
		{[]string{"ada", "bob", "cy"}, []string{"likes", "knows"}, false},
		{[]string{"ada", "bob", "cy"}, relations[:1], false},
	} {
		if f.Fit(vocabulary(c.entities, c.relations)) != c.fits {
			t.Errorf("fits %v and %v: expected %v", c.entities, c.relations, c.fits)
		}
	}
}

func TestLoadRefusesFactors(t *testing.T) {
	for want, change := range map[string]func(*tensorFile){
		`"factors" in its metadata`:                    func(f *tensorFile) { f.Metadata[factorsKey] = "{" },
		"part 1 weighs vectors -1":                     func(f *tensorFile) { f.Metadata[factorsKey] = `{"blend":[{"vectors":-1}]}` },
		"no weight of vectors":                         func(f *tensorFile) { f.Metadata[factorsKey] = `{}` },
		`tensor "factors.relations" is missing`:        func(f *tensorFile) { rename(f, relationFactors, "other") },
		`tensor "factors.entities" of shape [12]`:      func(f *tensorFile) { reshape(f, entityFactors, 12) },
		"vectors of 2 numbers for entities and of 1":   func(f *tensorFile) { reshape(f, relationFactors, 8, 2) },
		`"factors.entities" of shape [3 4], expected `: func(f *tensorFile) { poison(f, entityFactors) },
	} {
		_, _, err := LoadBytes(edit(t, func(f *tensorFile) {
			if err := f.addFactors(toyFactors(t), F32); err != nil {
				t.Fatal(err)
			}
			change(f)
		}), "m.safetensors", plain.New())
		if kg.KindOf(err) != kg.Invalid || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	var how factor.Options
	if err := json.Unmarshal(toyFactors(t).Training, &how); err != nil || how.Rank != factor.DefaultOptions().Rank {
		t.Errorf("%v: training by %+v", err, how)
	}
}
