package memory

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Calm has the collector wait for so many bytes of garbage while little is in use, and else for the percentage of what is, as
// GOGC means it. Who answers many at once makes much garbage of little that lasts: a collector that runs ten times a second takes
// processors from all of them. Where the user chose by GOGC nothing is changed.
func Calm(garbage int64, percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
		(&calm{garbage: garbage, least: percent, set: percent}).adjust()
	}
}

// most is the highest percentage: a heap that hardly holds anything yet may grow soon.
const most = 800

// calm is found dead by every run of the collector, which adjusts what it is to wait for.
type calm struct {
	garbage    int64
	least, set int
}

func (c *calm) adjust() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	wanted := percentOf(c.garbage, int64(live[0].Value.Uint64()), c.least)
	if 4*wanted < 3*c.set || 4*wanted > 5*c.set { // to set it stops the world for a moment
		debug.SetGCPercent(wanted)
		c.set = wanted
	}
	runtime.SetFinalizer(&calm{c.garbage, c.least, c.set}, (*calm).adjust)
}

// percentOf is what so much garbage is of what is in use.
func percentOf(garbage, live int64, least int) int {
	return int(min(most, max(int64(least), garbage*100/max(1, live))))
}
