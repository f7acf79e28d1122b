package snapshot

import (
	"fmt"
	"sync/atomic"

	"github.com/lacuna-kg/lacuna/kg"
)

// trustedFrom is the length of a section from which on OpenTrusting checks it afterwards: what is smaller takes some milliseconds.
const trustedFrom = 16 << 20

// OpenTrusting is Open that does not wait for the check of a large file, which takes seconds for a hundred million facts: the header,
// what is small, and whether all fits together is checked at once, the rest while the graph is in use already. Where that
// is unsound, trouble is called with what is wrong, once, by another goroutine: until then answers may be wrong, and
// an index may fall outside of an array, which panics. The check ends early where the graph is closed.
func OpenTrusting(path string, trouble func(error)) (*kg.Splits, error) {
	return open(path, func(data []byte, release func() error) (*kg.Splits, error) {
		return decodeTrusting(data, release, trustedFrom, func(err error) {
			trouble(kg.Errorf(kg.Invalid, path, "a corrupt snapshot: %v", err))
		})
	})
}

func decodeTrusting(data []byte, release func() error, from uint64, trouble func(error)) (*kg.Splits, error) {
	sections, err := decodeHeader(data)
	if err != nil {
		return nil, err
	}
	large, err := verifySmall(data, sections, from)
	if err != nil {
		return nil, fmt.Errorf("a corrupt snapshot: %w", err)
	}
	if len(large) == 0 {
		return decode(data, release)
	}
	check := &laterCheck{data: data, sections: sections, large: large, release: release}
	s, err := contentsIn(data, sections).splits(kg.FromArraysUnchecked, check.close)
	if err != nil {
		return nil, fmt.Errorf("a corrupt snapshot: %w", err)
	}
	check.users.Store(2)
	go check.run(s.Train, trouble)
	return s, nil
}

// verifySmall checks the sections shorter than from and says which are not.
func verifySmall(data []byte, sections []section, from uint64) (large []int, err error) {
	for i, s := range sections {
		if s.length >= from {
			large = append(large, i)
		} else if err := verifyChecksum(data, sections, i); err != nil {
			return nil, err
		}
	}
	return large, nil
}

// laterCheck checks a file that is in use. The file stays mapped until both its users and the check are done with it, so that
// nobody who closes a graph waits for a check.
type laterCheck struct {
	data     []byte
	sections []section
	large    []int
	release  func() error
	closed   atomic.Bool  // by the users
	users    atomic.Int32 // the graph's users and the check
}

// close is the release of the graph.
func (c *laterCheck) close() error {
	c.closed.Store(true)
	return c.leave()
}

func (c *laterCheck) leave() error {
	if c.users.Add(-1) > 0 {
		return nil
	}
	return c.release()
}

// run checks a graph whose arrays lie in the file.
func (c *laterCheck) run(g *kg.Graph, trouble func(error)) {
	defer c.leave()
	defer func() {
		if p := recover(); p != nil { // an index that is none, say: the file is what is wrong, and the process goes on
			trouble(fmt.Errorf("its check panicked: %v", p))
		}
	}()
	for _, i := range c.large {
		if c.closed.Load() {
			return
		}
		if err := verifyChecksum(c.data, c.sections, i); err != nil {
			trouble(err)
			return
		}
	}
	if c.closed.Load() {
		return
	}
	if err := g.Check(); err != nil {
		trouble(err)
	}
}
