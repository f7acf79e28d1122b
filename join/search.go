package join

import (
	"container/heap"
	"slices"
)

// search is the search for the values of some variables, the answers, of the derivations of one ∃.
type search struct {
	*table
	form    *form
	answers []int
	levels  *levels
	least   float64

	queue   queue
	done    []map[string]float64 // by level: of the beginnings that agree in its frontier, the best degree
	given   map[string]bool      // the answers so far
	key     []byte               // to look up by
	current float64              // the bound of the state that is looked at
	failed  float64              // the bound of the state at which the search ended early
	begun   bool
	initial assignment
	// predicted leaves out derivations of stated links alone, where the last variable tells them.
	predicted bool
}

// state is a beginning of a derivation: the variables of the levels up to its own have values.
type state struct {
	values assignment
	done   float64 // the degree of what is decided
	bound  float64 // no derivation that begins so is better
	level  int     // how many variables have values
	stage  stage

	tries candidates // of a state whose next variable is being assigned
	next  int        // of them
	ahead float64    // bounds what is neither decided nor given by the generators
	order int        // of equal ones the older comes first
}

// stage is what is to be done with a state.
type stage uint8

const (
	toExtend  stage = iota // the next variable's values are to be found
	extending              // they are being tried
	complete               // all variables have values
)

// newSearch prepares the search for values of the variables of an ∃ that are free or bound by it
// and have none in a, which it does not change.
func newSearch(t *table, f *form, n *node, answers []int, a assignment) *search {
	s := &search{table: t, form: f, answers: answers, given: map[string]bool{}}
	s.initial = slices.Repeat(assignment{unassigned}, f.variables)
	copy(s.initial, a)
	if a == nil {
		s.least = t.least
	}
	vars := slices.Clone(n.vars)
	for _, v := range n.free {
		if s.initial[v] == unassigned {
			vars = append(vars, v)
		}
	}
	for _, v := range n.vars {
		s.initial[v] = unassigned
	}
	isClosed := len(vars) == len(n.vars) && len(answers) == 0
	if s.levels = n.inner; !isClosed || s.levels == nil {
		s.levels = t.plan(f.ranks, n.conjuncts(), vars, answers)
	}
	if isClosed {
		n.inner = s.levels
	}
	s.done = make([]map[string]float64, len(s.levels.of))
	return s
}

// next gives the best derivation of an answer that was not given yet, or nil.
func (s *search) next() (*state, error) {
	if !s.begun {
		s.begun = true
		if err := s.begin(); err != nil {
			s.failed = 1 // nothing is known of what would have come
			return nil, err
		}
	}
	for len(s.queue.of) > 0 {
		top := s.pop()
		if top.stage == complete {
			if s.give(top) {
				return top, nil
			}
			continue
		}
		if err := s.step(); err != nil {
			s.failed = max(s.failed, top.bound)
			return nil, err
		}
		if s.isGiven(top) {
			continue
		}
		s.current = top.bound
		if err := s.advance(top); err != nil {
			s.failed = max(s.failed, top.bound)
			return nil, err
		}
	}
	return nil, nil
}

// give tells whether the answer of a complete state is new.
func (s *search) give(x *state) bool {
	if s.isDistinct(x.level) {
		return true
	}
	if s.key = x.values.appendKey(s.key[:0], s.answers); s.given[string(s.key)] {
		return false
	}
	s.given[string(s.key)] = true
	return true
}

// isDistinct tells whether no two states of a level agree in what matters.
func (s *search) isDistinct(level int) bool { return level == 0 || s.levels.of[level-1].distinct }

// highest bounds all that is still to be found.
func (s *search) highest() float64 {
	if len(s.queue.of) == 0 {
		return s.failed
	}
	return max(s.failed, s.queue.of[0].bound)
}

// begin looks at what needs no variable.
func (s *search) begin() error {
	s.current = 1
	first := &state{values: s.initial, done: 1, bound: 1}
	return s.decide(first, s.levels.start, s.open(0))
}

// open are the conditions that are not decided at a level.
func (s *search) open(level int) []*node {
	if level > 0 {
		return s.levels.of[level-1].pending
	}
	var open []*node
	for _, l := range s.levels.of {
		open = append(append(open, l.generators...), l.rest...)
	}
	return open
}

