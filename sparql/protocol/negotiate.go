package protocol

import (
	"mime"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/sparql/results"
)

// offered are the names under which each format may be asked for.
var offered = map[results.Format][]string{
	results.JSON: {"application/sparql-results+json", "application/json"},
	results.XML:  {"application/sparql-results+xml", "application/xml", "text/xml"},
	results.CSV:  {"text/csv"},
	results.TSV:  {"text/tab-separated-values"},

	results.Turtle:   {"text/turtle"},
	results.NTriples: {"application/n-triples"},
	results.RDFXML:   {"application/rdf+xml"},
	results.JSONLD:   {"application/ld+json"},
}

func baseType(f results.Format) string { return offered[f][0] }

// negotiate chooses the format that the Accept headers prefer among some; of equal ones
// the first, which it also is without any header.
func negotiate(accept []string, among []results.Format) (results.Format, bool) {
	ranges := parseAccept(accept)
	if len(ranges) == 0 {
		return among[0], true
	}
	best, most := among[0], 0.0
	for _, f := range among {
		if q := quality(ranges, f); q > most {
			best, most = f, q
		}
	}
	return best, most > 0
}

// mediaRange is an element of Accept: a type, type/* or */*, with its quality.
type mediaRange struct {
	name    string
	quality float64
}

func parseAccept(headers []string) []mediaRange {
	var ranges []mediaRange
	for _, header := range headers {
		for _, part := range strings.Split(header, ",") {
			if strings.TrimSpace(part) == "" {
				continue
			}
			name, attributes, err := mime.ParseMediaType(part)
			if err != nil || !strings.Contains(name, "/") { // what is no range rules nothing out
				continue
			}
			r := mediaRange{name, 1}
			if text, given := attributes["q"]; given {
				if r.quality, err = strconv.ParseFloat(text, 64); err != nil || !(r.quality >= 0 && r.quality <= 1) {
					r.quality = 0
				}
			}
			ranges = append(ranges, r)
		}
	}
	return ranges
}

// quality is how much a client wants a format: by the most specific range that
// covers one of its names (RFC 9110, section 12.5.1), at the name it wants most.
func quality(ranges []mediaRange, f results.Format) float64 {
	most := 0.0
	for _, name := range offered[f] {
		group, _, _ := strings.Cut(name, "/")
		for _, pattern := range []string{name, group + "/*", "*/*"} {
			if q, found := qualityOf(ranges, pattern); found {
				most = max(most, q)
				break
			}
		}
	}
	return most
}

func qualityOf(ranges []mediaRange, name string) (q float64, found bool) {
	for _, r := range ranges {
		if r.name == name {
			q, found = max(q, r.quality), true
		}
	}
	return q, found
}
