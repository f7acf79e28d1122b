package train

import "math"

// Figure is a picture of several series over a common axis: runs compared step by step, or
// their results over a setting.
type Figure struct {
	X, Y       string // what the axes show
	Series     []Series
	Categories []string // names of x = 0, 1, …, where x is no number
}

// Series is a line of a figure, by ascending x.
type Series struct {
	Name   string
	Points []Point
}

// Point is a value at a place.
type Point struct{ X, Y float64 }

// legendLeft is where the legend begins, beside a plot that leaves room for it.
const legendLeft, legendRow, legendLength = 548.0, 20.0, 32

// figureColours can be told apart by readers who see colours differently; where there are
// more series than colours, dashes tell.
var figureColours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}

var figureDashes = []string{"", "6 4", "2 3"}

// SVG draws the figure.
func (f Figure) SVG() []byte {
	c := &curve{steps: f.xAxis()}
	c.open()
	y := f.yAxis()
	for _, tick := range y.ticks() {
		c.line(plotLeft, y.at(tick), legendLeft-18, y.at(tick), gridColour)
		c.text(plotLeft-8, y.at(tick)+4, "end", "#444", "%s", y.label(tick))
	}
	c.line(plotLeft, plotBottom, legendLeft-18, plotBottom, "#888")
	f.drawX(c)
	c.text(plotLeft, plotTop-18, "start", "#222", "%s", f.Y)
	for i, s := range f.Series {
		f.drawSeries(c, y, i, s)
	}
	c.WriteString("</svg>\n")
	return c.Bytes()
}

// xAxis leaves room beside the outermost of points that stand for themselves.
func (f Figure) xAxis() axis {
	least, most := f.bounds(func(p Point) float64 { return p.X })
	if len(f.Categories) > 0 {
		return axis{-0.5, float64(len(f.Categories)) - 0.5, plotLeft, legendLeft - 18, 1}
	}
	if least > 0 && least < most/2 {
		least = 0 // a short way off: a plot that begins there says more
	}
	a := newAxis(least, most, plotLeft, legendLeft-18, 6)
	a.step = roundStep((most - least) / 6)
	if most <= least {
		a.step = a.most - a.least
	}
	return a
}

// yAxis covers the values and a little more, so that noise does not look like a trend.
func (f Figure) yAxis() axis {
	least, most := f.bounds(func(p Point) float64 { return p.Y })
	return newAxis(max(min(0, least), min(least-(most-least)/10, most-0.05)), most, plotBottom, plotTop, 6)
}

func (f Figure) bounds(of func(Point) float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, s := range f.Series {
		for _, p := range s.Points {
			least, most = min(least, of(p)), max(most, of(p))
		}
	}
	if least > most {
		return 0, 1
	}
	return least, most
}

func (f Figure) drawX(c *curve) {
	ticks := c.steps.ticks()
	if len(f.Categories) > 0 {
		ticks = nil
		for i, name := range f.Categories {
			c.text(c.steps.at(float64(i)), plotBottom+20, "middle", "#444", "%s", shortened(name, 14))
		}
	}
	for _, tick := range ticks {
		c.line(c.steps.at(tick), plotBottom, c.steps.at(tick), plotBottom+5, "#888")
		c.text(c.steps.at(tick), plotBottom+20, "middle", "#444", "%s", c.steps.label(tick))
	}
	c.text((plotLeft+legendLeft)/2, plotBottom+42, "middle", "#444", "%s", f.X)
}

// drawSeries draws a line with its points, where these are few, and its entry in the legend.
func (f Figure) drawSeries(c *curve, y axis, i int, s Series) {
	colour := figureColours[i%len(figureColours)]
	dash := figureDashes[i/len(figureColours)%len(figureDashes)]
	points := make([]point, len(s.Points))
	for k, p := range s.Points {
		points[k] = point{p.X, p.Y}
	}
	c.printf(`<g stroke-dasharray="%s">`, dash)
	c.path(points, y, colour, 2, 1)
	c.printf(`</g>`)
	if len(points) <= 40 {
		for _, p := range points {
			c.printf(`<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, c.steps.at(p.step), y.at(p.value), colour)
		}
	}
	at := plotTop + legendRow*float64(i)
	if at > curveHeight-legendRow {
		return // a figure of so many lines tells nothing anyway
	}
	c.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="3" stroke-dasharray="%s"/>`, legendLeft, at-4, legendLeft+20, at-4, colour, dash)
	c.text(legendLeft+26, at, "start", "#222", "%s", shortened(s.Name, legendLength))
}

// shortened keeps the end of a long name, by which names mostly differ.
func shortened(name string, length int) string {
	runes := []rune(name)
	if len(runes) <= length {
		return name
	}
	return "…" + string(runes[len(runes)-length+1:])
}
