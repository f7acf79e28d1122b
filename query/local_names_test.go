package query

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

func TestShortNamesOfIRIs(t *testing.T) {
	names := func(list ...string) kg.Dictionary {
		var in kg.Interner
		for _, name := range list {
			in.Intern([]byte(name))
		}
		return kg.Dictionary{Names: in.Names()}
	}
	v := &kg.Vocabulary{
		Entities:  names("http://ex.org/Fellini", "http://ex.org/a#Rome", "http://other.org/Rome", "/m/Rome2"),
		Relations: names("http://ex.org/director", "bornIn"),
		Prefixes:  []kg.Prefix{{Name: "ex", IRI: "http://ex.org/"}, {Name: "", IRI: "http://other.org/"}},
	}
	for name, want := range map[string]kg.Entity{"ex:Fellini": 0, "Fellini": 0, ":Rome": 2, "http://ex.org/a#Rome": 1, "<http://ex.org/a#Rome>": 1} {
		if got, err := FindEntity(name, v); err != nil || got != want {
			t.Errorf("%s is %d, %v; want %d", name, got, err, want)
		}
	}
	for name, want := range map[string]string{
		"Rome": `"Rome" is the name of 2 entities`, "fellini": `no entity "fellini"`, "Rome2": `no entity "Rome2"`, "ex:Rome": "no entity", "": "no entity",
	} {
		if _, err := FindEntity(name, v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %s", name, err, want)
		}
	}
	for _, name := range []string{"director", "ex:director"} {
		if got, err := FindRelation(name, v); err != nil || got != 0 {
			t.Errorf("%s is %d, %v", name, got, err)
		}
	}
	if got, err := FindRelation("director^-1", v); err != nil || got != 1 {
		t.Errorf("the inverse is %d, %v", got, err)
	}
}
