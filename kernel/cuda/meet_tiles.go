package cuda

import (
	"cmp"
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
)

// tiles are the entities of an incidence, cut for meet_tiles.cu: of each relation that meets some entities of a tile one
// row of sums leaves it. Of FB15k-237 4 % of the pairs are left.
type tiles struct {
	list, entities, relations, slots, words address
	count, rows                             int
	first                                   address // (R+1) where the rows of a relation begin
}

func (t *tiles) record() record {
	return record{t.list, t.entities, t.relations, t.slots, t.words, int32(t.rows), int32(0)}
}

// tileEntities is the most of a tile: numbers of a byte, of which the last stands for nobody.
const tileEntities = 255

// slotEntities is the most of a row: a relation of all entities of a tile would keep the others waiting.
const slotEntities = 64

// tiling is tiles on the host.
type tiling struct {
	list, entities, slots []quad
	words                 []uint32
	first                 []int32
}

// newTiling cuts the entities into tiles. It is nil where that is not worth it: the rows that leave the tiles should be a
// quarter of the pairs at most.
func newTiling(i *kernel.Incidence) *tiling {
	order := alikeEntities(i)
	made, slots := make([]tiling, blocks(len(order), tileEntities)), 0
	for _, count := range countSlots(i, order) {
		slots += count
	}
	if slots > len(i.Relation)/4 {
		return nil
	}
	eachTile(order, func() func(int, []int32) {
		return func(k int, entities []int32) { made[k].add(i, entities) }
	})
	words := 0
	for _, m := range made {
		words += len(m.words)
	}
	t := &tiling{list: make([]quad, 0, len(made)), entities: make([]quad, 0, len(order)), slots: make([]quad, 0, slots), words: make([]uint32, 0, words)}
	for k := range made {
		t.append(&made[k])
	}
	t.number(i.Relations)
	return t
}

// eachTile visits the tiles, many of them on all cores, each of which has a visit of its own.
func eachTile(order []int32, newVisit func() func(k int, entities []int32)) {
	inShares(len(order), func(from, to int) { // a share has the tiles that begin in it
		visit := newVisit()
		for k := blocks(from, tileEntities); k < blocks(to, tileEntities); k++ {
			visit(k, order[k*tileEntities:min((k+1)*tileEntities, len(order))])
		}
	})
}

// countSlots says how many slots each tile will have.
func countSlots(i *kernel.Incidence, order []int32) []int {
	counts := make([]int, blocks(len(order), tileEntities))
	eachTile(order, func() func(int, []int32) {
		met := make([]int32, i.Relations) // entities of the tile that each relation meets
		return func(k int, entities []int32) {
			for _, v := range entities {
				for _, r := range i.Relation[i.At[v]:i.At[v+1]] {
					if met[r]%slotEntities == 0 {
						counts[k]++
					}
					met[r]++
				}
			}
			for _, v := range entities {
				for _, r := range i.Relation[i.At[v]:i.At[v+1]] {
					met[r] = 0
				}
			}
		}
	})
	return counts
}

// alikeEntities puts entities together whose relations begin and end alike; those that meet none are left out.
func alikeEntities(i *kernel.Incidence) []int32 {
	list := make([]keyedNode, 0, i.Entities)
	for v := range i.Entities {
		if from, to := i.At[v], i.At[v+1]; to > from {
			list = append(list, keyedNode{uint64(i.Relation[from])<<32 | uint64(i.Relation[to-1]), int32(v)})
		}
	}
	return sortNodes(list)
}

// add makes a tile. Its longest lists come first, so that neighbours, which share a warp, are of almost the same length.
func (t *tiling) add(i *kernel.Incidence, entities []int32) {
	pairs := func(v int32) int32 { return i.At[v+1] - i.At[v] }
	slices.SortStableFunc(entities, func(a, b int32) int { return cmp.Compare(pairs(b), pairs(a)) })
	var members []uint64 // relation·256 + entity of the tile
	for k, v := range entities {
		t.entities = append(t.entities, quad{v, i.At[v], i.At[v+1], 0})
		for _, r := range i.Relation[i.At[v]:i.At[v+1]] {
			members = append(members, uint64(r)<<8|uint64(k))
		}
	}
	slices.Sort(members)
	for len(members) > 0 {
		r, n := members[0]>>8, 1
		for n < len(members) && n < slotEntities && members[n]>>8 == r {
			n++
		}
		first := int32(len(t.words))
		t.words = append(t.words, packBytes(members[:n])...)
		t.slots = append(t.slots, quad{int32(r), first, int32(len(t.words)), 0})
		members = members[n:]
	}
	slices.SortStableFunc(t.slots, func(a, b quad) int { return cmp.Compare(b[2]-b[1], a[2]-a[1]) })
	t.list = append(t.list, quad{0, int32(len(entities)), 0, int32(len(t.slots))})
}

// append puts a tile that was made by itself behind the others.
func (t *tiling) append(tile *tiling) {
	of, words := tile.list[0], int32(len(t.words))
	of[0], of[2] = int32(len(t.entities)), int32(len(t.slots))
	t.list, t.entities, t.words = append(t.list, of), append(t.entities, tile.entities...), append(t.words, tile.words...)
	for _, s := range tile.slots {
		t.slots = append(t.slots, quad{s[0], s[1] + words, s[2] + words, 0})
	}
}

