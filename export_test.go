package lacuna

import "time"

// Tests compute rows on the plain device, some under the race detector and beside others: no clock is to end that.
func init() { joinTime, joinComputing = 10*time.Minute, 10*time.Minute }
