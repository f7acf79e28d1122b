package train

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

func toyLines(steps int) []Line {
	var lines []Line
	for step := 1; step <= steps; step++ {
		loss := 0.08 + 0.6*math.Exp(-float64(step)/40) + 0.02*math.Sin(float64(step*step))
		lines = append(lines, Line{Step: 10 * step, Loss: &loss})
		if step%20 == 0 {
			lines = append(lines, Line{Step: 10 * step, Valid: &Score{MRR: 0.45 - 0.3*math.Exp(-float64(step)/60) - 1e-5*float64(step)}})
		}
	}
	return lines
}

// Whatever the trace, the picture is XML and no coordinate is outside of it.
func TestCurveIsWellFormed(t *testing.T) {
	loss := 0.5
	for name, lines := range map[string][]Line{
		"empty": nil, "one": {{Step: 1, Loss: &loss}}, "only scores": {{Step: 3, Valid: &Score{}}}, "constant": {{Step: 1, Loss: &loss}, {Step: 2, Loss: &loss}}, "long": toyLines(200),
	} {
		checkPicture(t, name, string(drawCurve(lines)))
	}
}

func checkPicture(t *testing.T, name, picture string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(picture))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, picture)
		}
		if element, ok := token.(xml.StartElement); ok {
			checkWithin(t, name, element)
		}
	}
}

func checkWithin(t *testing.T, name string, e xml.StartElement) {
	for _, a := range e.Attr {
		var numbers []float64
		switch a.Name.Local {
		case "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "points":
			for _, text := range strings.FieldsFunc(a.Value, func(r rune) bool { return r == ',' || r == ' ' }) {
				var x float64
				if _, err := fmt.Sscan(text, &x); err != nil {
					t.Errorf("%s: %s of <%s>: %v", name, a.Name.Local, e.Name.Local, err)
				}
				numbers = append(numbers, x)
			}
		}
		for _, x := range numbers {
			if !(x >= 0 && x <= curveWidth) {
				t.Errorf("%s: %s=%q of <%s> is outside of the picture", name, a.Name.Local, a.Value, e.Name.Local)
			}
		}
	}
}

func TestAxisTicksAreRound(t *testing.T) {
	for _, c := range []struct {
		least, most float64
		want        string
	}{{0, 0.73, "0.0 0.2 0.4 0.6 0.8"}, {0, 10000, "0 2000 4000 6000 8000 10000"}, {0.31, 0.3512, "0.31 0.32 0.33 0.34 0.35 0.36"}, {0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"}} {
		a := newAxis(c.least, c.most, 0, 100, 5)
		var labels []string
		for _, tick := range a.ticks() {
			labels = append(labels, a.label(tick))
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%g to %g: ticks %s, want %s", c.least, c.most, got, c.want)
		}
	}
}
