package chromium

import (
	"context"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
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
	return p.do(ctx, chromedp.MouseEvent(chromedp.MouseMoved, at.X, at.Y), chromedp.MouseClickXY(at.X, at.Y))
}

// Type types text, a character at a time, into what has the focus.
func (p *Page) Type(ctx context.Context, text string) error {
	return p.do(ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, r := range text {
			if _, err := cdp.Call(ctx, t, input.InsertText, input.InsertTextParams{Text: string(r)}); err != nil {
				return err
			}
		}
		return nil
	}))
}

var keyNames = map[string]string{
	"Enter": kb.Enter, "Tab": kb.Tab, "Escape": kb.Escape, "ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown,
	"ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight, "Home": kb.Home, "End": kb.End,
	"Backspace": kb.Backspace, "Delete": kb.Delete, " ": " ", "a": "a",
}

var modifierNames = map[string]chromedp.Modifier{"Alt": chromedp.ModifierAlt, "Control": chromedp.ModifierCtrl, "Shift": chromedp.ModifierShift}

// Press presses keys one after the other: "Enter", "ArrowDown", "Control+a", "Shift+Tab".
func (p *Page) Press(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		var held chromedp.Modifier
		if modifier, rest, ok := strings.Cut(key, "+"); ok && rest != "" {
			held, key = modifierNames[modifier], rest
		}
		name, known := keyNames[key]
		if !known {
			return fmt.Errorf("no key %q", key)
		}
		if err := p.do(ctx, pressKey([]rune(name)[0], held)); err != nil {
			return err
		}
	}
	return nil
}

// pressKey is chromedp.KeyEvent, but for the text: it comes with the key as from a
// keyboard, so that a page that handles the key prevents the text.
func pressKey(key rune, held chromedp.Modifier) chromedp.Action[chromedp.Void] {
	down := input.DispatchKeyEventParams{}
	for _, event := range kb.Encode(key) {
		if event.Type == kb.KeyDown {
			down = *event
		} else if event.Type == kb.KeyChar && held&^chromedp.ModifierShift == 0 {
			down.Text = event.Text
		}
	}
	down.Type, down.Modifiers = kb.KeyDown, down.Modifiers|int64(held)
	up := down
	up.Type, up.Text = kb.KeyUp, ""
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.DispatchKeyEvent, down)
		if err == nil {
			_, err = cdp.Call(ctx, t, input.DispatchKeyEvent, up)
		}
		return err
	})
}
