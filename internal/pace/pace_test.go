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
	Rest(Still(ctx))
	if !Shares(ctx) || Shares(Still(ctx)) || Shares(t.Context()) {
		t.Error("who shares the processors is told wrong")
	}
	if rested != 2 {
		t.Errorf("rested %d times, want twice", rested)
	}
}
