package cuda

import (
	"errors"
	"fmt"
	"runtime"
)

// kernelsOf names the kernels of each file. A file becomes a module when one of its kernels first runs.
func kernelsOf() map[string][]string {
	return map[string][]string{
		"memory":            {"fill", "gather", "scatter", "scatter_add", "sum_rows_partly", "add_parts"},
		"dense":             {"matmul", "finish_matmul", "relu_backward"},
		"message":           messageKernels(),
		"message_vector":    vectorKernels(),
		"message_whole":     {"aggregate32_pna_whole"},
		"message_sum":       {"aggregate64_sum", "sent64"},
		"message_short":     {"aggregate64_short", "sent64_short"},
		"any":               {"aggregate_any", "hidden_backward_any", "relations_backward_any", "bases_backward", "loop_backward", "features", "features_backward"},
		"node":              {"norm_forward", "norm_backward", "coefficients", "query_backward_sum", "query_backward_max", "query_backward_pna", "boundary"},
		"linear_pna":        {"pna32_pack_forward", "pna32_pack_backward", "pna32_forward", "pna32_backward"},
		"linear_pna_degree": {"pna32_pack_degrees", "pna32_degrees"},
		"linear_pna_weight": {"pna32_weight", "pna32_add_weight"},
		"linear_sum":        {"sum64_pack_forward", "sum64_pack_backward", "sum64_forward", "sum64_backward"},
		"linear_rows":       {"linear32_32", "linear32_64", "linear96_32"},
		"outer":             {"outer64", "outer64_add"},
		"head":              {"head_features", "head_output", "head_output_backward", "head_split"},
		"head_paper":        {"head32_pack", "head32_forward", "head32_backward"},
		"head_foundation":   {"head64_pack", "head64_forward", "head64_backward"},
		"head_stacked":      {"head160_pack", "head160_forward", "head160_middle", "head160_states", "head160_weight", "head160_add_weight"},
		"meet":              {"meet_table", "meet_entities", "meet_part", "meet_total", "meet_out", "meet_out_backward"},
		"meet_tiles":        {"meet32_table", "meet32_tiles", "meet32_out", "meet32_total"},
		"thin":              {"thin_in", "thin_out", "degrees", "scales"},
		"sets":              {"singletons", "threshold", "odds", "logic", "logic_backward", "traverse", "ranks", "cardinality"},
		"evidence":          {"observe", "count_above", "list_above"},
		"blend":             {"blend"},
		"cross_entropy":     {"cross_entropy", "adagrad"},
		"training":          {"mark", "loss", "adam"},
	}
}

func messageKernels() []string {
	names := []string{"outward_joined", "sum_runs", "add_relations"}
	for _, aggregate := range []string{"sum", "max", "pna"} {
		names = append(names, "joined_"+aggregate)
		for _, message := range []string{"distmult", "transe"} {
			for _, what := range []string{"aggregate", "inward", "outward"} {
				names = append(names, what+"_"+message+"_"+aggregate)
			}
		}
	}
	return names
}

func vectorKernels() (names []string) {
	for _, kind := range []string{"32_sum", "32_pna", "64_pna"} {
		names = append(names, "aggregate"+kind, "outward"+kind)
	}
	return append(names, "inward32_pna", "inward64_pna", "crowded", "touched", "aggregate32_pna_first", "inward32_pna_first", "outward32_pna_first")
}

// modules are the kernels, loaded as they are needed.
type modules struct {
	architecture int
	fileOf       map[string]string
	kernels      map[string]*loaded
	handles      map[string]uintptr // by file
}

// loaded is a kernel on the device.
type loaded struct {
	function   uintptr
	parameters []parameter
	shared     int // bytes of dynamic shared memory it may use
}

// parameter is where a kernel expects an argument.
type parameter struct{ offset, size int }

func newModules(c capacity) modules {
	m := modules{fileOf: map[string]string{}, kernels: map[string]*loaded{}, handles: map[string]uintptr{}}
	for file, names := range kernelsOf() {
		for _, name := range names {
			m.fileOf[name] = file
		}
	}
	for _, a := range architectures() {
		if a <= 10*c.major+c.minor && m.architecture == 0 {
			m.architecture = a
		}
	}
	return m
}

// kernel finds a kernel and makes room for the shared memory it asks for.
func (m *modules) kernel(d *driver, name string, shared int) (*loaded, error) {
	if m.kernels[name] == nil {
		file, known := m.fileOf[name]
		if !known {
			panic("cuda: no kernel " + name)
		}
		if err := m.load(d, file); err != nil {
			return nil, err
		}
	}
	k := m.kernels[name]
	if shared > k.shared {
		const maxDynamicShared = 8 // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
		if err := d.do("cuFuncSetAttribute", k.function, maxDynamicShared, uintptr(shared)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		k.shared = shared
	}
	return k, nil
}

// load compiles a file for the device; the driver keeps a cache on disk.
func (m *modules) load(d *driver, file string) error {
	source, err := readPTX(file, m.architecture)
	if err != nil {
		return err
	}
	handle, program := new(uintptr), text(source)
	err = d.do("cuModuleLoadData", word(handle), word(program))
	runtime.KeepAlive(program)
	if err != nil {
		return fmt.Errorf("%s.cu: %w", file, err)
	}
	m.handles[file] = *handle
	layouts := parametersOf(source)
	for _, name := range kernelsOf()[file] {
		function, label := new(uintptr), text(name)
		err := d.do("cuModuleGetFunction", word(function), *handle, word(label))
		runtime.KeepAlive(label)
		if err != nil {
			return fmt.Errorf("%s.cu: %s: %w", file, name, err)
		}
		m.kernels[name] = &loaded{function: *function, parameters: layouts[name]}
	}
	return nil
}

func (m *modules) close(d *driver) (err error) {
	for _, handle := range m.handles {
		err = errors.Join(err, d.do("cuModuleUnload", handle))
	}
	m.handles, m.kernels = map[string]uintptr{}, map[string]*loaded{}
	return err
}
