package sample

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/query"
)

// BetaE as the text of counts is BetaE's numbers.
const BetaE = "betae"

// ParseCounts reads how many queries of a split are wanted: a number of each shape, "all",
// BetaE, or pairs such as "1p=all,2i=1000". Shapes are those that a number is for, those of
// betae for none. betae has BetaE's counts for the split; it is empty for a split without facts.
func ParseCounts(text string, shapes []string, betae []Count) ([]Count, error) {
	if text == BetaE && len(shapes) == 0 {
		return betae, nil
	}
	if strings.Contains(text, "=") {
		return parsePairs(text)
	}
	var list []Count
	for _, c := range chosen(shapes, betae) {
		if text != BetaE {
			queries, err := parseCount(text)
			if err != nil {
				return nil, err
			}
			c.Queries = queries
		}
		if c.Queries != 0 {
			list = append(list, c)
		}
	}
	return list, nil
}

// chosen are the given shapes, with BetaE's counts where it has one, or all of BetaE's.
func chosen(shapes []string, betae []Count) []Count {
	if len(shapes) == 0 || len(betae) == 0 {
		return betae
	}
	var list []Count
	for _, shape := range shapes {
		c := Count{Shape: shape, Queries: betae[len(betae)-1].Queries}
		if at := slices.IndexFunc(betae, func(b Count) bool { return b.Shape == shape }); at >= 0 {
			c = betae[at]
		}
		list = append(list, c)
	}
	return list
}

func parsePairs(text string) ([]Count, error) {
	var list []Count
	for _, pair := range query.SplitShapes(text) {
		at := strings.LastIndex(pair, "=")
		if at < 0 {
			return nil, fmt.Errorf("expected shape=number, found %q", pair)
		}
		queries, err := parseCount(pair[at+1:])
		if err != nil {
			return nil, err
		}
		list = append(list, Count{Shape: pair[:at], Queries: queries})
	}
	return list, nil
}

func parseCount(text string) (int, error) {
	if text == "all" {
		return All, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("expected a number, all, betae or shape=number pairs, found %q", text)
	}
	return n, nil
}
