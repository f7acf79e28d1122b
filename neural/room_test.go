package neural

import (
	"errors"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// A million relations killed a server of 1 GB; what people have, tens of thousands at most, has room in one.
func TestRoomForRelations(t *testing.T) {
	for _, c := range []struct {
		relations, width, limit int64
		fits                    bool
	}{
		{13_000, 64, 1 << 30, true}, {1_000_000, 32, 1 << 30, false}, {200_000, 32, 1 << 30, false},
		{1_000_000, 32, 32 << 30, true}, {0, 64, 1 << 20, true},
	} {
		err := checkRoom(c.relations, c.width, c.limit, "g")
		var refused *kg.Error
		if (err == nil) != c.fits || err != nil && (!errors.As(err, &refused) || refused.Kind != kg.TooLarge) {
			t.Errorf("%d relations of width %d in %d bytes: %v", c.relations, c.width, c.limit, err)
		}
	}
}
