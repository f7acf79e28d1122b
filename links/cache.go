package links

import (
	"sync"
	"sync/atomic"
)

// cache keeps rows up to a number of bytes. What goes is chosen by a clock: a hand goes round
// the rows and takes the first that nobody has asked for since it came by last. Being asked for
// costs a flag, where a list in order of use would be rewritten by every one of the many rows of a question.
type cache struct {
	limit int64

	mutex  sync.RWMutex // what is only looked for may be looked for by many
	places map[Pair]int // in entries
	ring   []entry
	hand   int
	stats  Stats
}

type entry struct {
	pair Pair
	row  Row
	used uint32 // 1: since the hand came by; set by many at once
}

// Stats says how many rows are kept, and how they were found.
type Stats struct {
	Rows    int
	Bytes   int64
	Hits    uint64 // rows that were there when they were asked for
	Made    uint64 // computed, or read from a file
	Evicted uint64
}

func newCache(limit int64) *cache { return &cache{limit: limit, places: map[Pair]int{}} }

// get fills in the rows that are kept and gives the numbers of the pairs that are not.
func (c *cache) get(rows []Row, pairs []Pair, wanted []int) (missing []int) {
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	for _, i := range wanted {
		at, found := c.places[pairs[i]]
		if !found {
			missing = append(missing, i)
			continue
		}
		if e := &c.ring[at]; atomic.LoadUint32(&e.used) == 0 {
			atomic.StoreUint32(&e.used, 1)
		}
		rows[i] = c.ring[at].row
	}
	atomic.AddUint64(&c.stats.Hits, uint64(len(wanted)-len(missing)))
	return missing
}

// row gives a row that is kept.
func (c *cache) row(pair Pair) (row Row, found bool) {
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	at, found := c.places[pair]
	if found {
		row = c.ring[at].row
	}
	return row, found
}

// has tells whether a row is kept.
func (c *cache) has(pair Pair) bool {
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	_, found := c.places[pair]
	return found
}

// put keeps a row, if it has room at all, and lets others go for it.
func (c *cache) put(pair Pair, row Row) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.stats.Made++
	if _, found := c.places[pair]; found || row.bytes() > c.limit {
		return
	}
	for c.stats.Bytes+row.bytes() > c.limit {
		c.evict()
	}
	c.places[pair] = len(c.ring)
	c.ring = append(c.ring, entry{pair, row, 1})
	c.stats.Bytes += row.bytes()
}

// evict takes the hand on to a row to let go; the last of the ring gets its place.
func (c *cache) evict() {
	for {
		if c.hand >= len(c.ring) {
			c.hand = 0
		}
		e := &c.ring[c.hand]
		if e.used == 0 {
			break
		}
		e.used = 0
		c.hand++
	}
	gone, last := c.ring[c.hand], len(c.ring)-1
	c.ring[c.hand] = c.ring[last]
	c.places[c.ring[c.hand].pair] = c.hand
	c.ring[last] = entry{}
	c.ring = c.ring[:last]
	delete(c.places, gone.pair)
	c.stats.Bytes -= gone.row.bytes()
	c.stats.Evicted++
	c.hand++
}

func (c *cache) statistics() Stats {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	s := c.stats
	s.Rows = len(c.ring)
	return s
}
