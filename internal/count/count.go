// Package count writes how many there are of something, as people read it:
// 1 fact, 2,518 facts, 0 entities.
package count

import (
	"fmt"
	"strings"
)

type integer interface {
	~int | ~int32 | ~int64 | ~uint64
}

// Of is a number with its noun, which is given in the singular: the last word of it has the plural.
func Of[N integer](n N, noun string) string {
	return Number(n) + " " + Either(n, noun, plural(noun))
}

// Number is a number with a comma at every thousand.
func Number[N integer](n N) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Bytes is the size of a file, of a small one in kilobytes.
func Bytes(n int64) string {
	if n < 100_000 {
		return fmt.Sprintf("%d kB", (n+999)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// Either is the word for one or that for any other number, such as "was" and "were".
func Either[N integer](n N, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// plural is that of the regular nouns, all that messages have: fact, entity, key, batch.
func plural(noun string) string {
	stem, endsInY := strings.CutSuffix(noun, "y")
	switch {
	case endsInY && !strings.ContainsAny(stem[len(stem)-1:], "aeiou"):
		return stem + "ies"
	case strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "s"):
		return noun + "es"
	}
	return noun + "s"
}
