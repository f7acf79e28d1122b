package cuda

import (
	"strings"
	"testing"
)

// Where a GPU is nearly full, or the share of the process is, memory that is not in use goes back before more is taken.
func TestIdleMemoryGoesBack(t *testing.T) {
	for name, c := range map[string]struct {
		share   int64
		free    uint64
		returns bool
	}{
		"room":    {1 << 37, 1 << 36, false},
		"crowded": {1 << 37, 1 << 30, true},
		"share":   {3 << 20, 1 << 36, true},
	} {
		fake, driver := newDry(t)
		fake.free = c.free
		p := newPool(driver, c.share)
		first, err := p.take(sizeClass(2 << 20))
		if err != nil {
			t.Fatal(err)
		}
		p.give(first.at, first.size)
		if _, err := p.take(sizeClass(8 << 20)); err != nil {
			t.Fatal(err)
		}
		if _, kept := fake.sizes[first.at]; kept == c.returns {
			t.Errorf("%s: idle memory was kept: %v", name, kept)
		}
		want := int64(8 << 20)
		if !c.returns {
			want += 2 << 20
		}
		if p.held != want {
			t.Errorf("%s: %d bytes held, expected %d", name, p.held, want)
		}
	}
}

// Memory in use is never returned, and comes from the pool without a word to the driver.
func TestMemoryIsHandedOutAgain(t *testing.T) {
	fake, driver := newDry(t)
	p := newPool(driver, 1<<37)
	first, _ := p.take(sizeClass(1 << 20))
	p.give(first.at, first.size)
	fake.fail = "cuMemAlloc_v2"
	if again, err := p.take(sizeClass(1 << 20)); err != nil || again.at != first.at || p.idle != 0 {
		t.Errorf("%+v, %v, idle %d", again, err, p.idle)
	}
}

// Out of memory says how much was asked for, what is held and free, and what to do.
func TestOutOfMemorySaysWhatToDo(t *testing.T) {
	fake, driver := newDry(t)
	p := newPool(driver, 1<<37)
	if _, err := p.take(1 << 30); err != nil {
		t.Fatal(err)
	}
	fake.fail, fake.free = "cuMemAlloc_v2", 1<<29
	_, err := p.take(2 << 30)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"2.0 GiB were asked for", "1.0 that this program holds", "0.5 of the GPU's 128.0 are free", "--batch", "LACUNA_GPU_MEMORY", "--device cpu"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}

// What other programs hold of a GPU is not counted on.
func TestUsable(t *testing.T) {
	for free, want := range map[uint64]int64{1000: 1000, 950: 1000, 900: 1000, 899: 899, 10: 10} {
		if got := usable(free, 1000); got != want {
			t.Errorf("%d of 1000 free: %d, expected %d", free, got, want)
		}
	}
}
