package chromium

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Click presses the mouse on the middle of the first element of a selector, once it is there.
func (p *Page) Click(ctx context.Context, selector string) error {
	found := fmt.Sprintf("document.querySelector(%q)", selector)
	if err := p.Wait(ctx, found); err != nil {
		return err
	}
	var at struct{ X, Y float64 }
	middle := `(() => { const e = ` + found + `; e.scrollIntoView({block: "nearest", inline: "nearest", behavior: "instant"});
		const r = e.getBoundingClientRect(); return {X: r.x + r.width / 2, Y: r.y + r.height / 2} })()`
	if err := p.Eval(ctx, middle, &at); err != nil {
		return err
	}
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		press := args{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}
		if kind == "mouseMoved" {
			press = args{"type": kind, "x": at.X, "y": at.Y}
		}
		if err := p.call(ctx, "Input.dispatchMouseEvent", press, nil); err != nil {
			return err
		}
	}
	return nil
}

// Type types text, a character at a time, into what has the focus.
func (p *Page) Type(ctx context.Context, text string) error {
	for _, r := range text {
		if err := p.call(ctx, "Input.insertText", args{"text": string(r)}, nil); err != nil {
			return err
		}
	}
	return nil
}

var keyCodes = map[string]int{
	"Enter": 13, "Tab": 9, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39,
	"Home": 36, "End": 35, "Backspace": 8, "Delete": 46, " ": 32, "a": 65,
}

var modifiers = map[string]int{"Alt": 1, "Control": 2, "Shift": 8}

// Press presses keys one after the other: "Enter", "ArrowDown", "Control+a", "Shift+Tab".
func (p *Page) Press(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		if err := p.press(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

func (p *Page) press(ctx context.Context, key string) error {
	held := 0
	if modifier, rest, ok := strings.Cut(key, "+"); ok && rest != "" {
		held, key = modifiers[modifier], rest
	}
	code, known := keyCodes[key]
	if !known {
		return fmt.Errorf("no key %q", key)
	}
	event := args{"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": held}
	switch {
	case held != 0 && key == "a":
		event["commands"] = []string{"selectAll"}
	case key == "Enter":
		event["text"] = "\r"
	case utf8.RuneCountInString(key) == 1:
		event["text"] = key
	}
	for _, kind := range []string{"keyDown", "keyUp"} {
		event["type"] = kind
		if err := p.call(ctx, "Input.dispatchKeyEvent", event, nil); err != nil {
			return err
		}
	}
	return nil
}
