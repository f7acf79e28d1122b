package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A question as a graph: given entities on the left, then the variables by how many links they are away, each a card
// with its value, and an arrow for every link as it is stated, so that cycles are seen.

const (
	nodeWidth  = 184.0
	nodeHeight = 44.0
	columnGap  = 200.0 // has room for the names of relations
	levelGap   = 84.0
	spread     = 46.0 // between links of the same two nodes
)

// place is where a node stands.
type place struct {
	column, row int
	x, y        float64 // of its middle
}

// layOut puts the nodes into columns by their distance from what is given, or from the first answer where nothing is.
func (p *Picture) layOut() []place {
	places := make([]place, len(p.Nodes))
	distance := p.distances()
	columns := map[int][]int{}
	for n, d := range distance {
		places[n].column = d
		columns[d] = append(columns[d], n)
	}
	deepest := slices.Max(distance)
	most := 0
	for d := range deepest + 1 {
		p.orderColumn(columns[d], places)
		most = max(most, len(columns[d]))
	}
	for n := range places {
		at := &places[n]
		inColumn := len(columns[at.column])
		at.x = float64(at.column)*(nodeWidth+columnGap) + nodeWidth/2
		at.y = (float64(at.row)+float64(most-inColumn)/2)*(nodeHeight+levelGap) + nodeHeight/2
	}
	return places
}

// distances are the links between each node and the nearest that is given.
func (p *Picture) distances() []int {
	const unreached = -1
	distance := slices.Repeat([]int{unreached}, len(p.Nodes))
	var queue []int
	begin := func(n int) { distance[n], queue = 0, append(queue, n) }
	for n, node := range p.Nodes {
		if node.Kind == givenNode {
			begin(n)
		}
	}
	for next := 0; ; {
		for ; len(queue) > 0; queue = queue[1:] {
			for _, e := range p.Edges {
				for _, pair := range [][2]int{{e.From, e.To}, {e.To, e.From}} {
					if pair[0] == queue[0] && distance[pair[1]] == unreached {
						distance[pair[1]] = distance[pair[0]] + 1
						queue = append(queue, pair[1])
					}
				}
			}
		}
		for next < len(distance) && distance[next] != unreached {
			next++
		}
		if next == len(distance) {
			return distance
		}
		begin(next) // a part that nothing given is linked with
	}
}

// orderColumn puts nodes near those of the columns before that they are linked with.
func (p *Picture) orderColumn(nodes []int, places []place) {
	near := func(n int) float64 {
		sum, count := 0.0, 0.0
		for _, e := range p.Edges {
			other := -1
			switch n {
			case e.From:
				other = e.To
			case e.To:
				other = e.From
			}
			if other >= 0 && places[other].column < places[n].column {
				sum, count = sum+float64(places[other].row), count+1
			}
		}
		return sum / max(1, count)
	}
	slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(near(a), near(b)) })
	for row, n := range nodes {
		places[n].row = row
	}
}

// graph draws a picture at a height of the canvas; links have the probabilities of its edges, where it has values.
func (c *canvas) graph(p *Picture, links []Link, top float64) {
	places := p.layOut()
	for i := range places {
		places[i].y += top
	}
	bends := p.bends(places)
	least := top
	for i, e := range p.Edges {
		least = min(least, c.edgePath(e, links, places[e.From], places[e.To], bends[i]))
	}
	for i, n := range p.Nodes {
		c.node(n, places[i])
	}
	for i, e := range p.Edges { // above the cards, so that nothing hides a name
		c.edgeLabel(e, links, places[e.From], places[e.To], bends[i])
	}
}

// bends is how far each edge leaves the straight line: links of the same two nodes part, and so do those that would pass through another node.
func (p *Picture) bends(places []place) []float64 {
	together := map[[2]int][]int{}
	for i, e := range p.Edges {
		pair := [2]int{min(e.From, e.To), max(e.From, e.To)}
		together[pair] = append(together[pair], i)
	}
	bends := make([]float64, len(p.Edges))
	for pair, edges := range together {
		a, b := places[pair[0]], places[pair[1]]
		around := 0.0
		if a.column == b.column && abs(a.row-b.row) > 1 || abs(a.column-b.column) > 1 {
			around = 1.6 * spread
		}
		for k, i := range edges {
			bend := around + spread*(float64(k)-float64(len(edges)-1)/2)
			if p.Edges[i].From == pair[1] { // the normal turns with the direction
				bend = -bend
			}
			bends[i] = bend
		}
	}
	return bends
}

func abs(n int) int { return max(n, -n) }