// advance does what is next to be done with a state.
func (s *search) advance(x *state) error {
	if x.stage == toExtend {
		return s.extend(x)
	}
	return s.try(x)
}

// isGiven tells whether the answer of a state is known already, so that no derivation of it is of use.
func (s *search) isGiven(x *state) bool {
	if len(s.given) == 0 || x.level == 0 || !s.levels.of[x.level-1].decided {
		return false
	}
	s.key = x.values.appendKey(s.key[:0], s.answers)
	return s.given[string(s.key)]
}

// decide takes in the conditions that the last variable decides and drops the state where nothing
// can come of it that is good enough, or better than what was there before.
func (s *search) decide(x *state, decided, open []*node) error {
	for _, n := range decided {
		if s.isTooLow(x.done) {
			return nil
		}
		degree, err := s.truth(n, x.values, x.bound)
		if err != nil {
			return err
		}
		x.done = s.and(x.done, degree)
	}
	if x.bound = min(x.bound, s.ahead(x.done, open, nil, x.values)); s.isTooLow(x.bound) || s.isDominated(x) {
		return nil
	}
	x.stage = toExtend
	if x.level == len(s.levels.of) {
		x.stage = complete
	}
	s.push(x)
	return nil
}

// ahead bounds what comes of a degree and of open conditions but one.
func (s *search) ahead(degree float64, open []*node, but *node, a assignment) float64 {
	for _, n := range open {
		if n != but {
			degree = s.and(degree, s.bound(n, a).high)
		}
	}
	return degree
}

func (s *search) isTooLow(degree float64) bool { return degree <= 0 || degree < s.least }

// isDominated tells whether a beginning was there that agrees with x in all that is ahead and is as good. Truth
// grows with the truth of its parts, so that nothing better can come of x.
func (s *search) isDominated(x *state) bool {
	if s.isDistinct(x.level) {
		return false
	}
	s.key = x.values.appendKey(s.key[:0], s.levels.of[x.level-1].frontier)
	seen := s.done[x.level-1]
	if best, found := seen[string(s.key)]; found && best >= x.done {
		return true
	}
	if seen == nil {
		seen = map[string]float64{}
		s.done[x.level-1] = seen
	}
	seen[string(s.key)] = x.done
	return false
}

// extend finds the values to try for the next variable.
func (s *search) extend(x *state) (err error) {
	at := &s.levels.of[x.level]
	var by *node
	if len(at.generators) > 0 {
		if err := s.prefetch(x); err != nil {
			return err
		}
		x.tries = s.generated(*at, x.values)
	} else if x.tries, by, err = s.supported(at, x.values, x.bound); err != nil {
		return err
	}
	if s.predicted && x.level == len(s.levels.of)-1 && len(at.generators) > 0 && len(at.rest) == 0 && x.done == 1 {
		x.tries.sure = nil // with them all is stated
	}
	if at.isProjected {
		x.tries = x.tries.first()
	}
	x.ahead = s.ahead(1, slices.Concat(at.rest, at.pending), by, x.values)
	x.stage = extending
	s.pushTries(x)
	return nil
}

// pushTries queues a state with the bound of the next value to try, if there is one that is good enough.
func (s *search) pushTries(x *state) {
	if x.next == x.tries.len() {
		return
	}
	_, degree := x.tries.at(x.next)
	x.bound = min(x.bound, s.and(s.and(x.done, degree), x.ahead))
	if !s.isTooLow(x.bound) {
		s.push(x)
	}
}

// try assigns the next value to the next variable.
func (s *search) try(x *state) error {
	at := s.levels.of[x.level]
	e, degree := x.tries.at(x.next)
	child := &state{values: slices.Clone(x.values), done: x.done, bound: x.bound, level: x.level + 1}
	child.values[at.variable] = e
	if len(at.generators) > 0 {
		child.done = s.and(child.done, degree)
	}
	if err := s.prefetchTries(x, child); err != nil {
		return err
	}
	x.next++
	s.pushTries(x)
	return s.decide(child, at.rest, at.pending)
}

