//go:build !amd64 || purego

package cpu

// available is plain Go alone: there is no assembly for this architecture, or it was left out.
func available() []*instructions { return []*instructions{&plainInstructions} }
