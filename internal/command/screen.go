package command

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/lacuna-kg/lacuna/kg"
)

// screen prints for people: in colour and fitted to the window on a terminal, plain and unwrapped elsewhere.
type Screen struct {
	io.Writer
	Terminal bool
	color    bool
	Width    int
}

const DefaultWidth = 100

// newScreen writes to out; stream is what out finally goes to.
func newScreen(out io.Writer, stream io.Writer) Screen {
	s := Screen{Writer: out, Width: DefaultWidth}
	file, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return s
	}
	s.Terminal = true
	if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 20 {
		s.Width = width
	}
	return s
}

// setColor applies the --color flag; "auto" heeds NO_COLOR (no-color.org) and TERM.
func (s *Screen) setColor(choice string) error {
	switch choice {
	case "always":
		s.color = true
	case "never":
		s.color = false
	case "auto":
		s.color = s.Terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	default:
		return kg.Errorf(kg.Invalid, "", "--color %s: expected auto, always or never", choice)
	}
	return nil
}

func (s Screen) style(code, text string) string {
	if !s.color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s Screen) Bold(text string) string   { return s.style("1", text) }
func (s Screen) Dim(text string) string    { return s.style("2", text) }
func (s Screen) Green(text string) string  { return s.style("32", text) }
func (s Screen) Red(text string) string    { return s.style("31", text) }
func (s Screen) Yellow(text string) string { return s.style("33", text) }

func (s Screen) Printf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if s.Terminal {
		text = harmless(text)
	}
	io.WriteString(s, text)
}

// steering is a code of style, or a character that steers a terminal.
var steering = regexp.MustCompile(`\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f-\x{9f}]`)

// harmless shows characters of names that would steer the terminal, but for colours, as what they are: no text.
func harmless(text string) string {
	return steering.ReplaceAllStringFunc(text, func(found string) string {
		if len(found) > 2 {
			return found
		}
		return "\uFFFD"
	})
}

// pad fills text with blanks to width, counted in characters.
func Pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// clip cuts text to width characters, with an ellipsis where something was lost.
func Clip(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(0, width-1)]) + "…"
}
