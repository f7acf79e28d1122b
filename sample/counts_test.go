package sample

import (
	"slices"
	"testing"
)

func TestParseCounts(t *testing.T) {
	betae := []Count{{"1p", 100}, {"2in", 10}}
	for _, c := range []struct {
		text   string
		shapes []string
		betae  []Count
		want   []Count
	}{
		{"betae", nil, betae, betae},
		{"betae", []string{"2in", "3p"}, betae, []Count{{"2in", 10}, {"3p", 10}}},
		{"7", nil, betae, []Count{{"1p", 7}, {"2in", 7}}},
		{"7", []string{"3p"}, betae, []Count{{"3p", 7}}},
		{"7", []string{"3p"}, nil, nil}, // a split without facts
		{"all", []string{"1p"}, betae, []Count{{"1p", All}}},
		{"0", nil, betae, nil},
		{"1p=all,P(C(P(e), P(e)))=3", nil, betae, []Count{{"1p", All}, {"P(C(P(e), P(e)))", 3}}},
	} {
		got, err := ParseCounts(c.text, c.shapes, c.betae)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s of %v: %v, %v; want %v", c.text, c.shapes, got, err, c.want)
		}
	}
	for _, text := range []string{"many", "-1", "1p=", "1p=5,2p", "1p=-3"} {
		if got, err := ParseCounts(text, nil, betae); err == nil {
			t.Errorf("%s is read as %v", text, got)
		}
	}
}
