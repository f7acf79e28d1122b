package pickle

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

// describe writes a value in the notation of testdata/values.txt.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return strings.ToUpper(strconv.FormatBool(v)[:1]) + strconv.FormatBool(v)[1:]
	case int64:
		return strconv.FormatInt(v, 10)
	case *big.Int:
		return v.String()
	case float64:
		return fmt.Sprintf("float %x", v)
	case string:
		return "str " + hex.EncodeToString([]byte(v))
	case []byte:
		return "bytes " + hex.EncodeToString(v)
	case Tuple:
		return "(" + describeAll(v) + ")"
	case *List:
		return "[" + describeAll(v.Items) + "]"
	case *Dict:
		return describeDict(v)
	case *Set:
		return describeSet(v)
	}
	return fmt.Sprintf("%v", v)
}

func describeAll(items []any) string {
	var parts []string
	for _, v := range items {
		parts = append(parts, describe(v)+",")
	}
	return strings.Join(parts, " ")
}

func describeDict(d *Dict) string {
	var parts []string
	for i, key := range d.Keys {
		parts = append(parts, describe(key)+": "+describe(d.Values[i])+",")
	}
	return "{" + strings.Join(parts, " ") + "}"
}

func describeSet(s *Set) string {
	var parts []string
	for _, n := range s.Ints {
		parts = append(parts, describe(n)+",")
	}
	for _, v := range s.Others {
		parts = append(parts, describe(v)+",")
	}
	slices.Sort(parts)
	return "set[" + strings.Join(parts, " ") + "]"
}

type sample struct {
	protocol, want string
	pickle         []byte
}

func samples(t testing.TB) []sample {
	t.Helper()
	text, err := os.ReadFile("testdata/values.txt")
	if err != nil {
		t.Fatal(err)
	}
	var found []sample
	for line := range strings.Lines(string(text)) {
		field := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(field[1])
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, sample{field[0], field[2], raw})
	}
	return found
}

func TestDecodeValuesWrittenByPython(t *testing.T) {
	for _, s := range samples(t) {
		got, err := Decode(bytes.NewReader(s.pickle), Hooks{})
		if err != nil {
			t.Errorf("protocol %s of %.60s: %v", s.protocol, s.want, err)
			continue
		}
		if normal(describe(got)) != normal(s.want) {
			t.Errorf("protocol %s: got %.80s, want %.80s", s.protocol, describe(got), s.want)
		}
	}
}

