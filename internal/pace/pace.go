// Package pace lets long work step aside for others. Who shares the processors puts a way to rest into the
// context; who computes for long calls Rest now and then, at points where it holds nothing that others may wait for.
package pace

import "context"

type key struct{}

// With gives a context whose work rests by calling rest. It returns when the work may go on, or its context has ended.
func With(ctx context.Context, rest func()) context.Context {
	return context.WithValue(ctx, key{}, rest)
}

// Still gives a context whose work does not rest: for who holds what others wait for, such as a lock.
func Still(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, nil) }

// Shares tells whether work in a context shares the processors. Who can do it in portions does so then, and rests between them.
func Shares(ctx context.Context) bool {
	_, ok := ctx.Value(key{}).(func())
	return ok
}

// Rest steps aside where others are to go first, and returns at once where nobody shares the processors.
func Rest(ctx context.Context) {
	if rest, ok := ctx.Value(key{}).(func()); ok {
		rest()
	}
}
