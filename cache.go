package lacuna

import (
	"container/list"
	"sync"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
)

// Cache keeps predicted projections from question to question, up to a number of
// bytes; what was not asked for longest goes first. Exact projections are not kept:
// following edges costs no more than reading a set. It may be used concurrently.
type Cache struct {
	limit int64

	mutex   sync.Mutex
	entries map[cacheKey]*list.Element // of *cacheEntry
	recent  *list.List                 // last used in front
	bytes   int64
	scope   uint64 // of the newest engine
	hits    uint64
	misses  uint64
	evicted uint64
}

// cacheKey is a set by the way it is computed, and all else that decides its value.
type cacheKey struct {
	digest exec.Digest
	scope  uint64 // of an engine: another graph or model, another scope
	how    Execution
}

type cacheEntry struct {
	key cacheKey
	set fuzzy.Set
}

// NewCache makes a cache of at most the given number of bytes.
func NewCache(limit int64) *Cache {
	return &Cache{limit: limit, entries: map[cacheKey]*list.Element{}, recent: list.New()}
}

// CacheStats says how a cache is doing.
type CacheStats struct {
	Entries int
	Bytes   int64
	Hits    uint64
	Misses  uint64
	Evicted uint64
}

// Stats reads the counters.
func (c *Cache) Stats() CacheStats {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return CacheStats{len(c.entries), c.bytes, c.hits, c.misses, c.evicted}
}

// WithCache gives the same engine with a cache for its predictions. What the cache
// held for another engine, such as the one before a change of facts, is dropped:
// any fact may change any prediction.
func (e *Engine) WithCache(c *Cache) *Engine {
	with := *e
	with.cache, with.scope = c, c.newScope()
	return &with
}

func (c *Cache) newScope() uint64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	clear(c.entries)
	c.recent.Init()
	c.bytes = 0
	c.scope++
	return c.scope
}

// entryOverhead is roughly what an entry takes beside its set.
const entryOverhead = 256

func (entry *cacheEntry) bytes() int64 { return int64(4*len(entry.set)) + entryOverhead }

func (c *Cache) get(key cacheKey) (fuzzy.Set, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	element, found := c.entries[key]
	if !found {
		c.misses++
		return nil, false
	}
	c.hits++
	c.recent.MoveToFront(element)
	return element.Value.(*cacheEntry).set, true
}

func (c *Cache) put(key cacheKey, set fuzzy.Set) {
	entry := &cacheEntry{key, set}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	// A run that began before a change of facts ends with sets that nobody will ask for.
	if _, found := c.entries[key]; found || key.scope != c.scope || entry.bytes() > c.limit {
		return
	}
	c.entries[key] = c.recent.PushFront(entry)
	c.bytes += entry.bytes()
	for c.bytes > c.limit {
		oldest := c.recent.Remove(c.recent.Back()).(*cacheEntry)
		delete(c.entries, oldest.key)
		c.bytes -= oldest.bytes()
		c.evicted++
	}
}

// cacheOfRun is the cache as one run sees it: it implements exec.Cache.
type cacheOfRun struct {
	*Cache
	key cacheKey // all but the digest
}

func (m cacheOfRun) at(digest exec.Digest) cacheKey {
	key := m.key
	key.digest = digest
	return key
}

func (m cacheOfRun) Recall(digest exec.Digest) (fuzzy.Set, bool) { return m.get(m.at(digest)) }
func (m cacheOfRun) Keep(digest exec.Digest, set fuzzy.Set)      { m.put(m.at(digest), set) }

// cached is nil without a cache.
func (e *Engine) cached(run Execution) exec.Cache {
	if e.cache == nil || run.Plain {
		return nil
	}
	return cacheOfRun{e.cache, cacheKey{scope: e.scope, how: run}}
}
