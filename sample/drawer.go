package sample

import (
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// Drawer gives training queries without end, drawn as Run draws them, 1p as All lists
// them, but for repetitions, which it does not look for. Query number i depends on the seed and
// on i alone, so that a run of training can go on where it stopped. A Drawer
// serves any number of goroutines.
type Drawer struct {
	world  *world
	idle   sync.Pool // of examiners: each serves one draw at a time
	seed   uint64
	tasks  []task
	chance []int // running total of the counts

	byAnswers float64  // the share of links
	answersTo []uint64 // running total of the answers of links
}

// drawerPatience is the number of attempts after which a shape counts as impossible.
const drawerPatience = 1 << 20

// NewDrawer makes a drawer of the shapes, each as likely as its share of the counts.
func NewDrawer(g *kg.Graph, shapes []Count, seed uint64) (*Drawer, error) {
	o := Options{Seed: seed, Counts: map[dataset.Split][]Count{dataset.Train: shapes}}
	tasks, err := o.tasks(&kg.Splits{Train: g})
	if err != nil {
		return nil, err
	}
	d := &Drawer{world: newWorld(g, nil, 0), seed: seed, tasks: tasks}
	d.idle.New = func() any { return newExaminer(d.world) }
	total := 0
	for _, t := range tasks {
		if t.wanted == All {
			t.wanted = countLinks(g)
		}
		total += t.wanted
		d.chance = append(d.chance, total)
	}
	return d, nil
}

// ByAnswers has this share of the 1p queries drawn by their answers, each as often as it has some, instead of all alike.
// It is called before the first draw.
func (d *Drawer) ByAnswers(share float64) {
	d.byAnswers, d.answersTo = share, nil
	if share == 0 {
		return
	}
	total, links := uint64(0), d.world.links
	for e := range kg.Entity(links.graph.NumEntities()) {
		for link := links.first[e]; link < links.first[e+1]; link++ {
			total += uint64(len(links.edges(e, link)))
			d.answersTo = append(d.answersTo, total)
		}
	}
}

// Draw gives query number i and its shape, all its answers easy. It fails where the graph yields no query of the shape.
func (d *Drawer) Draw(i uint64) (shape string, q dataset.Query, err error) {
	t := d.choose(i)
	if isLink(t.template) {
		return t.shape, d.drawLink(t.stream, i), nil
	}
	examiner := d.idle.Get().(*examiner)
	defer d.idle.Put(examiner)
	for a := range uint64(drawerPatience) {
		q, verdict := examiner.try(t.template, t.stream, i*drawerPatience+a)
		if verdict == accepted {
			return t.shape, q, nil
		}
	}
	return t.shape, q, kg.Errorf(kg.Invalid, place(t.split, t.shape), "the graph yields no query of this shape: none in %s", count.Of(drawerPatience, "attempt"))
}

// drawLink draws a 1p query, all alike but for the share that is drawn by answers. An attempt as of other shapes would begin with an
// answer, and so prefer queries by their number of answers: on FB15k-237 an average of
// 357 where the average query has 4. BetaE lists its 1p queries, so that all count alike.
func (d *Drawer) drawLink(stream, i uint64) dataset.Query {
	random := rand.New(rand.NewPCG(stream, scramble(i)))
	link := random.Uint64N(uint64(len(d.world.links.relations)))
	if d.byAnswers > 0 && random.Float64() < d.byAnswers {
		link = d.linkOfAnswer(random.Uint64N(d.answersTo[len(d.answersTo)-1]))
	}
	q, _ := d.world.link(d.world.links.entity(link), d.world.links.relations[link], link)
	return q
}

// linkOfAnswer is the link whose answer this is, all answers counted in the order of links.
func (d *Drawer) linkOfAnswer(answer uint64) uint64 {
	link, _ := slices.BinarySearch(d.answersTo, answer+1)
	return uint64(link)
}

func (d *Drawer) choose(i uint64) task {
	random := rand.New(rand.NewPCG(streamOf(d.seed, "shape"), scramble(i)))
	at := random.IntN(d.chance[len(d.chance)-1])
	for k, upTo := range d.chance {
		if at < upTo {
			return d.tasks[k]
		}
	}
	panic("sample: a draw beyond the total of the counts")
}
