package function

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// pattern is a regular expression made ready.
type pattern struct {
	*regexp.Regexp
	text    string         // as Go has it
	literal string         // what it matches, where that is one text; else ""
	size    int            // about how many instructions it has, each of which a character may meet
	later   *regexp.Regexp // see after; nil before somebody asks
}

// patterns are regular expressions that were compiled before, nil for a text that is none.
type patterns struct {
	all  map[[2]string]*pattern
	size int // of all of them
}

// Limits of regular expressions: what they compile into takes some 200 bytes an instruction.
const (
	mostPattern  = 1 << 16 // bytes of one
	mostSize     = 1 << 15 // instructions of one
	mostCompiled = 1 << 17 // instructions of those that are kept
	mostKept     = 1000    // patterns
)

// compile makes a regular expression of XPath ready. Go's run in linear time, whatever the
// text; what they lack for it, references back, is an error.
func (env *Env) compile(text, flags string) (*pattern, bool) {
	key := [2]string{text, flags}
	if p, seen := env.regexps.all[key]; seen {
		return p, p != nil
	}
	p := env.compiled(text, flags)
	if env.regexps.all == nil || len(env.regexps.all) > mostKept || env.regexps.size > mostCompiled {
		env.regexps = patterns{all: map[[2]string]*pattern{}}
	}
	env.regexps.all[key] = p
	if p != nil {
		env.regexps.size += p.size
	}
	return p, p != nil
}

// compiled is a regular expression, nil for a text that is none. Its size is known before it is compiled.
func (env *Env) compiled(text, flags string) *pattern {
	if len(text) > mostPattern {
		env.Meter.Refuse(kg.Errorf(kg.TooLarge, "sparql", "a regular expression of %d bytes, the limit is %d", len(text), mostPattern))
		return nil
	}
	inGo, ok := translated(text, flags)
	if !ok || strings.Trim(flags, "smixq") != "" {
		return nil
	}
	parsed, err := syntax.Parse(inGo, syntax.Perl)
	var bad *syntax.Error
	large := errors.As(err, &bad) && bad.Code == syntax.ErrLarge
	if err != nil && !large {
		return nil
	}
	if large || sizeOf(parsed) > mostSize {
		env.Meter.Refuse(kg.Errorf(kg.TooLarge, "sparql", "a regular expression of more than the limit of %d steps: repeat less in it", mostSize))
		return nil
	}
	p := &pattern{text: inGo, size: sizeOf(parsed)}
	if parsed.Op == syntax.OpLiteral && parsed.Flags&syntax.FoldCase == 0 {
		p.literal = string(parsed.Rune)
	}
	if p.Regexp, err = regexp.Compile(inGo); err != nil {
		return nil
	}
	return p
}

// sizeOf is about how many instructions a regular expression compiles into, repetitions written out.
func sizeOf(re *syntax.Regexp) int {
	size := 1
	for _, part := range re.Sub {
		size += 1 + sizeOf(part)
	}
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpRepeat:
		return size * max(re.Min+1, re.Max)
	}
	return size
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
func (env *Env) pattern(pattern term.Term, flags []term.Term) (*pattern, bool) {
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
	p, ok := env.pattern(a[1], a[2:])
	if !ok || !isString(a[0]) {
		return term.Term{}, false
	}
	found, ok := p.found(env, a[0].Value)
	return Boolean(found), ok
}
