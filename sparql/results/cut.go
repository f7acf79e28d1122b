package results

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
)

// Cut is what a prediction left out because a bound of its search was met. The formats of the recommendations foresee nothing of the kind: JSON
// has it as a member of the head, which readers skip that do not know it, XML as a comment, and HTTP as a header beside all of them.
type Cut struct {
	LeftOut   int     `json:"left_out,omitempty"` // entities whose predicted links were not followed
	Stopped   string  `json:"stopped,omitempty"`  // "time" or "steps", where that bound ended the search early
	Likeliest float32 `json:"likeliest"`          // anything skipped is at most this likely
}

// Add takes in what another search of the same query left out.
func (c *Cut) Add(other Cut) {
	c.LeftOut += other.LeftOut
	c.Stopped = cmp.Or(c.Stopped, other.Stopped)
	c.Likeliest = max(c.Likeliest, other.Likeliest)
}

// String says it to people.
func (c Cut) String() string {
	what := fmt.Sprintf("%s %s skipped", count.Of(c.LeftOut, "unlikely intermediate result"), count.Either(c.LeftOut, "was", "were"))
	if c.Stopped != "" {
		what = "the search stopped early, at its limit of " + c.Stopped
	}
	if c.Likeliest >= 1 {
		return what + "; some likely answers may be missing"
	}
	return fmt.Sprintf("%s; anything skipped is at most %.2g likely", what, c.Likeliest)
}

// ProbabilityHeader is the field of HTTP that has the probability of a predicted ASK.
const ProbabilityHeader = "Lacuna-Probability"

// CutHeader is the field of HTTP that has a Cut.
const CutHeader = "Lacuna-Cut"

// Header is the value of the field, a dictionary of structured fields (RFC 9651): left-out=12, stopped=time, likeliest=0.25.
func (c Cut) Header() string {
	var members []string
	if c.LeftOut > 0 {
		members = append(members, fmt.Sprintf("left-out=%d", c.LeftOut))
	}
	if c.Stopped != "" {
		members = append(members, "stopped="+c.Stopped)
	}
	// A decimal has three digits behind the point; a bound is not rounded down.
	return strings.Join(append(members, fmt.Sprintf("likeliest=%.3f", math.Ceil(float64(c.Likeliest)*1000)/1000)), ", ")
}
