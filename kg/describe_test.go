package kg

import (
	"reflect"
	"testing"
)

func TestDescribe(t *testing.T) {
	var names, relations Interner
	for _, name := range []string{"Roma", "Fellini", "Vertigo", "nobody"} {
		names.Intern([]byte(name))
	}
	for _, name := range []string{"Inspired", "Directed"} {
		relations.Intern([]byte(name))
	}
	v := &Vocabulary{Entities: Dictionary{Names: names.Names()}, Relations: Dictionary{Names: relations.Names()}}
	facts := []Triple{{1, Forward(1), 0}, {1, Forward(1), 2}, {0, Forward(0), 2}, {1, Forward(1), 0}}
	s := &Splits{Train: Build(v, facts), Test: []Triple{{1, Forward(0), 0}}}
	want := Description{
		Entities: 4, Isolated: 1, Triples: 3, Duplicates: 1, Test: 1, MeanDegree: 1.5, MaxDegree: 2, Hub: "Roma",
		Relations: []RelationDescription{
			{"Directed", 2, [2]string{"Fellini", "Roma"}},
			{"Inspired", 1, [2]string{"Roma", "Vertigo"}},
		},
	}
	if got := s.Describe(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
