package count

import (
	"math"
	"testing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		n    int64
		noun string
		want string
	}{
		{0, "fact", "0 facts"},
		{1, "fact", "1 fact"},
		{-1, "fact", "-1 facts"},
		{2518, "fact", "2,518 facts"},
		{1, "entity", "1 entity"},
		{0, "new entity", "0 new entities"},
		{3, "query", "3 queries"},
		{2, "key", "2 keys"},
		{2, "batch", "2 batches"},
		{2, "class", "2 classes"},
	} {
		if got := Of(c.n, c.noun); got != c.want {
			t.Errorf("Of(%d, %q) = %q, want %q", c.n, c.noun, got, c.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", -100: "-100", -1000: "-1,000", 1234567: "1,234,567",
		math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := Number(n); got != want {
			t.Errorf("Number(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 kB", 1: "1 kB", 12_001: "13 kB", 99_999: "100 kB", 100_000: "0.1 MB", 330_040_000: "330.0 MB"} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestEither(t *testing.T) {
	if got := Either(1, "was", "were") + Either(0, "was", "were") + Either(uint64(2), "was", "were"); got != "waswerewere" {
		t.Errorf("got %q", got)
	}
}
