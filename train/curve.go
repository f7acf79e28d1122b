package train

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// curveFile is the picture of a run: loss and validation MRR over the steps.
const curveFile = "curve.svg"

// The picture, in pixels: the plot with its margins.
const (
	curveWidth, curveHeight           = 760.0, 420.0
	plotLeft, plotRight               = 64.0, 696.0
	plotTop, plotBottom               = 56.0, 364.0
	lossColour, mrrColour, gridColour = "#3465a4", "#d9730d", "#e4e4e4"
)

// axis maps values to pixels.
type axis struct {
	least, most float64 // values at its ends
	from, to    float64 // pixels there
	step        float64 // between ticks
}

// newAxis covers a range of values with ticks at round numbers, about so many.
func newAxis(least, most, from, to float64, ticks int) axis {
	if most <= least {
		most = least + max(math.Abs(least), 1)*1e-3
	}
	step := roundStep((most - least) / float64(ticks))
	return axis{math.Floor(least/step) * step, math.Ceil(most/step-1e-9) * step, from, to, step}
}

// roundStep is the next of 1, 2, 5, 10, … times a power of ten.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, factor := range []float64{1, 2, 5} {
		if x <= factor*power*(1+1e-9) {
			return factor * power
		}
	}
	return 10 * power
}

func (a axis) at(value float64) float64 {
	return a.from + (value-a.least)/(a.most-a.least)*(a.to-a.from)
}

func (a axis) ticks() []float64 {
	var ticks []float64
	for i := range int(math.Round((a.most-a.least)/a.step)) + 1 {
		ticks = append(ticks, a.least+float64(i)*a.step)
	}
	return ticks
}

// label writes a tick with the decimals that its axis needs.
func (a axis) label(value float64) string {
	decimals := max(0, -int(math.Floor(math.Log10(a.step)+1e-9)))
	return strconv.FormatFloat(value, 'f', decimals, 64)
}

// point is a value at a step.
type point struct{ step, value float64 }

// drawCurve draws the lines of a trace as SVG.
func drawCurve(lines []Line) []byte {
	losses, scores := points(lines)
	last := 1.0
	if len(lines) > 0 {
		last = float64(lines[len(lines)-1].Step)
	}
	c := &curve{steps: newAxis(0, last, plotLeft, plotRight, 8)}
	c.steps.most, c.steps.step = last, max(1, c.steps.step) // the plot ends with the run, not with a round number
	c.open()
	c.stepAxis()
	c.lossSide(losses)
	c.scoreSide(scores)
	c.WriteString("</svg>\n")
	return c.Bytes()
}

func points(lines []Line) (losses, scores []point) {
	for _, l := range lines {
		if l.Loss != nil {
			losses = append(losses, point{float64(l.Step), *l.Loss})
		}
		if l.Valid != nil {
			scores = append(scores, point{float64(l.Step), l.Valid.MRR})
		}
	}
	return losses, scores
}

// curve is a picture in the making.
type curve struct {
	bytes.Buffer
	steps axis
}

func (c *curve) printf(format string, args ...any) { fmt.Fprintf(c, format+"\n", args...) }

func (c *curve) open() {
	c.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#444">`,
		curveWidth, curveHeight, curveWidth, curveHeight)
	c.printf(`<rect width="%g" height="%g" fill="#fff"/>`, curveWidth, curveHeight)
}

func (c *curve) text(x, y float64, anchor, colour, format string, args ...any) {
	text := strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(fmt.Sprintf(format, args...))
	c.printf(`<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>`, x, y, anchor, colour, text)
}

func (c *curve) line(x1, y1, x2, y2 float64, colour string) {
	c.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>`, x1, y1, x2, y2, colour)
}

func (c *curve) stepAxis() {
	for i := 0; float64(i)*c.steps.step <= c.steps.most; i++ {
		tick := float64(i) * c.steps.step
		c.line(c.steps.at(tick), plotBottom, c.steps.at(tick), plotBottom+5, "#888")
		c.text(c.steps.at(tick), plotBottom+20, "middle", "#444", "%s", c.steps.label(tick))
	}
	c.text((plotLeft+plotRight)/2, plotBottom+42, "middle", "#444", "step")
}

// lossSide is the left axis with the grid; the losses themselves thin, their running mean thick.
func (c *curve) lossSide(losses []point) {
	c.line(plotLeft, plotBottom, plotRight, plotBottom, "#888")
	if len(losses) == 0 {
		return
	}
	least, most := bounds(losses)
	y := newAxis(min(0, least), most, plotBottom, plotTop, 5)
	for _, tick := range y.ticks() {
		if tick != y.least {
			c.line(plotLeft, y.at(tick), plotRight, y.at(tick), gridColour)
		}
		c.text(plotLeft-8, y.at(tick)+4, "end", lossColour, "%s", y.label(tick))
	}
	c.path(losses, y, lossColour, 1, 0.35)
	c.path(smooth(losses), y, lossColour, 2, 1)
	c.key(plotLeft, lossColour, "loss %.4f", losses[len(losses)-1].value)
}

// scoreSide is the right axis; the best validation is ringed.
func (c *curve) scoreSide(scores []point) {
	if len(scores) == 0 {
		return
	}
	least, most := bounds(scores)
	// A quarter more than the values need, and at least 0.1: noise shall not look like a trend.
	y := newAxis(max(0, min(least-(most-least)/4, most-0.1)), most, plotBottom, plotTop, 5)
	best := scores[0]
	c.path(scores, y, mrrColour, 2, 1)
	for _, s := range scores {
		c.printf(`<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, c.steps.at(s.step), y.at(s.value), mrrColour)
		if s.value > best.value {
			best = s
		}
	}
	c.printf(`<circle cx="%.1f" cy="%.1f" r="6.5" fill="none" stroke="%s" stroke-width="1.5"/>`, c.steps.at(best.step), y.at(best.value), mrrColour)
	for _, tick := range y.ticks() {
		c.text(plotRight+8, y.at(tick)+4, "start", mrrColour, "%s", y.label(tick))
	}
	c.key(plotLeft+150, mrrColour, "validation MRR, best %.4f at step %.0f", best.value, best.step)
}

// key is an entry of the legend above the plot.
func (c *curve) key(x float64, colour, format string, args ...any) {
	c.printf(`<line x1="%.1f" y1="30" x2="%.1f" y2="30" stroke="%s" stroke-width="3"/>`, x, x+22, colour)
	c.text(x+30, 34, "start", "#222", format, args...)
}

func (c *curve) path(points []point, y axis, colour string, width, opacity float64) {
	c.WriteString(`<polyline fill="none" stroke-linejoin="round" points="`)
	for _, p := range points {
		fmt.Fprintf(c, "%.1f,%.1f ", c.steps.at(p.step), y.at(p.value))
	}
	c.printf(`" stroke="%s" stroke-width="%g" stroke-opacity="%g"/>`, colour, width, opacity)
}

func bounds(points []point) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, p := range points {
		least, most = min(least, p.value), max(most, p.value)
	}
	return least, most
}

// smooth is the running mean over about a twentieth of the points, centred so that it does
// not lag behind; towards the ends fewer are left to average.
func smooth(points []point) []point {
	out := make([]point, len(points))
	for i, p := range points {
		reach := min(len(points)/40, i, len(points)-1-i)
		sum := 0.0
		for _, near := range points[i-reach : i+reach+1] {
			sum += near.value
		}
		out[i] = point{p.step, sum / float64(2*reach+1)}
	}
	return out
}
