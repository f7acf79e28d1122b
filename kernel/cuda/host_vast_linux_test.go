//go:build linux && amd64 && !nocuda

package cuda

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// A graph of more numbers in a state than 32 bits count, of which all but the last nodes are address space without memory:
// offsets that wrap would read zeros, or end the test. Kernels over all nodes run those of their blocks that meet the last ones.
const vastNodes, vastFew, vastSamples, vastWidth = 70_000_000, 40, 2, 32

// vast is such a graph, beside the same of the last nodes alone.
type vast struct {
	*host
	device *device
	few    *kernel.Graph
	graph  *graph
	plain  *plain.Device[float32]
	random *rand.Rand
}

const vastFirst = vastNodes - vastFew // the first node that is there

func newVast(t *testing.T) *vast { return newVastOf(t, randomGraph(t, vastFew, 6, 900, 200)) }

func newVastOf(t *testing.T, few *kernel.Graph) *vast {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: the kernels are compiled for the CPU first")
	}
	h, d := openHost(t, Options{Scratch: 1 << 40})
	// A wave of blocks has all rows, so that one of them is one round of a block.
	d.capacity.multiprocessors = blocks(vastSamples*vastNodes, waveRows)
	for r := range few.Relations {
		few.Inverse = append(few.Inverse, r%2 == 1)
	}
	v := &vast{host: h, device: d, few: few, plain: plain.New(), random: rand.New(rand.NewPCG(1, 9))}
	v.graph = v.newGraph()
	return v
}

// newGraph puts the few nodes at the end of the many.
func (v *vast) newGraph() *graph {
	d, few := v.device, v.few
	g := &graph{device: d, nodes: vastNodes, relations: few.Relations, edges: few.Edges(), topology: func() *kernel.Graph { return few }, shape: &shape{users: 1}}
	f := d.frame()
	defer f.close()
	in, out := cut(few.In), cut(few.Out)
	for _, s := range []*segments{in, out} {
		for i := range s.list {
			s.list[i][0] += vastFirst
		}
		for i := range s.split {
			s.split[i][0] += vastFirst
		}
		for i := range s.edges {
			s.edges[i][0] += vastFirst
		}
	}
	g.in, g.out = f.side(g, in), f.side(g, out)
	scales := make([][4]float32, vastFew)
	for k := range scales {
		s := math.Log(float64(few.In.Degree(k)+1)) / few.MeanLog()
		scales[k] = [4]float32{1 / float32(few.In.Degree(k)+1), float32(s), 1 / max(float32(s), 1e-2), float32(few.In.Degree(k))}
	}
	g.scale = f.own(&g.owned, 16*vastNodes)
	uploadList(f, g.scale.plus(16*vastFirst), scales)
	return g
}

// byDegree gives the graph its nodes by degree.
func (v *vast) byDegree() {
	f := v.device.frame()
	defer f.close()
	order, classes := byDegree(v.few)
	for k := range order {
		order[k] += vastFirst
	}
	for k := range classes {
		classes[k][0] += vastFirst
	}
	at := f.own(&v.graph.owned, 4*vastNodes)
	uploadList(f, at.plus(4*vastFirst), order)
	v.graph.degrees = &degrees{order: at, classes: keep(f, &v.graph.owned, classes), counts: classes, chunks: map[int]chunksOfRows{}}
}

// values draws a buffer of both devices: rows of the last nodes of every sample.
func (v *vast) values(width int, low, high float32) (many, few kernel.Buffer) {
	drawn := v.numbers(vastSamples*vastFew*width, low, high)
	few = v.plain.NewBuffer(len(drawn))
	v.plain.Upload(few, drawn)
	many = v.device.NewBuffer(vastSamples * vastNodes * width)
	for b := range vastSamples {
		v.device.Upload(v.last(many, b, width), drawn[b*vastFew*width:(b+1)*vastFew*width])
	}
	return many, few
}

func (v *vast) numbers(n int, low, high float32) []float32 {
	drawn := make([]float32, n)
	for i := range drawn {
		drawn[i] = low + (high-low)*v.random.Float32()
	}
	return drawn
}