// curveOf gives the ends and the control point of an edge.
func curveOf(from, to place, bend float64) (x1, y1, cx, cy, x2, y2 float64) {
	dx, dy := to.x-from.x, to.y-from.y
	length := max(1, math.Hypot(dx, dy))
	cx, cy = (from.x+to.x)/2-dy/length*bend*2, (from.y+to.y)/2+dx/length*bend*2
	x1, y1 = border(from, cx, cy)
	x2, y2 = border(to, cx, cy)
	return x1, y1, cx, cy, x2, y2
}

// border is where the line from a node's middle to a point leaves its card.
func border(n place, x, y float64) (float64, float64) {
	dx, dy := x-n.x, y-n.y
	scale := math.Inf(1)
	if dx != 0 {
		scale = min(scale, (nodeWidth/2+3)/math.Abs(dx))
	}
	if dy != 0 {
		scale = min(scale, (nodeHeight/2+3)/math.Abs(dy))
	}
	if math.IsInf(scale, 1) {
		scale = 0
	}
	return n.x + dx*scale, n.y + dy*scale
}

// edgeClass is the colour of an edge: stated, predicted, denied, or of a question without values.
func edgeClass(e PictureEdge, links []Link) string {
	switch {
	case e.Negated:
		return "no"
	case e.Link == nil:
		return "way"
	case links[*e.Link].Known:
		return "ek"
	case links[*e.Link].Probability <= 0:
		return "no"
	}
	return "ep"
}

// edgePath draws the line of an edge with its tip.
func (c *canvas) edgePath(e PictureEdge, links []Link, from, to place, bend float64) (top float64) {
	class := edgeClass(e, links)
	if e.From == e.To { // a loop above the card
		y := from.y - nodeHeight/2 - 2
		c.add(`<path class="link %s" d="M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f"/>`, class, from.x-24, y, from.x-40, y-44, from.x+40, y-44, from.x+24, y)
		c.tip(class, from.x+31, y-20, from.x+24, y)
		return y - 44
	}
	x1, y1, cx, cy, x2, y2 := curveOf(from, to, bend)
	c.add(`<path class="link %s" d="M%.1f %.1f Q%.1f %.1f %.1f %.1f"/>`, class, x1, y1, cx, cy, x2, y2)
	if e.Relation != "=" {
		c.tip(class, cx, cy, x2, y2)
	}
	c.reach(max(x1, x2, cx), max(y1, y2, (y1+2*cy+y2)/4))
	return min(y1, y2, (y1+2*cy+y2)/4)
}

// tip is the head of an arrow that comes from a point.
func (c *canvas) tip(class string, fromX, fromY, x, y float64) {
	dx, dy := x-fromX, y-fromY
	length := max(1, math.Hypot(dx, dy))
	dx, dy = dx/length, dy/length
	c.add(`<path class="tip t%s" d="M%.1f %.1f L%.1f %.1f L%.1f %.1f Z"/>`, class, x, y, x-9*dx-4.5*dy, y-9*dy+4.5*dx, x-9*dx+4.5*dy, y-9*dy-4.5*dx)
}

func (c *canvas) edgeLabel(e PictureEdge, links []Link, from, to place, bend float64) {
	x1, y1, cx, cy, x2, y2 := curveOf(from, to, bend)
	x, y := (x1+2*cx+x2)/4, (y1+2*cy+y2)/4
	if e.From == e.To {
		x, y = from.x, from.y-nodeHeight/2-36
	}
	text, whole := fit(ShortRelation(e.Relation), columnGap-34), e.Relation
	if e.Negated {
		text, whole = "not "+text, "not "+whole
	}
	if e.Link != nil {
		text += "  " + Percent(links[*e.Link].Probability)
		whole = fmt.Sprintf("%s: %s, %s", links[*e.Link].Fact(), perMille(links[*e.Link].Probability), Standing(links[*e.Link].Known, links[*e.Link].Implied, links[*e.Link].Probability))
	}
	w := widthOf(text)*0.92 + 10
	end := c.title(whole)
	c.rect("bg", x-w/2, y-9, w, 17, 3)
	c.text("s m", x, y+4, text)
	end()
}

// node is a card: a variable with its value, or what is given.
func (c *canvas) node(n Node, at place) {
	class := "card"
	if n.Kind == answerNode {
		class = "card on"
	}
	name := n.Variable
	if n.Entity != "" {
		name = n.Entity
	}
	end := c.title(name)
	defer end()
	round := 7.0
	if n.Kind == givenNode {
		round = nodeHeight / 2
	}
	x, y := at.x-nodeWidth/2, at.y-nodeHeight/2
	c.rect(class, x, y, nodeWidth, nodeHeight, round)
	if n.Variable == "" || n.Entity == "" {
		c.text("b m", at.x, at.y+4, fit(name, nodeWidth-20))
		return
	}
	c.text("b c m", at.x, at.y-4, fit(n.Variable, nodeWidth-20))
	c.text("b m", at.x, at.y+13, fit(n.Entity, nodeWidth-20))
}