// packBytes puts the lowest bytes of four numbers into a word; nobody fills the last.
func packBytes(list []uint64) []uint32 {
	words := make([]uint32, blocks(len(list), 4))
	for k := range 4 * len(words) {
		number := uint32(tileEntities)
		if k < len(list) {
			number = uint32(list[k] & 255)
		}
		words[k/4] |= number << (k % 4 * 8)
	}
	return words
}

// number gives every slot a row in the place of its relation, so that the rows of one relation are neighbours in order of tiles.
func (t *tiling) number(relations int) {
	t.first = make([]int32, relations+1)
	for _, s := range t.slots {
		t.first[s[0]+1]++
	}
	for r := range relations {
		t.first[r+1] += t.first[r]
	}
	next := slices.Clone(t.first)
	for k, s := range t.slots {
		t.slots[k][0] = next[s[0]]
		next[s[0]]++
	}
}

// keepTiles puts a tiling on the device; the relations of pairs are there already.
func (f *frame) keepTiles(i *incidence, t *tiling) *tiles {
	if t == nil {
		return nil
	}
	return &tiles{list: keep(f, &i.owned, t.list), entities: keep(f, &i.owned, t.entities), relations: i.relation, slots: keep(f, &i.owned, t.slots),
		words: keep(f, &i.owned, t.words), count: len(t.list), rows: len(t.slots), first: keep(f, &i.owned, t.first)}
}

// isTiled tells whether meet_tiles.cu applies.
func (m meetRun) isTiled() bool { return m.tiles != nil && m.d == 32 }

// inTiles goes over the samples, as many at a time as the scratch memory holds rows of: part are theirs.
func (m meetRun) inTiles(dstates, states, heard, told address, visit func(part address, from, samples int)) {
	step := min(max(1, int(m.device.scratch/int64(128*m.tiles.rows+1))), maxRows)
	state, table := m.entities*32, m.relations*32
	for from := 0; from < m.samples; from += step {
		mark, n := m.mark(), min(step, m.samples-from)
		part := m.floats(n * m.tiles.rows * 32)
		m.moved = 4 * int64(n) * int64(state+m.tiles.rows*32)
		m.launch("meet32_tiles", grid{x: m.tiles.count, y: n, threads: 256}, 0, part, dstates.row(from, state), states.row(from, state),
			heard.row(from, table), told.row(from, table), m.tiles.record(), int32(m.entities), int32(m.relations))
		visit(part, from, n)
		m.release(mark)
	}
}

// overRelations is a grid of eight threads to a relation.
func (m meetRun) overRelations(samples int) grid {
	return grid{x: blocks(m.relations, 32), y: samples, threads: 256}
}

// tiledTable is table for meet_tiles.cu.
func (m meetRun) tiledTable(from address, stride, offset int) address {
	table := m.floats(m.samples * m.relations * 32)
	for first := 0; first < m.samples; first += maxRows {
		m.launch("meet32_table", m.overRelations(min(maxRows, m.samples-first)), 0, table.row(first, m.relations*32), from.row(first, m.relations*stride),
			m.weight, m.inverse, int32(m.relations), int32(stride), int32(offset))
	}
	return table
}

// tiledForward is MeetForward by tiles.
func (m meetRun) tiledForward(out kernel.Buffer, in kernel.MeetInput) {
	n := m.samples * m.relations * 32
	heard := m.tiledTable(m.aligned(at(in.Messages), 2*n), 64, 0)
	to, relations := m.alignedOutput(at(out), 3*n), m.aligned(at(in.Relations), n)
	m.inTiles(0, m.aligned(at(in.Entities), m.samples*m.entities*32), heard, 0, func(part address, from, samples int) {
		m.launch("meet32_out", m.overRelations(samples), 0, to.row(from, 3*m.relations*32), relations.row(from, m.relations*32), part,
			m.weight, m.inverse, m.tiles.first, int32(m.relations), int32(m.tiles.rows))
	})
	m.putBack(at(out), to, 3*n)
}

// tiledPass is pass by tiles.
func (m meetRun) tiledPass(din kernel.MeetInput, dout kernel.Buffer, in kernel.MeetInput) address {
	n, all := m.samples*m.relations*32, m.samples*m.entities*32
	heard, told := m.tiledTable(m.aligned(at(in.Messages), 2*n), 64, 0), m.tiledTable(m.aligned(at(dout), 3*n), 96, 32)
	total, dstates := m.floats(n), m.aligned(at(din.Entities), all)
	m.inTiles(dstates, m.aligned(at(in.Entities), all), heard, told, func(part address, from, samples int) {
		m.launch("meet32_total", m.overRelations(samples), 0, total.row(from, m.relations*32), part, m.weight, m.tiles.first, int32(m.relations), int32(m.tiles.rows))
	})
	m.putBack(at(din.Entities), dstates, all)
	return total
}
