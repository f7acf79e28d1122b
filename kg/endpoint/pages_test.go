package endpoint

import (
	"testing"
	"time"
)

func TestPagesGrowAndShrink(t *testing.T) {
	p := newPages(0)
	for range 10 {
		p.came(p.size, 0)
	}
	if p.size != largestPage {
		t.Errorf("quick pages grow to %d", p.size)
	}
	p.came(p.size, time.Minute)
	p.came(p.size/2, 0)
	if p.size != largestPage {
		t.Errorf("a slow or a short page makes it %d", p.size)
	}
	for p.failed() {
	}
	p.came(p.size, 0)
	if p.size > smallPage {
		t.Errorf("after failures %d", p.size)
	}
	if p.begin(); p.size != defaultPage {
		t.Errorf("the next predicate begins with %d", p.size)
	}
	stated := newPages(500)
	if stated.came(500, 0); stated.size != 500 {
		t.Errorf("a stated size becomes %d", stated.size)
	}
}
