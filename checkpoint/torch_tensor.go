package checkpoint

import (
	"fmt"
	"math"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/pickle"
)

// torchStorage is an array of float32 that tensors are views of.
type torchStorage struct {
	key    string
	length int
}

// torchTensor is a view of a storage: element (i, j, …) stands at offset + i·stride₀ + j·stride₁ + …
type torchTensor struct {
	storage *torchStorage
	offset  int
	shape   []int
	stride  []int
}

// torchGlobal admits what tensors are made of; pickle itself admits plain containers.
// Anything else a pickle names is code, and refused by its name.
func torchGlobal(module, name string) pickle.Callable {
	switch module + "." + name {
	case "torch._utils._rebuild_tensor_v2":
		return rebuildTensor
	case "torch.FloatStorage":
		return func(pickle.Tuple) (any, error) { return nil, fmt.Errorf("a storage is named, not made") }
	}
	return nil
}

// torchStorageOf reads the persistent id ("storage", type, key, device, length).
func torchStorageOf(id any) (any, error) {
	parts, ok := id.(pickle.Tuple)
	if !ok || len(parts) != 5 || parts[0] != "storage" {
		return nil, fmt.Errorf("expected the name of a storage of 5 parts")
	}
	kind, isGlobal := parts[1].(*pickle.Global)
	if !isGlobal || kind.String() != "torch.FloatStorage" {
		return nil, fmt.Errorf("a storage of %v, expected torch.FloatStorage", parts[1])
	}
	key, isString := parts[2].(string)
	length, isInt := parts[4].(int64)
	if !isString || !isInt || key == "" || strings.ContainsAny(key, `/\.`) || length < 0 || length > math.MaxInt32 {
		return nil, fmt.Errorf("a storage with key %v and length %v", parts[2], parts[4])
	}
	return &torchStorage{key, int(length)}, nil
}

// rebuildTensor is _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks).
func rebuildTensor(args pickle.Tuple) (any, error) {
	if len(args) != 6 && len(args) != 7 {
		return nil, fmt.Errorf("%d arguments, expected 6", len(args))
	}
	storage, isStorage := args[0].(*torchStorage)
	offset, isInt := args[1].(int64)
	shape, isShape := sizes(args[2])
	stride, isStride := sizes(args[3])
	if !isStorage || !isInt || !isShape || !isStride || len(shape) != len(stride) || offset < 0 || offset > math.MaxInt32 {
		return nil, fmt.Errorf("expected a storage, an offset, sizes and as many strides")
	}
	t := &torchTensor{storage, int(offset), shape, stride}
	return t, t.check()
}

// sizes reads a tuple of non-negative integers.
func sizes(value any) ([]int, bool) {
	tuple, ok := value.(pickle.Tuple)
	if !ok || len(tuple) > 8 {
		return nil, false
	}
	list := make([]int, len(tuple))
	for i, x := range tuple {
		n, isInt := x.(int64)
		if !isInt || n < 0 || n > math.MaxInt32 {
			return nil, false
		}
		list[i] = int(n)
	}
	return list, true
}

// check holds the view to its storage. A view with more elements than the storage
// repeats some, as no parameter does, and could be of any size.
func (t *torchTensor) check() error {
	n, ok := elements(t.shape)
	if !ok || n > t.storage.length {
		return fmt.Errorf("a tensor of shape %v in a storage of %d values", t.shape, t.storage.length)
	}
	if n == 0 {
		return nil
	}
	last := int64(t.offset)
	for i, size := range t.shape {
		// Sizes and strides are below 2³¹ and there are at most 8: each term is below 2⁶², so compare on the way.
		last += int64(size-1) * int64(t.stride[i])
		if last >= int64(t.storage.length) {
			return fmt.Errorf("a tensor of shape %v and strides %v from %d on reaches beyond its storage of %d values", t.shape, t.stride, t.offset, t.storage.length)
		}
	}
	return nil
}

// each visits the places of the elements in the storage, row-major.
func (t *torchTensor) each(visit func(at int)) { t.walk(t.offset, 0, visit) }

func (t *torchTensor) walk(at, dimension int, visit func(at int)) {
	if dimension == len(t.shape) {
		visit(at)
		return
	}
	for i := range t.shape[dimension] {
		t.walk(at+i*t.stride[dimension], dimension+1, visit)
	}
}
