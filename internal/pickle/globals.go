package pickle

import "fmt"

// global pushes a class or function if it is an allowed one. This is where
// Python would import a module, and where a hostile pickle starts.
func (d *decoder) global(op byte) error {
	module, name, err := d.globalName(op)
	if err != nil {
		return err
	}
	call := d.allowed(module, name)
	if call == nil && d.hooks.Global != nil {
		call = d.hooks.Global(module, name)
	}
	if call == nil {
		return d.errorf("refused %s.%s: the pickle names code that this file should not need", module, name)
	}
	return d.push(&Global{module, name, call}, 0)
}

func (d *decoder) globalName(op byte) (module, name string, err error) {
	if op == 'c' {
		if module, err = d.line(); err == nil {
			name, err = d.line()
		}
		return module, name, err
	}
	pair, err := d.top(2)
	if err != nil {
		return "", "", err
	}
	module, isModule := pair[0].value.(string)
	name, isName := pair[1].value.(string)
	if !isModule || !isName {
		return "", "", d.errorf("a global that is not named by two strings")
	}
	d.drop(2)
	return module, name, nil
}

// allowed is the fixed list of globals: the containers, and the way in which
// Python 3 writes bytes in protocols that have none.
func (d *decoder) allowed(module, name string) Callable {
	switch module + "." + name {
	case "builtins.set", "__builtin__.set", "builtins.frozenset", "__builtin__.frozenset":
		return d.makeSet
	case "builtins.list", "__builtin__.list":
		return d.makeList
	case "builtins.dict", "__builtin__.dict", "collections.OrderedDict":
		return d.makeDict
	case "collections.defaultdict":
		return d.makeDefaultDict
	case "builtins.int", "__builtin__.int", "__builtin__.long":
		return makeInt
	case "builtins.bytes", "__builtin__.bytes":
		return makeNoBytes
	case "_codecs.encode":
		return d.encode
	}
	return nil
}

// reduce calls a global with a tuple of arguments; for the classes allowed, creating an object (NEWOBJ) is the same.
func (d *decoder) reduce() error {
	pair, err := d.top(2)
	if err != nil {
		return err
	}
	callee, isGlobal := pair[0].value.(*Global)
	args, isTuple := pair[1].value.(Tuple)
	if !isGlobal || !isTuple {
		return d.errorf("a call of a %T, expected one of a global with a tuple", pair[0].value)
	}
	depth, err := d.deepest(pair)
	if err != nil {
		return err
	}
	value, err := callee.call(args)
	if err != nil {
		return d.errorf("%s: %v", callee, err)
	}
	if made, ok := value.(container); ok {
		made.node().depth = depth
	}
	d.drop(2)
	return d.push(value, depth)
}

// build gives a state to the value below it on the stack.
func (d *decoder) build() error {
	pair, err := d.top(2)
	if err != nil {
		return err
	}
	if _, err := d.deepest(pair[1:]); err != nil {
		return err
	}
	switch target := pair[0].value.(type) {
	case *Dict:
		if target.placed {
			return d.errorf("a value that contains itself")
		}
		target.State = pair[1].value
		target.depth = max(target.depth, place(pair[1])+1)
	case Stateful:
		if err := target.SetState(pair[1].value); err != nil {
			return d.errorf("state: %v", err)
		}
	default:
		return d.errorf("a state for a %T, which takes none", target)
	}
	d.drop(1)
	return nil
}

// charge counts items that a call copies. Each stands in the input once, so that
// a pickle which makes more of them than it has bytes blows up what it shares.
func (d *decoder) charge(items int) error {
	d.copied += int64(items)
	if d.copied > d.offset() {
		return fmt.Errorf("copies more items than the pickle has bytes")
	}
	return nil
}

// onlyList gives the items of the list that is the only argument; no argument means no items.
func (d *decoder) onlyList(args Tuple) ([]any, error) {
	if len(args) == 0 {
		return nil, nil
	}
	list, ok := args[0].(*List)
	if !ok || len(args) > 1 {
		return nil, fmt.Errorf("expected one list as argument")
	}
	return list.Items, d.charge(len(list.Items))
}

func (d *decoder) makeSet(args Tuple) (any, error) {
	items, err := d.onlyList(args)
	if err != nil {
		return nil, err
	}
	set := &Set{}
	for _, member := range items {
		set.add(member, len(items))
	}
	return set, nil
}

func (d *decoder) makeList(args Tuple) (any, error) {
	items, err := d.onlyList(args)
	return &List{Items: append([]any(nil), items...)}, err
}

// makeDict takes a list of pairs, which is how Python 2 wrote an OrderedDict.
func (d *decoder) makeDict(args Tuple) (any, error) {
	items, err := d.onlyList(args)
	if err != nil {
		return nil, err
	}
	dict := &Dict{}
	for _, item := range items {
		pair, ok := item.(Tuple)
		if list, isList := item.(*List); isList {
			pair, ok = list.Items, true
		}
		if !ok || len(pair) != 2 {
			return nil, fmt.Errorf("expected a list of pairs")
		}
		dict.Keys, dict.Values = append(dict.Keys, pair[0]), append(dict.Values, pair[1])
	}
	return dict, nil
}

// makeDefaultDict leaves the default out: a reader only ever looks at the keys that are there.
func (d *decoder) makeDefaultDict(args Tuple) (any, error) {
	if len(args) > 1 {
		return nil, fmt.Errorf("expected at most a factory as argument")
	}
	return &Dict{}, nil
}

func makeInt(args Tuple) (any, error) {
	if len(args) == 0 {
		return int64(0), nil
	}
	value, ok := args[0].(int64)
	if !ok || len(args) > 1 {
		return nil, fmt.Errorf("expected one int as argument")
	}
	return value, nil
}

// makeNoBytes makes the empty bytes, the only ones that Python writes by a call of their class.
func makeNoBytes(args Tuple) (any, error) {
	if len(args) != 0 {
		return nil, fmt.Errorf("expected no argument")
	}
	return []byte{}, nil
}

// encode turns a str of characters below 256 into bytes.
func (d *decoder) encode(args Tuple) (any, error) {
	if len(args) != 2 || args[1] != "latin1" {
		return nil, fmt.Errorf("expected a str and the encoding latin1")
	}
	text, ok := args[0].(string)
	if !ok {
		return nil, fmt.Errorf("expected a str and the encoding latin1")
	}
	if err := d.charge(len(text)); err != nil {
		return nil, err
	}
	raw := make([]byte, 0, len(text))
	for _, char := range text {
		if char > 255 {
			return nil, fmt.Errorf("a character beyond latin1")
		}
		raw = append(raw, byte(char))
	}
	return raw, nil
}
