package pace

import (
	"context"
	"testing"
)

func TestRest(t *testing.T) {
	Rest(t.Context()) // nobody shares: it returns
	rested := 0
	ctx, cancel := context.WithCancel(With(t.Context(), func() { rested++ }))
	defer cancel()
	Rest(ctx)
	Rest(ctx)
	if rested != 2 {
		t.Errorf("rested %d times, want twice", rested)
	}
}
