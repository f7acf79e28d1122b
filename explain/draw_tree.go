package explain

import (
	"cmp"
	"fmt"
	"slices"
)

// The operator tree, drawn from the given entities on the left to the answer on the
// right: a card for every operation with the top of its set, and the grounding's entity marked.

const (
	cardWidth = 236.0
	cardGap   = 60.0 // between columns
	rowGap    = 18.0 // between cards of a column
	lineRoom  = 19.0
	barWidth  = 64.0
	headRoom  = 26.0
)

// card is an operation's place in the drawing.
type card struct {
	Set
	column  int
	x, y, h float64
	rows    []cardRow
	chosen  bool
	negated bool
	names   string // the variable whose set this is
}

type cardRow struct {
	Member
	mark string // class of a judged member, "" otherwise
	pick bool
}

func (c *card) middle() float64 { return c.y + c.h/2 }

// treeOf lays the steps of a run out; choices are the grounding's entities by step.
func treeOf(steps []Set, choices map[int][]choice) []*card {
	cards := make([]*card, len(steps))
	for i, s := range steps {
		cards[i] = newCard(s, choices[i])
	}
	last := len(cards) - 1
	setColumns(cards, last, 0)
	deepest := 0
	for _, c := range cards {
		deepest = max(deepest, c.column)
	}
	for _, c := range cards {
		c.x = float64(deepest-c.column) * (cardWidth + cardGap)
	}
	placed, next := make([]bool, len(cards)), 0.0
	setRows(cards, last, placed, cards[last].h, &next)
	separate(cards)
	return cards
}

// choice is what a grounding says about the set of a step.
type choice struct {
	Member
	variable string
	negated  bool
}

// choicesOf collects the entities of a grounding by step.
func choicesOf(step *Step, choices map[int][]choice) map[int][]choice {
	if step == nil || step.Aside {
		return choices
	}
	choices[step.Number] = append(choices[step.Number], choice{step.Member, step.Variable, step.Negated})
	for i := range step.Of {
		choicesOf(&step.Of[i], choices)
	}
	return choices
}

// newCard lists the top of a set; a chosen entity that is not there takes the last place.
func newCard(s Set, choices []choice) *card {
	c := &card{Set: s, chosen: len(choices) > 0, h: headRoom + 4}
	if s.Op != "entity" {
		for _, m := range s.Top {
			c.rows = append(c.rows, cardRow{Member: m})
		}
		for _, pick := range choices {
			c.pick(pick)
		}
		c.h += lineRoom * float64(len(c.rows))
	}
	for _, pick := range choices {
		c.negated = c.negated || pick.negated
		if s.Op != "entity" {
			c.names = pick.variable
		}
	}
	return c
}

func (c *card) pick(pick choice) {
	for i, row := range c.rows {
		if row.Entity == pick.Entity && row.ID == pick.ID {
			c.rows[i].pick = true
			return
		}
	}
	if pick.negated && pick.Probability < worthFollowing {
		c.rows = append(c.rows, cardRow{Member: pick.Member, pick: true})
		return
	}
	if most := 5; len(c.rows) >= most {
		c.rows = c.rows[:most-1]
	}
	c.rows = append(c.rows, cardRow{Member: pick.Member, pick: true})
}

// setColumns counts steps from the answer; a shared set stands left of all that take it.
func setColumns(cards []*card, i, column int) {
	if column < cards[i].column || column > 0 && column == cards[i].column {
		return
	}
	cards[i].column = column
	for _, input := range cards[i].Inputs {
		setColumns(cards, input, column+1)
	}
}

// setRows puts what has no operands one below the other, each in the room of the highest
// card that it alone leads to, and the rest amid its operands.
func setRows(cards []*card, i int, placed []bool, room float64, next *float64) {
	if placed[i] {
		return
	}
	placed[i] = true
	c := cards[i]
	room = max(room, c.h)
	if len(c.Inputs) == 0 {
		c.y = *next + (room-c.h)/2
		*next += room + rowGap
		return
	}
	if len(c.Inputs) > 1 {
		room = 0 // shared by several
	}
	middle := 0.0
	for _, input := range c.Inputs {
		setRows(cards, input, placed, room, next)
		middle += cards[input].middle()
	}
	c.y = middle/float64(len(c.Inputs)) - c.h/2
}

// separate pushes cards of a column apart and the whole below zero.
func separate(cards []*card) {
	order := slices.Clone(cards)
	slices.SortStableFunc(order, func(a, b *card) int {
		return cmp.Or(cmp.Compare(a.column, b.column), cmp.Compare(a.y, b.y))
	})
	for i := 1; i < len(order); i++ {
		if above := order[i-1]; above.column == order[i].column {
			order[i].y = max(order[i].y, above.y+above.h+rowGap)
		}
	}
	top := 0.0
	for _, c := range cards {
		top = min(top, c.y)
	}
	for _, c := range cards {
		c.y -= top
	}
}

// tree draws the operator tree at a height of the canvas.
func (c *canvas) tree(cards []*card, top float64) {
	for _, k := range cards {
		for _, input := range k.Inputs {
			from := cards[input]
			class := "link"
			if k.chosen && from.chosen {
				class = "link way"
			}
			if k.chosen && from.chosen && from.negated {
				class = "link no"
			}
			c.curve(class, from.x+cardWidth, top+from.middle(), k.x, top+k.middle())
		}
	}
	for _, k := range cards {
		c.card(k, top)
	}
}

func (c *canvas) card(k *card, top float64) {
	class, y := "card", top+k.y
	switch {
	case k.chosen && k.negated:
		class = "card not"
	case k.chosen:
		class = "card on"
	}
	end := c.title(k.label())
	c.rect(class, k.x, y, cardWidth, k.h, 7)
	title := fit(k.label(), cardWidth-58-widthOf(k.names))
	if k.Op == "project" {
		title = FitRelation(k.Relation, int((cardWidth-58-widthOf(k.names))/letter))
	}
	c.text("b", k.x+9, y+18, title)
	if k.names != "" {
		c.text("b c", k.x+21+widthOf(title)*1.08, y+18, k.names)
	}
	c.text("d s e", k.x+cardWidth-9, y+18, size(k.Cardinality))
	end()
	for i, row := range k.rows {
		c.row(row, k.x, y+headRoom+lineRoom*float64(i))
	}
}

func (c *canvas) row(row cardRow, x, y float64) {
	end := c.title(fmt.Sprintf("%s: %s, %s", row.Entity, perMille(row.Probability), Standing(row.Known, row.Probability)))
	defer end()
	if row.pick {
		c.rect("pick", x+4, y, cardWidth-8, lineRoom-1, 3)
	}
	class := row.mark
	if class == "" {
		class = shade(row.Member)
	}
	c.rect(class, x+cardWidth-9-barWidth, y+3, barWidth*float64(row.Probability), lineRoom-7, 2)
	c.text("s", x+9, y+13, fit(row.Entity, cardWidth-barWidth-24))
	c.text("s e", x+cardWidth-11, y+13, Percent(row.Probability))
}

// label names the operation as the paper's operators do.
func (s Set) label() string {
	switch s.Op {
	case "entity":
		return "{" + s.Entity + "}"
	case "project":
		return s.Relation
	case "everything":
		return "all entities"
	}
	return map[string]string{"and": "∧ and", "or": "∨ or", "not": "¬ not"}[s.Op]
}

// size is the predicted number of members.
func size(cardinality float64) string {
	if cardinality < 9.95 && cardinality != float64(int(cardinality)) {
		return fmt.Sprintf("%.1f", cardinality)
	}
	return fmt.Sprintf("%.0f", cardinality)
}
