package packed

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func oneByOne(parts int, work func(part int)) {
	for i := range parts {
		work(i)
	}
}

func pack(texts []string) *Texts {
	return Pack(len(texts), func(i int) []byte { return []byte(texts[i]) }, oneByOne)
}

// lists are of the kinds that graphs have, with odd ones among them.
func lists() map[string][]string {
	draw := rand.New(rand.NewPCG(1, 2))
	made := map[string][]string{
		"none": nil,
		"odd":  {"", "a", "", "\x00", "\x00\x00", "\xff", "\xff\xff\xff", "ÿ", strings.Repeat("long ", 1000), "東京", ""},
	}
	for range 3000 {
		n := draw.IntN(100_000_000)
		made["numbers"] = append(made["numbers"], fmt.Sprint("Q", n))
		made["IRIs"] = append(made["IRIs"], fmt.Sprint("http://www.wikidata.org/entity/Q", n))
		made["words"] = append(made["words"], strings.Repeat("Saint-Pierre de la ", draw.IntN(3))+fmt.Sprintf("Zürich %x", n))
		random := make([]byte, draw.IntN(30))
		for i := range random {
			random[i] = byte(draw.Uint32())
		}
		made["bytes"] = append(made["bytes"], string(random))
	}
	return made
}

func TestTextsComeBack(t *testing.T) {
	for name, list := range lists() {
		packed := pack(list)
		again, err := FromArrays(packed.Arrays(), len(list))
		if err != nil {
			t.Fatal(name, err)
		}
		if err := again.Check(0, len(list)); err != nil {
			t.Error(name, err)
		}
		before := []byte("before")
		for i, want := range list {
			if got := again.Append(before, i); string(got) != "before"+want {
				t.Fatalf("%s: text %d is %q, want %q", name, i, got, want)
			}
			if !bytes.Equal(packed.Codes(i), again.Pack(nil, []byte(want))) {
				t.Fatalf("%s: text %d has other codes when packed alone", name, i)
			}
		}
	}
}

// TestWhatIsSaved holds the figures that make packing worth its while: bytes of codes for a hundred of text.
func TestWhatIsSaved(t *testing.T) {
	made := lists()
	for name, most := range map[string]int{"numbers": 60, "IRIs": 26, "words": 60, "bytes": 205} {
		plain := len(strings.Join(made[name], ""))
		packed := len(pack(made[name]).data) - len(made[name])
		if got := 100 * packed / plain; got > most {
			t.Errorf("%s: %d of 100 bytes are left, want at most %d", name, got, most)
		} else {
			t.Logf("%s: %d of 100 bytes are left", name, got)
		}
	}
}

func TestSeveralChunks(t *testing.T) {
	const n = 2*chunkOf + 5
	packed := Pack(n, func(i int) []byte { return fmt.Append(nil, i) }, oneByOne)
	for _, i := range []int{0, 1, chunkOf - 1, chunkOf, chunkOf + 17, n - 1} {
		if got := packed.Append(nil, i); string(got) != fmt.Sprint(i) {
			t.Errorf("text %d is %q", i, got)
		}
	}
	if err := packed.Check(0, n); err != nil {
		t.Error(err)
	}
}

func TestUnsoundTextsAreRefused(t *testing.T) {
	list := lists()["words"][:100]
	for name, change := range map[string]func(a *Arrays){
		"no block":        func(a *Arrays) { a.First = a.First[1:] },
		"empty piece":     func(a *Arrays) { a.Pieces[0] = 0 },
		"long piece":      func(a *Arrays) { a.Pieces[0] = 9 },
		"half a piece":    func(a *Arrays) { a.Pieces = a.Pieces[:len(a.Pieces)-1] },
		"begins late":     func(a *Arrays) { a.First[0] = 1 },
		"falls":           func(a *Arrays) { a.First[2] = a.First[3] + 1 },
		"beyond":          func(a *Arrays) { a.First[2] = 1 << 40 },
		"moved":           func(a *Arrays) { a.First[2]++ },
		"shorter":         func(a *Arrays) { a.Data = a.Data[:len(a.Data)-1] },
		"longer":          func(a *Arrays) { a.Data = append(a.Data, 0) },
		"long text":       func(a *Arrays) { a.Data[0] = 0x7f },
		"no length":       func(a *Arrays) { a.Data[len(a.Data)-1] |= 0x80; a.Data = append(a.Data, 0x80) },
		"code of no text": func(a *Arrays) { a.Pieces = a.Pieces[:1+int(a.Pieces[0])] },
	} {
		a := pack(list).Arrays()
		change(&a)
		texts, err := FromArrays(a, len(list))
		if err == nil {
			err = texts.Check(0, len(list))
		}
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEscapeWithoutByte(t *testing.T) {
	if err := newTable(nil).check([]byte{escape}); err == nil {
		t.Error("it is taken")
	}
}

// FuzzPack: whatever is packed comes back, by a table of other texts.
func FuzzPack(f *testing.F) {
	f.Add("Zürich", "http://example.org/a")
	f.Add("\xff\x00", "")
	f.Fuzz(func(t *testing.T, sample, text string) {
		table := train([][]byte{[]byte(sample)})
		codes := table.Pack(nil, []byte(text))
		if got := table.Unpack(nil, codes); string(got) != text || table.check(codes) != nil {
			t.Errorf("%q comes back as %q", text, got)
		}
		if again, err := decodeTable(table.encode()); err != nil || *again != *table {
			t.Errorf("the table does not come back: %v", err)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	for name, list := range lists() {
		if len(list) < 100 {
			continue
		}
		packed := pack(list)
		b.Run(name, func(b *testing.B) {
			var to []byte
			i := 0
			for b.Loop() {
				i = (i + 1237) % len(list)
				to = packed.Append(to[:0], i)
			}
		})
	}
}
