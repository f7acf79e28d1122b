package pickle

// place notes that a value goes into a container and gives its depth.
func place(it item) int32 {
	switch v := it.value.(type) {
	case nil, int64, string:
		return 0
	case Tuple:
		return it.depth
	case container:
		v.node().placed = true
		return v.node().depth
	}
	return it.depth
}

// deepest notes that the items go into one container and gives the container's depth.
func (d *decoder) deepest(items []item) (int32, error) {
	depth := int32(0)
	for _, it := range items {
		depth = max(depth, place(it))
	}
	if depth >= MaxDepth {
		return 0, d.errorf("values nest deeper than %d", MaxDepth)
	}
	return depth + 1, nil
}

// reserve gives memory for a tuple of n. Tuples are small and come by the
// million, so they are cut from larger pieces.
func (d *decoder) reserve(n int) []any {
	if n > 64 {
		return make([]any, n)
	}
	if len(d.room) < n {
		d.room = make([]any, 1024)
	}
	cut := d.room[:n:n]
	d.room = d.room[n:]
	return cut
}

func (d *decoder) tupleFromMark() error {
	n, err := d.takeMark()
	if err != nil {
		return err
	}
	return d.tupleOf(n)
}

func (d *decoder) tupleOf(n int) error {
	items, err := d.top(n)
	if err != nil {
		return err
	}
	depth, err := d.deepest(items)
	if err != nil {
		return err
	}
	tuple := Tuple(d.reserve(n))
	for i, it := range items {
		tuple[i] = it.value
	}
	d.drop(n)
	return d.push(tuple, depth)
}

func (d *decoder) listFromMark() error {
	return d.freshFromMark(&List{}, d.extendList)
}

func (d *decoder) dictFromMark() error {
	return d.freshFromMark(&Dict{}, d.extendDict)
}

func (d *decoder) setFromMark() error {
	return d.freshFromMark(&Set{}, d.extendSet)
}

// freshFromMark slides a new container below the items above the mark, then fills it with them.
func (d *decoder) freshFromMark(fresh container, extend func(n int) error) error {
	n, err := d.takeMark()
	if err != nil {
		return err
	}
	fresh.node().depth = 1
	at := len(d.stack) - n
	d.stack = append(d.stack, item{})
	copy(d.stack[at+1:], d.stack[at:])
	d.stack[at] = item{fresh, 1}
	return extend(n)
}

// growing gives the container below the last n items and these items, which it
// is about to take. The items stay on the stack until drop.
func (d *decoder) growing(n int) (container, []item, error) {
	items, err := d.top(n + 1)
	if err != nil {
		return nil, nil, err
	}
	target, items := items[0].value, items[1:]
	c, ok := target.(container)
	if !ok {
		return nil, nil, d.errorf("items for a %T, expected a list, dict or set", target)
	}
	depth, err := d.deepest(items)
	if err != nil {
		return nil, nil, err
	}
	if c.node().placed {
		return nil, nil, d.errorf("a value that contains itself")
	}
	c.node().depth = max(c.node().depth, depth)
	return c, items, nil
}

func (d *decoder) extendList(n int) error {
	c, items, err := d.growing(n)
	if err != nil {
		return err
	}
	list, ok := c.(*List)
	if !ok {
		return d.errorf("APPEND to a %T, expected a list", c)
	}
	list.Items = withRoom(list.Items, n)
	for _, it := range items {
		list.Items = append(list.Items, it.value)
	}
	d.drop(n)
	return nil
}

func (d *decoder) extendDict(n int) error {
	c, items, err := d.growing(n)
	if err != nil {
		return err
	}
	dict, ok := c.(*Dict)
	if !ok {
		return d.errorf("SETITEM of a %T, expected a dict", c)
	}
	if n%2 != 0 {
		return d.errorf("a dict with a key that has no value")
	}
	dict.Keys, dict.Values = withRoom(dict.Keys, n/2), withRoom(dict.Values, n/2)
	for i := 0; i < n; i += 2 {
		dict.Keys = append(dict.Keys, items[i].value)
		dict.Values = append(dict.Values, items[i+1].value)
	}
	d.drop(n)
	return nil
}

func (d *decoder) extendSet(n int) error {
	c, items, err := d.growing(n)
	if err != nil {
		return err
	}
	set, ok := c.(*Set)
	if !ok {
		return d.errorf("ADDITEMS to a %T, expected a set", c)
	}
	for _, it := range items {
		set.add(it.value, n)
	}
	d.drop(n)
	return nil
}

// add puts a member where its kind belongs; expected is how many come together.
func (s *Set) add(member any, expected int) {
	if n, ok := member.(int64); ok {
		if s.Ints == nil {
			s.Ints = make([]int64, 0, expected)
		}
		s.Ints = append(s.Ints, n)
		return
	}
	s.Others = append(s.Others, member)
}

// withRoom makes the first batch of a container fit exactly, as most have only one.
func withRoom(items []any, n int) []any {
	if items == nil {
		return make([]any, 0, n)
	}
	return items
}
