package selftest

import (
	"iter"
	"strings"
	"unicode"
)

func splitPath(name string) iter.Seq[string] { return strings.SplitSeq(name, "/") }

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }

func join(path, part string) string {
	if path == "" {
		return part
	}
	return path + "/" + part
}
