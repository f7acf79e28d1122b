package snapshot

import (
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
)

// trusting opens data, every section of which is large, and gives what the check found after it has ended.
func trusting(t *testing.T, data []byte) (opened bool, found error) {
	t.Helper()
	released := make(chan struct{})
	s, err := decodeTrusting(data, func() error { close(released); return nil }, 0, func(err error) { found = err })
	if err != nil {
		return false, err
	}
	var last atomic.Bool
	users := s.Train.Share()
	go func() { // as the check may be at its end already
		time.Sleep(time.Millisecond)
		last.Store(true)
		users.Close()
	}()
	s.Train.Close()
	select {
	case <-released:
	case <-time.After(20 * time.Second):
		t.Fatal("the file is not released")
	}
	if !last.Load() {
		t.Error("the file was released before its last user closed it")
	}
	return true, found
}

func TestTrustingASoundFile(t *testing.T) {
	for _, s := range []*kg.Splits{smallSplits(), statedSplits(t), {Train: manyNames(t)}} {
		data := contentsOf(s).file()
		if opened, err := trusting(t, data); !opened || err != nil {
			t.Errorf("%v, %v", opened, err)
		}
		got, err := decodeTrusting(data, notMapped, 0, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		sameSplits(t, got, s)
	}
}

// TestTrustingFindsEveryFlippedByte: at once or afterwards.
func TestTrustingFindsEveryFlippedByte(t *testing.T) {
	data := contentsOf(smallSplits()).file()
	later := 0
	for i := 0; i < len(data); i += 3 {
		changed := inWords(data)
		changed[i] ^= 0x80
		found := make(chan error, 1)
		s, err := decodeTrusting(changed, notMapped, 0, func(err error) { found <- err })
		if err != nil {
			continue
		}
		later++
		select {
		case err := <-found:
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %q", err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("byte %d of %d changed, and nobody says so", i, len(data))
		}
		s.Train.Close()
	}
	if later == 0 {
		t.Error("no change was found afterwards")
	}
}

// TestTrustingFindsWhatIsCrafted: an edge that stands in one row only, behind right checksums.
func TestTrustingFindsWhatIsCrafted(t *testing.T) {
	c := contents{}
	for kind, data := range contentsOf(smallSplits()) {
		c[kind] = inWords(data)
	}
	c[graphTails][0] = 4
	found := make(chan error, 1)
	s, err := decodeTrusting(c.file(), notMapped, 0, func(err error) { found <- err })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Train.Close()
	if err := <-found; !strings.Contains(err.Error(), "the facts of the rows of their heads") {
		t.Error(err)
	}
}

func TestOpenTrusting(t *testing.T) {
	want := smallSplits()
	path := writeSnapshot(t, want)
	s, err := OpenTrusting(path, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	sameSplits(t, s, want)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	data := readAll(t, path)
	data[len(data)-1] ^= 1
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenTrusting(path, nil); err == nil || !strings.Contains(err.Error(), "does not match") {
		t.Errorf("a small file is not checked at once: %v", err)
	}
}