// push queues a state. Where nothing is predicted all are equally good, and the queue is a stack.
func (s *search) push(x *state) {
	if s.stated {
		s.queue.of = append(s.queue.of, x)
		return
	}
	s.queue.pushed++
	x.order = s.queue.pushed
	heap.Push(&s.queue, x)
}

func (s *search) pop() *state {
	if s.stated {
		return s.queue.Pop().(*state)
	}
	return heap.Pop(&s.queue).(*state)
}

// rowsTogether is how many rows are asked for at once: a model computes them together.
const rowsTogether = 16

// looksAhead is how many of the values that a state will try are looked at for rows that will be needed.
const looksAhead = 64

// prefetch gets the rows that the next step of a state needs and, as some have to be computed anyway, those of others that
// will soon be looked at.
func (s *search) prefetch(x *state) error {
	all := s.wantsOf(nil, s.levels.of[x.level], x.values, x.bound)
	if !s.computesAny(all) {
		return s.fetch(all)
	}
	own := len(all)
	for _, other := range s.queue.of[:min(len(s.queue.of), rowsTogether)] {
		if len(all) >= rowsTogether {
			break
		}
		all = s.soon(all, other)
	}
	return s.fetchAhead(all, own)
}

// prefetchTries gets the rows by which a new state is decided and, where some lack, those for the values after it.
func (s *search) prefetchTries(x, child *state) error {
	rest := s.levels.of[x.level].rest
	var all []wanted
	for _, n := range rest {
		all = s.needs(all, n, child.values, child.bound)
	}
	if !s.computesAny(all) {
		return s.fetch(all)
	}
	own := len(all)
	values := slices.Clone(x.values)
	for i := x.next + 1; i < min(x.tries.len(), x.next+looksAhead) && len(all) < rowsTogether; i++ {
		e, degree := x.tries.at(i)
		bound := s.and(s.and(x.done, degree), x.ahead)
		if s.isTooLow(bound) {
			break
		}
		values[s.levels.of[x.level].variable] = e
		for _, n := range rest {
			all = s.needs(all, n, values, bound)
		}
	}
	return s.fetchAhead(all, own)
}

// fetchAhead gets rows of which some are needed now and the others later.
func (s *search) fetchAhead(all []wanted, now int) error {
	for i := range all[now:] {
		all[now+i].isAhead = true
	}
	return s.fetch(all)
}

// soon collects the rows that a queued state will need.
func (s *search) soon(to []wanted, x *state) []wanted {
	switch x.stage {
	case toExtend:
		return s.wantsOf(to, s.levels.of[x.level], x.values, x.bound)
	case extending:
		return s.soonTried(to, x)
	}
	return to
}

// soonTried collects the rows that the next values of a state will need.
func (s *search) soonTried(to []wanted, x *state) []wanted {
	if x.level+1 >= len(s.levels.of) {
		return to
	}
	values := slices.Clone(x.values)
	for i := x.next; i < min(x.tries.len(), x.next+looksAhead) && len(to) < rowsTogether; i++ {
		e, degree := x.tries.at(i)
		bound := s.and(s.and(x.done, degree), x.ahead)
		if s.isTooLow(bound) {
			break
		}
		values[s.levels.of[x.level].variable] = e
		to = s.wantsOf(to, s.levels.of[x.level+1], values, bound)
	}
	return to
}

// queue is a heap of states: the highest bound first, of equal ones that with the most
// variables assigned, so that a first answer comes soon.
type queue struct {
	of     []*state
	pushed int
}

func (q *queue) Len() int { return len(q.of) }

func (q *queue) Less(i, j int) bool {
	a, b := q.of[i], q.of[j]
	switch {
	case a.bound != b.bound:
		return a.bound > b.bound
	case (a.stage == complete) != (b.stage == complete):
		return a.stage == complete
	case a.level != b.level:
		return a.level > b.level
	}
	return a.order < b.order
}

func (q *queue) Swap(i, j int) { q.of[i], q.of[j] = q.of[j], q.of[i] }
func (q *queue) Push(x any)    { q.of = append(q.of, x.(*state)) }

func (q *queue) Pop() any {
	last := len(q.of) - 1
	x := q.of[last]
	q.of[last] = nil
	q.of = q.of[:last]
	return x
}
