package function

import (
	"regexp"
	"strings"

	"github.com/lacuna-kg/lacuna/sparql/term"
)

// patterns are regular expressions that were compiled before.
type patterns map[[2]string]*regexp.Regexp

// compile makes a regular expression of XPath ready. Go's run in linear time, whatever the
// text; what they lack for it, references back, is an error.
func (env *Env) compile(pattern, flags string) (*regexp.Regexp, bool) {
	key := [2]string{pattern, flags}
	if re, seen := env.regexps[key]; seen {
		return re, re != nil
	}
	const most = 1000
	if len(env.regexps) > most || env.regexps == nil {
		env.regexps = patterns{}
	}
	var re *regexp.Regexp
	if inGo, ok := translated(pattern, flags); ok && strings.Trim(flags, "smixq") == "" {
		re, _ = regexp.Compile(inGo) // nil for a pattern that is none
	}
	env.regexps[key] = re
	return re, re != nil
}

// translated writes a pattern of XPath, with its flags, as Go has it.
func translated(pattern, flags string) (_ string, ok bool) {
	if strings.Contains(flags, "q") {
		pattern = regexp.QuoteMeta(pattern)
	} else {
		if strings.Contains(flags, "x") {
			pattern = withoutSpace(pattern)
		}
		if pattern, ok = inGo(pattern); !ok {
			return "", false
		}
	}
	known := ""
	for _, flag := range "smi" {
		if strings.ContainsRune(flags, flag) {
			known += string(flag)
		}
	}
	if known == "" {
		return pattern, true
	}
	return "(?" + known + ")" + pattern, true
}

// withoutSpace drops white space outside of classes.
func withoutSpace(pattern string) string {
	var b strings.Builder
	inClass, escaped := false, false
	for _, char := range pattern {
		if !inClass && !escaped && strings.ContainsRune(" \t\n\r", char) {
			continue
		}
		switch {
		case escaped:
		case char == '[':
			inClass = true
		case char == ']':
			inClass = false
		}
		escaped = !escaped && char == '\\'
		b.WriteRune(char)
	}
	return b.String()
}

// pattern compiles the arguments of REGEX and REPLACE from the pattern on; flags may be missing.
func (env *Env) pattern(pattern term.Term, flags []term.Term) (*regexp.Regexp, bool) {
	letters := ""
	if len(flags) > 0 {
		if !isPlain(flags[0]) {
			return nil, false
		}
		letters = flags[0].Value
	}
	if !isPlain(pattern) {
		return nil, false
	}
	return env.compile(pattern.Value, letters)
}

func matches(env *Env, a []term.Term) (term.Term, bool) {
	re, ok := env.pattern(a[1], a[2:])
	if !ok || !isString(a[0]) {
		return term.Term{}, false
	}
	return Boolean(re.MatchString(a[0].Value)), true
}

func replacement(env *Env, a []term.Term) (term.Term, bool) {
	re, ok := env.pattern(a[1], a[3:])
	if !ok || !isString(a[0]) || !isPlain(a[2]) || re.MatchString("") { // XPath refuses what matches nothing
		return term.Term{}, false
	}
	by, ok := expansion(a[2].Value, re.NumSubexp())
	if len(a) == 4 && strings.Contains(a[3].Value, "q") {
		by, ok = strings.ReplaceAll(a[2].Value, "$", "$$"), true
	}
	out := a[0]
	out.Value = re.ReplaceAllString(out.Value, by)
	return out, ok
}

// expansion writes the replacement of XPath as Go has it: $1 is ${1}, \$ and \\ stand for themselves.
func expansion(by string, groups int) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(by); i++ {
		switch {
		case by[i] == '\\':
			if i++; i == len(by) || by[i] != '\\' && by[i] != '$' {
				return "", false
			}
			b.WriteString(strings.ReplaceAll(by[i:i+1], "$", "$$"))
		case by[i] != '$':
			b.WriteByte(by[i])
		default:
			number, digits := groupNumber(by[i+1:], groups)
			if digits == 0 {
				return "", false
			}
			b.WriteString("${" + number + "}")
			i += digits
		}
	}
	return b.String(), true
}

// groupNumber reads as many digits as make the number of a group; the first always counts.
func groupNumber(after string, groups int) (number string, digits int) {
	value := 0
	for digits < len(after) && after[digits] >= '0' && after[digits] <= '9' {
		next := 10*value + int(after[digits]-'0')
		if digits > 0 && next > groups {
			break
		}
		value = next
		digits++
	}
	return after[:digits], digits
}
