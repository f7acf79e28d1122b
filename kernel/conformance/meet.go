package conformance

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// meetCases run what relations tell each other on a graph with a hub, thinned and not, and the norm that follows.
func meetCases() []Case {
	hub, large := topology(23, 6, 250, 90), topology(700, 40, 12000, 3000)
	var cases []Case
	for _, w := range widths() {
		name := fmt.Sprintf("meet/width=%d/", w)
		cases = append(cases,
			Case{name + "hub", func(s *stage) { playMeet(s, hub, 3, w, true) }},
			Case{name + "alike", func(s *stage) { playMeet(s, hub, 3, w, false) }},
			Case{fmt.Sprintf("norm/width=%d", w), func(s *stage) { playNorm(s, 37, w) }})
	}
	return append(cases,
		Case{"meet/width=32/large", func(s *stage) { playMeet(s, large, 2, 32, true) }},
		Case{"meet/width=32/many samples", func(s *stage) { playMeet(s, hub, 11, 32, true) }},
		Case{"meet/width=32/no-edges", func(s *stage) { playMeet(s, topology(9, 4, 0, 0), 2, 32, true) }},
		Case{"norm/width=32/many rows", func(s *stage) { playNorm(s, 1100, 32) }})
}

func playMeet(s *stage, g *kernel.Graph, samples, width int, withEntities bool) {
	host, err := kernel.NewIncidence(g)
	if err != nil {
		panic(err)
	}
	if g.Nodes%2 == 1 { // of some what the host can do is done ahead
		s.PrepareIncidence(host)
	}
	i := s.NewIncidence(host)
	defer s.FreeIncidence(i)
	entities, relations := samples*g.Nodes*width, samples*g.Relations*width
	in := kernel.MeetInput{Width: width, Relations: s.input("relations", relations, -1, 1), Messages: s.input("messages", 2*relations, -1, 1)}
	din := kernel.MeetInput{Width: width, Relations: s.gradient("drelations", relations), Messages: s.gradient("dmessages", 2*relations)}
	if withEntities {
		in.Entities, din.Entities = s.input("entities", entities, -1, 1), s.gradient("dentities", entities)
	}
	s.MeetForward(i, s.output("heard", 3*relations), in)
	s.MeetBackward(i, din, s.input("dheard", 3*relations, -1, 1), in)
}

func playNorm(s *stage, rows, width int) {
	x, before := s.input("x", rows*width, -1, 1), s.input("before", rows*width, -1, 1)
	scale, shift := s.input("scale", width, 0.5, 2), s.input("shift", width, -0.5, 0.5)
	s.NormForward(s.output("out", rows*width), x, before, scale, shift)
	s.NormBackward(s.gradient("dx", rows*width), s.gradient("dbefore", rows*width), s.gradient("dscale", width), s.gradient("dshift", width),
		s.input("dout", rows*width, -1, 1), x, scale, shift)
}