// normal writes floats alike: Python and Go differ in the zeros and exponents of hexadecimal floats.
func normal(description string) string {
	hexadecimal, ok := strings.CutPrefix(description, "float ")
	if !ok {
		return description
	}
	value, err := strconv.ParseFloat(hexadecimal, 64)
	if err != nil {
		return err.Error()
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}

func TestEveryTruncationIsAnError(t *testing.T) {
	for _, s := range samples(t) {
		for length := range min(len(s.pickle), 400) {
			_, err := Decode(bytes.NewReader(s.pickle[:length]), Hooks{})
			var where *Error
			if !errors.As(err, &where) || !strings.Contains(err.Error(), "truncated") {
				t.Fatalf("%.60s cut to %d of %d bytes: error %v", s.want, length, len(s.pickle), err)
			}
		}
	}
}

func TestBlocksMayEndAnywhere(t *testing.T) {
	for _, s := range samples(t) {
		got, err := Decode(iotest.OneByteReader(bytes.NewReader(s.pickle)), Hooks{})
		if err != nil || normal(describe(got)) != normal(s.want) {
			t.Errorf("byte by byte: got %.80s, %v; want %.80s", describe(got), err, s.want)
		}
	}
}

func TestReadErrorsPassThrough(t *testing.T) {
	_, err := Decode(iotest.ErrReader(io.ErrClosedPipe), Hooks{})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

func TestRefused(t *testing.T) {
	deep := strings.Repeat("]", MaxDepth+1) + strings.Repeat("a", MaxDepth) + "."
	deepTuple := "N" + strings.Repeat("\x85", MaxDepth+1) + "."
	// A list of 50 items, and 50 sets of it by reference.
	copies := "](" + strings.Repeat("N", 50) + "eq\x000c__builtin__\nset\nq\x010(" + strings.Repeat("h\x01h\x00\x85R", 50) + "l."
	for _, c := range []struct{ name, pickle, want string }{
		{"code", "cos\nsystem\n(S'true'\ntR.", "refused os.system"},
		{"code by stack", "\x8c\x02os\x8c\x06system\x93.", "refused os.system"},
		{"evaluation", "c__builtin__\neval\n.", "refused __builtin__.eval"},
		{"attribute of a module allowed", "ccollections\nnamedtuple\n.", "refused collections.namedtuple"},
		{"instance", "(ios\nsystem\n.", "opcode 0x69"},
		{"extension", "\x82\x01.", "opcode 0x82"},
		{"object with keywords", "\x92.", "opcode 0x92"},
		{"out-of-band buffer", "\x97.", "opcode 0x97"},
		{"call of a value", "N)R.", "a call of a <nil>"},
		{"call without tuple", "c__builtin__\nset\n]R.", "with a tuple"},
		{"call with a wrong argument", "c__builtin__\nset\nK\x01\x85R.", "__builtin__.set: expected one list"},
		{"persistent id", "K\x01Q.", "persistent id"},
		{"state of a list", "]}b.", "takes none"},
		{"no value", ".", "0 values at the end"},
		{"two values", "NN.", "2 values at the end"},
		{"open mark", "(N.", "expected one"},
		{"no mark", "t.", "needs a MARK"},
		{"stack empty", "\x85.", "needs 1 values"},
		{"below the mark", "N(\x85.", "needs 1 values"},
		{"odd dict", "}(Nu.", "no value"},
		{"append to a dict", "}Na.", "APPEND to a *pickle.Dict"},
		{"append to a number", "K\x01Na.", "items for a int64"},
		{"items of a set in a list", "](N\x90.", "ADDITEMS to a *pickle.List"},
		{"memo unknown", "h\x07.", "memo 7"},
		{"memo not a number", "gx\n.", "number of a memo"},
		{"contains itself", "]q\x00h\x00a.", "contains itself"},
		{"contains itself by a tuple", "]q\x00h\x00\x85a.", "contains itself"},
		{"contains itself by a state", "}q\x00h\x00\x85b.", "contains itself"},
		{"lists too deep", deep, "deeper than"},
		{"tuples too deep", deepTuple, "deeper than"},
		{"protocol", "\x80\x06N.", "protocol 6"},
		{"length beyond the file", "\x8e\xff\xff\xff\xff\xff\xff\xff\x7fabc", "truncated"},
		{"text not UTF-8", "\x8c\x01\xff.", "UTF-8"},
		{"integer", "Ix\n.", "not an integer"},
		{"integer too long", "L" + strings.Repeat("9", maxDigits+1) + "L\n.", "digits"},
		{"float", "Fx\n.", "not a float"},
		{"string without quotes", "Sx\n.", "in quotes"},
		{"string with a bad escape", "S'\\z'\n.", "bad escape"},
		{"unicode with a bad escape", "V\\u00\n.", "bad escape"},
		{"line too long", "V" + strings.Repeat("x", maxLine+blockSize+1) + "\n.", "line of more"},
		{"copies of what is shared", copies, "copies more items"},
	} {
		got, err := Decode(strings.NewReader(c.pickle), Hooks{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %.60s, %v; want an error with %q", c.name, describe(got), err, c.want)
		}
	}
}

func TestHighMemoNumbersCostNothing(t *testing.T) {
	got, err := Decode(strings.NewReader("K\x05r\xff\xff\xff\xff0j\xff\xff\xff\xff."), Hooks{})
	if err != nil || got != int64(5) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestHooks(t *testing.T) {
	hooks := Hooks{
		Global: func(module, name string) Callable {
			if module != "torch._utils" {
				return nil
			}
			return func(args Tuple) (any, error) { return fmt.Sprintf("%s%v", name, args[0]), nil }
		},
		Persistent: func(id any) (any, error) { return fmt.Sprintf("<%v>", id), nil },
	}
	got, err := Decode(strings.NewReader("ctorch._utils\nrebuild\nX\x01\x00\x00\x00aQ\x85R."), hooks)
	if err != nil || got != "rebuild<a>" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := Decode(strings.NewReader("cos\nsystem\n."), hooks); err == nil {
		t.Error("a hook that gives nil must refuse")
	}
}

func TestStateOfADictIsKept(t *testing.T) {
	got, err := Decode(strings.NewReader("ccollections\nOrderedDict\n)R(X\x01\x00\x00\x00aK\x01u}X\x01\x00\x00\x00mK\x02sb."), Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	dict := got.(*Dict)
	if value, ok := dict.Get("a"); !ok || value != int64(1) {
		t.Errorf("got %v, %v", value, ok)
	}
	if value, ok := dict.State.(*Dict).Get("m"); !ok || value != int64(2) {
		t.Errorf("got %v, %v", value, ok)
	}
	if _, ok := dict.Get("b"); ok {
		t.Error("found a key that is not there")
	}
}

func benchmarkFiles(t testing.TB) []string {
	t.Helper()
	files, _ := filepath.Glob("../../../shared/data/*/*.pkl")
	if len(files) == 0 {
		t.Skip("no pickles in ../shared/data (docs/data.md)")
	}
	return files
}

func TestEveryPickleOfTheBenchmarks(t *testing.T) {
	for _, path := range benchmarkFiles(t) {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(file, Hooks{}); err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
		file.Close()
	}
}

func TestMapOfEntities(t *testing.T) {
	raw, err := os.ReadFile("../../../shared/data/FB15k-237-betae/id2ent.pkl")
	if err != nil {
		t.Skip("no FB15k-237-betae in ../shared/data (docs/data.md)")
	}
	value, err := Decode(bytes.NewReader(raw), Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	dict := value.(*Dict)
	if dict.Len() != 14505 || dict.Keys[5] != int64(5) || dict.Values[5] != "/m/0170z3" {
		t.Errorf("got %d entities, the sixth %v: %v", dict.Len(), dict.Keys[5], dict.Values[5])
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"FB15k-237-betae/train-queries.partial.pkl", "FB15k-237-q2b/test_ans_ci.pkl"} {
		b.Run(filepath.Base(name), func(b *testing.B) {
			raw, err := os.ReadFile("../../../shared/data/" + name)
			if err != nil {
				b.Skip("no ../shared/data/" + name + " (docs/data.md)")
			}
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decode(bytes.NewReader(raw), Hooks{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
