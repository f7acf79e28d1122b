//go:build !linux

package ranks

func cores() string { return "" }