// both draws a small buffer that both devices have whole.
func (v *vast) both(n int) (onDevice, onPlain kernel.Buffer) {
	drawn := v.numbers(n, -0.3, 0.3)
	onDevice, onPlain = v.device.NewBuffer(n), v.plain.NewBuffer(n)
	v.device.Upload(onDevice, drawn)
	v.plain.Upload(onPlain, drawn)
	return onDevice, onPlain
}

// last is the rows of the last nodes of a sample.
func (v *vast) last(b kernel.Buffer, sample, width int) kernel.Buffer {
	end := (sample + 1) * vastNodes * width
	return b.Slice(end-vastFew*width, end)
}

// compare holds the last rows to what the plain device gives.
func (v *vast) compare(t *testing.T, what string, many, few kernel.Buffer, width int) {
	t.Helper()
	want := v.plain.Values(few)
	for b := range vastSamples {
		got := make([]float32, vastFew*width)
		v.device.Download(got, v.last(many, b, width))
		for i := range got {
			if x := want[b*len(got)+i]; !(math.Abs(float64(got[i]-x)) <= 1e-5*(1+math.Abs(float64(x)))) {
				t.Fatalf("%s: sample %d has %v at %d of its last rows, expected %v", what, b, got[i], i, x)
			}
		}
	}
	if err := v.device.Sync(); err != nil {
		t.Fatal(err)
	}
}

// only lets a kernel run the blocks that take the last rows of every sample: a block takes so many rows, and one sample or all of them.
func (v *vast) only(kernel string, rows, grid int, bySample bool) {
	var list [][3]int
	for b := range vastSamples {
		from, sample := vastFirst/rows, b
		to := (vastNodes - 1) / rows
		if !bySample {
			from, to, sample = (b*vastNodes+vastFirst)/rows, ((b+1)*vastNodes-1)/rows, 0
		}
		for x := from; x <= to; x++ {
			list = append(list, [3]int{x % grid, sample, 0})
		}
	}
	v.blocks[kernel] = list
}

func TestVastLayer(t *testing.T) {
	v := newVast(t)
	v.only("pna32_forward", waveRows, v.device.capacity.multiprocessors, false)
	v.layer(t)
	if v.launches["pna32_forward"] != 1 {
		t.Errorf("launches %v, expected the Linear of nodes as they come", v.launches)
	}
}

