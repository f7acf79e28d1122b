package term

import "testing"

// What is equal has one key, whatever is compared with what.
func TestValueKeys(t *testing.T) {
	var all []Term
	for _, lexical := range []string{"1", "01", "1.0", "1e0", "0.1", "16777217", "9007199254740993", "9007199254740992", "-0", "0", "NaN", "INF", "true", "a", "",
		"2001-01-01T00:00:00Z", "2001-01-01T01:00:00+01:00", "2001-01-01T00:00:00", "2001-01-01T24:00:00Z", "2001-01-02T00:00:00.0Z", "2001-01-01", "2001-01-01Z", "12:00:00", "P1Y", "P12M", "PT24H", "P1D"} {
		for _, name := range []string{"integer", "decimal", "double", "float", "byte", "boolean", "string", "dateTime", "date", "time", "duration", "yearMonthDuration", "dayTimeDuration"} {
			all = append(all, Typed(lexical, "http://www.w3.org/2001/XMLSchema#"+name))
		}
		all = append(all, Typed(lexical, ""), Typed(lexical, "http://x/type"), Term{Kind: IRI, Value: lexical}, Term{Kind: Blank, Value: lexical},
			Term{Kind: Literal, Value: lexical, Language: "en"}, Term{Kind: Literal, Value: lexical, Language: "EN"})
	}
	equal := 0
	for _, a := range all {
		for _, b := range all {
			if same, decided := Equal(a, b); !same || !decided {
				continue
			}
			equal++
			k, ok := ValueKeyOf(a)
			l, too := ValueKeyOf(b)
			if !ok || !too || k != l {
				t.Errorf("%v = %v, and their keys are %v and %v", a, b, k, l)
			}
		}
	}
	if equal < len(all) {
		t.Errorf("%d pairs of %d terms are equal: too few to prove much", equal, len(all))
	}
}
