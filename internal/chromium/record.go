package chromium

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// record collects what a page asked for and what went wrong in it. Events come by
// themselves, so that a mark in the console tells when those before it have come.
type record struct {
	mutex    sync.Mutex
	problems []string
	requests []string
	marks    map[string]chan struct{} // that are expected
	made     int                      // marks so far
}

func newRecord(tab context.Context) *record {
	r := &record{marks: map[string]chan struct{}{}}
	messages, requests := chromedp.Console(tab), chromedp.Events(tab, network.RequestWillBeSent)
	go func() {
		for message, err := range messages {
			if err != nil {
				return
			}
			r.note(message)
		}
	}()
	go func() {
		for event, err := range requests {
			if err != nil {
				return
			}
			r.noteRequest(event.Request.URL)
		}
	}()
	return r
}

// note keeps errors and warnings of the page; of what the browser itself remarks only errors.
func (r *record) note(m chromedp.ConsoleMessage) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if seen := r.marks[m.Text]; seen != nil {
		close(seen)
		delete(r.marks, m.Text)
		return
	}
	switch m.Type {
	case chromedp.ConsoleWarning:
		if m.Source != "" {
			return
		}
	case chromedp.ConsoleError, chromedp.ConsoleException:
	default:
		return
	}
	r.problems = append(r.problems, fmt.Sprintf("%s: %s %s", m.Type, m.Text, m.URL))
}

func (r *record) noteRequest(url string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.requests = append(r.requests, url)
}

// expectMark gives a text for the console and a channel that is closed once it came.
func (r *record) expectMark() (mark string, seen <-chan struct{}) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.made++
	mark = fmt.Sprintf("mark %d of the test", r.made)
	came := make(chan struct{})
	r.marks[mark] = came
	return mark, came
}

func (r *record) listProblems() []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Clone(r.problems)
}

func (r *record) listRequests() []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Clone(r.requests)
}