// Nodes of one degree fill the tiles, so that the Linear goes by degrees.
func TestVastLayerByDegree(t *testing.T) {
	var edges []kernel.Edge
	for i := range int32(5 * vastFew) {
		edges = append(edges, kernel.Edge{Head: (i*7 + i/5) % vastFew, Relation: i % 6, Tail: i % vastFew})
	}
	few, err := kernel.NewGraph(vastFew, 6, edges, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := newVastOf(t, few)
	v.byDegree()
	v.device.capacity.multiprocessors = 1
	v.layer(t)
	if v.launches["pna32_degrees"] != 1 {
		t.Errorf("launches %v, expected the Linear by degrees", v.launches)
	}
}

// layer runs one on both devices.
func (v *vast) layer(t *testing.T) {
	t.Helper()
	l := kernel.Layer{Message: kernel.DistMult, Aggregate: kernel.PNA, Width: vastWidth}
	var in, plainIn kernel.LayerInput
	var w, plainW kernel.LayerWeights
	in.Hidden, plainIn.Hidden = v.values(vastWidth, -1, 1)
	in.Set, plainIn.Set = v.values(1, 0, 1)
	in.Query, plainIn.Query = v.both(vastSamples * vastWidth)
	in.Relations, plainIn.Relations = v.both(vastSamples * v.few.Relations * vastWidth)
	in.RelationOf, plainIn.RelationOf = []int32{1, 0}, []int32{1, 0}
	w.Weight, plainW.Weight = v.both(vastWidth * l.Features())
	w.Bias, plainW.Bias = v.both(vastWidth)
	w.NormScale, plainW.NormScale = v.both(vastWidth)
	w.Shift, plainW.Shift = v.both(vastWidth)
	want := v.plain.NewBuffer(vastSamples * vastFew * vastWidth)
	v.plain.LayerForward(l, v.plain.NewGraph(v.few), want, kernel.Kept{}, plainIn, plainW)
	out := v.device.NewBuffer(in.Hidden.Len())
	v.device.LayerForward(l, v.graph, out, kernel.Kept{}, in, w)
	v.compare(t, "layer", out, want, vastWidth)
}

func TestVastFirstLayer(t *testing.T) {
	v := newVast(t)
	set, plainSet := v.values(1, 0, 1)
	query, plainQuery := v.both(vastSamples * vastWidth)
	out, want := v.device.NewBuffer(vastSamples*vastNodes*vastWidth), v.plain.NewBuffer(vastSamples*vastFew*vastWidth)
	v.only("boundary", 64, math.MaxInt32, true)
	v.device.Boundary(out, set, query)
	v.plain.Boundary(want, plainSet, plainQuery)
	v.compare(t, "boundary", out, want, vastWidth)
}

func TestVastHead(t *testing.T) {
	v := newVast(t)
	hidden, plainHidden := v.values(vastWidth, -1, 1)
	query, plainQuery := v.both(vastSamples * vastWidth)
	var w, plainW kernel.HeadWeights
	w.Weight0, plainW.Weight0 = v.both(64 * 64)
	w.Bias0, plainW.Bias0 = v.both(64)
	w.Weight2, plainW.Weight2 = v.both(64)
	w.Bias2, plainW.Bias2 = v.both(1)
	prob, want := v.device.NewBuffer(vastSamples*vastNodes), v.plain.NewBuffer(vastSamples*vastFew)
	v.only("head32_forward", 8*16, 2*v.device.capacity.multiprocessors, false)
	v.device.HeadForward(prob, kernel.HeadInput{Hidden: []kernel.Buffer{hidden}, Query: query}, w)
	v.plain.HeadForward(want, kernel.HeadInput{Hidden: []kernel.Buffer{plainHidden}, Query: plainQuery}, plainW)
	v.compare(t, "head", prob, want, 1)
	if v.launches["head32_forward"] != 1 {
		t.Errorf("launches %v, expected the head on the tensor cores", v.launches)
	}
}

// What relations hear is the sum over the last entities, as no others meet any.
func TestVastMeeting(t *testing.T) {
	v := newVast(t)
	host, err := kernel.NewIncidence(v.few)
	if err != nil {
		t.Fatal(err)
	}
	relations := vastSamples * host.Relations * vastWidth
	in, plainIn := kernel.MeetInput{Width: vastWidth}, kernel.MeetInput{Width: vastWidth}
	in.Entities, plainIn.Entities = v.values(vastWidth, -1, 1)
	in.Relations, plainIn.Relations = v.both(relations)
	in.Messages, plainIn.Messages = v.both(2 * relations)
	want := v.plain.NewBuffer(3 * relations)
	v.plain.MeetForward(v.plain.NewIncidence(host), want, plainIn)
	for _, tiled := range []bool{true, false} {
		out := v.device.NewBuffer(3 * relations)
		v.device.MeetForward(v.incidence(t, host, tiled), out, in)
		got := make([]float32, 3*relations)
		v.device.Download(got, out)
		for i, x := range v.plain.Values(want) {
			if !(math.Abs(float64(got[i]-x)) <= 1e-5*(1+math.Abs(float64(x)))) {
				t.Fatalf("tiles %v: %v at %d, expected %v", tiled, got[i], i, x)
			}
		}
	}
	if v.launches["meet32_tiles"] != 1 || v.launches["meet_entities"] != 1 {
		t.Errorf("launches %v, expected one of either kind", v.launches)
	}
}

// incidence puts the few entities at the end of the many.
func (v *vast) incidence(t *testing.T, few *kernel.Incidence, tiled bool) *incidence {
	t.Helper()
	i := v.device.NewIncidence(few).(*incidence)
	i.entities = vastNodes
	f := v.device.frame()
	defer f.close()
	if tiling := newTiling(few); tiled {
		if tiling == nil {
			t.Fatal("no tiles")
		}
		for k := range tiling.entities {
			tiling.entities[k][0] += vastFirst
		}
		i.tiles = f.keepTiles(i, tiling)
		return i
	}
	i.tiles = nil
	i.first = f.own(&i.owned, 4*(vastNodes+1))
	uploadList(f, i.first.plus(4*vastFirst), few.At)
	entity := make([]int32, len(few.Entity))
	for k, e := range few.Entity {
		entity[k] = e + vastFirst
	}
	uploadList(f, i.entity, entity)
	v.only("meet_entities", 8, math.MaxInt32, true)
	return i
}
