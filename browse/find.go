package browse

import (
	"slices"
	"strings"
	"unicode"

	"github.com/lacuna-kg/lacuna/kg"
)

// alike are words that relations of one meaning are named by, each list a meaning. A question has other
// words than a graph: who was born asks for place_of_birth.
var alike = [][]string{
	{"born", "birth", "birthplace", "nativity"},
	{"died", "death", "dead", "deceased"},
	{"married", "spouse", "wife", "husband", "partner", "marriage"},
	{"child", "children", "son", "daughter", "kid", "offspring"},
	{"parent", "mother", "father", "parents"},
	{"sibling", "brother", "sister"},
	{"wrote", "writer", "author", "written", "writes"},
	{"directed", "director", "directs", "direct"},
	{"acted", "actor", "actress", "starring", "cast", "stars", "played", "performance", "performer"},
	{"made", "produced", "producer", "maker", "manufacturer", "creator", "created", "developer", "developed"},
	{"located", "location", "place", "where", "city", "situated", "country"},
	{"works", "work", "employer", "employed", "job", "profession", "occupation", "workplace", "career"},
	{"studied", "education", "alma", "school", "university", "college", "graduated", "educated"},
	{"citizen", "nationality", "citizenship", "country"},
	{"won", "win", "award", "prize", "winner", "honor", "honour", "wins"},
	{"member", "membership", "belongs", "part", "team", "group"},
	{"language", "speaks", "spoken", "speak"},
	{"treats", "treatment", "treat", "cures", "drug", "therapy"},
	{"genre", "kind", "type", "category", "style"},
	{"founded", "founder", "established", "founding"},
	{"owns", "owner", "owned", "parent", "subsidiary"},
	{"religion", "faith", "believes"},
	{"film", "movie", "picture"},
	{"song", "track", "music", "sang", "singer"},
	{"year", "date", "when", "time"},
	{"contains", "contained", "within", "inside"},
	{"advised", "advisor", "supervisor", "student", "taught", "teacher", "mentor"},
	{"causes", "cause", "caused", "leads"},
	{"capital", "seat"},
	{"plays", "play", "sport", "position", "player"},
}

// FindRelations finds relations by words, all of which their names hold, or begin with, or mean alike; the best first.
func FindRelations(g *kg.Graph, text string, limit int) []Relation {
	wanted := words(text)
	isNamed := func(base uint32) bool {
		return matches(wanted, append(words(g.Relation(kg.Forward(base))), words(g.Relations.LabelledID(base))...)) > 0
	}
	return Among(described(g, isNamed), text, limit)
}

// Among is FindRelations of those that were described already.
func Among(relations []Relation, text string, limit int) []Relation {
	wanted := words(text)
	type scored struct {
		Relation
		score int
	}
	var list []scored
	for _, r := range relations {
		if score := matches(wanted, append(words(r.Name), words(r.ID)...)); score > 0 {
			list = append(list, scored{r, score})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return b.score - a.score }) // the frequent stay first
	best := []Relation{}
	for _, s := range list[:min(limit, len(list))] {
		best = append(best, s.Relation)
	}
	return best
}

// matches scores how well words stand for others: 0 where one of them has no counterpart.
func matches(wanted, have []string) (score int) {
	if len(wanted) == 0 {
		return 0
	}
	for _, w := range wanted {
		best := 0
		for _, h := range have {
			best = max(best, matchWord(w, h))
		}
		if best == 0 {
			return 0
		}
		score += best
	}
	return score
}

func matchWord(wanted, have string) int {
	const same, begins, means = 4, 3, 2
	switch {
	case wanted == have:
		return same
	case len(wanted) >= 3 && strings.HasPrefix(have, wanted), len(have) >= 4 && strings.HasPrefix(wanted, have):
		return begins
	}
	for _, meaning := range alike {
		if slices.Contains(meaning, wanted) && slices.Contains(meaning, have) {
			return means
		}
	}
	return 0
}

// words are those of a name, in lower case: parted by signs, and where a capital follows a small letter.
func words(name string) (list []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			list = append(list, strings.ToLower(string(word)))
		}
		word = nil
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			continue
		}
		if unicode.IsUpper(r) && len(word) > 0 && unicode.IsLower(word[len(word)-1]) {
			end()
		}
		word = append(word, r)
	}
	end()
	return list
}
