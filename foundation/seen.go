package foundation

import (
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// A sketch of a graph is the smallest hashes of its facts, each as the names at its ends in either order: a graph that
// shares a tenth of the facts has about a tenth of the hashes. Relations are left out, as copies of a graph often rename them.
const sketchSize = 64

// sketches of the graphs that the model was trained on, a line each: name, number of facts, hashes.
// go test ./foundation -run TestSeen -update writes them.
//
//go:embed seen.tsv
var sketches string

// Overlap is a graph that the model was trained on and that another graph repeats in part.
type Overlap struct {
	Graph string
	Facts int // about so many that both have
}

// LeastOverlap is the share of a training graph's facts from which an overlap is worth a word.
const LeastOverlap = 0.1

// Seen are the graphs among those that the model was trained on of which the facts, given by the names at their ends, repeat a tenth or more.
func Seen(facts iter.Seq2[string, string]) (overlaps []Overlap) {
	training := parseSketches(sketches)
	wanted, highest := map[uint64]bool{}, uint64(0)
	for _, s := range training {
		for _, h := range s.hashes {
			wanted[h], highest = false, max(highest, h)
		}
	}
	for a, b := range facts {
		if h := hashOf(a, b); h <= highest {
			if _, known := wanted[h]; known {
				wanted[h] = true
			}
		}
	}
	for _, s := range training {
		found := 0
		for _, h := range s.hashes {
			if wanted[h] {
				found++
			}
		}
		if share := float64(found) / float64(max(1, len(s.hashes))); share >= LeastOverlap {
			overlaps = append(overlaps, Overlap{s.name, int(share*float64(s.facts) + 0.5)})
		}
	}
	return overlaps
}

type sketch struct {
	name   string
	facts  int
	hashes []uint64
}

// newSketch draws the sketch of a graph. Small numbers as names say nothing: many graphs have them.
func newSketch(name string, facts iter.Seq2[string, string]) sketch {
	s := sketch{name: name}
	for a, b := range facts {
		if s.facts++; !isSmallNumber(a) && !isSmallNumber(b) {
			s.hashes = append(s.hashes, hashOf(a, b))
		}
	}
	slices.Sort(s.hashes)
	s.hashes = slices.Compact(s.hashes)
	s.hashes = s.hashes[:min(len(s.hashes), sketchSize)]
	return s
}

func isSmallNumber(name string) bool { return len(name) < 6 && strings.Trim(name, "0123456789") == "" }

func hashOf(a, b string) uint64 {
	if b < a {
		a, b = b, a
	}
	h := fnv.New64a()
	h.Write([]byte(a))
	h.Write([]byte{0})
	h.Write([]byte(b))
	// FNV's high bits change little with the last bytes; one multiplication spreads them (Fibonacci hashing).
	x := h.Sum64()
	return (x ^ x>>32) * 0x9E3779B97F4A7C15
}

func (s sketch) String() string {
	data := make([]byte, 0, 8*len(s.hashes))
	for _, h := range s.hashes {
		data = binary.LittleEndian.AppendUint64(data, h)
	}
	return s.name + "\t" + strconv.Itoa(s.facts) + "\t" + base64.StdEncoding.EncodeToString(data) + "\n"
}

func parseSketches(text string) (list []sketch) {
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		s := sketch{name: fields[0]}
		s.facts, _ = strconv.Atoi(fields[1])
		data, _ := base64.StdEncoding.DecodeString(fields[2])
		for ; len(data) > 0; data = data[8:] {
			s.hashes = append(s.hashes, binary.LittleEndian.Uint64(data))
		}
		list = append(list, s)
	}
	return list
}
