package server

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestOthersAreAboutForASecond(t *testing.T) {
	var o others
	start := time.Now()
	if o.present("a", start) {
		t.Error("somebody is about before anybody came")
	}
	o.saw("a", start)
	if o.present("a", start) || !o.present("b", start) {
		t.Error("a is another to b, not to itself")
	}
	o.saw("b", start.Add(time.Millisecond))
	o.saw("a", start.Add(2*time.Millisecond))
	o.saw("a", start.Add(3*time.Millisecond))
	if !o.present("a", start.Add(500*time.Millisecond)) {
		t.Error("b is forgotten when a comes again")
	}
	if o.present("a", start.Add(about+2*time.Millisecond)) {
		t.Error("b is about long after it left")
	}
}

func TestBulkWorkRestsForOthersOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o others
		rested := func(ctx context.Context, worked time.Duration) time.Duration {
			begun := time.Now()
			o.rest(ctx, "bulk", worked)
			return time.Since(begun)
		}
		o.saw("bulk", time.Now())
		if d := rested(t.Context(), time.Second); d != 0 {
			t.Errorf("alone it rests for %v", d)
		}
		o.saw("other", time.Now())
		for worked, want := range map[time.Duration]time.Duration{3 * time.Millisecond: 3 * time.Millisecond, time.Second: mostRest} {
			if d := rested(t.Context(), worked); d != want {
				t.Errorf("after %v it rests for %v, expected %v", worked, d, want)
			}
		}
		left, leave := context.WithCancel(t.Context())
		leave()
		if d := rested(left, time.Second); d != 0 {
			t.Errorf("it rests for %v for a client that has left", d)
		}
	})
}
