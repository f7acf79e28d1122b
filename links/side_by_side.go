package links

import "github.com/lacuna-kg/lacuna/exec"

// sideBySide parts combinations into stretches to be run one after the other, those of a stretch in any order: what they give is as if
// all were run in turn.
func sideBySide(steps []exec.Combination) (stretches [][]exec.Combination) {
	if len(steps) < 2 {
		return [][]exec.Combination{steps}
	}
	written, touched := map[int]int{}, map[int]int{} // the last stretch that does so to a slot, counted from 1
	for _, s := range steps {
		at := max(written[s.X], written[s.Y], touched[s.Out])
		if at == len(stretches) {
			stretches = append(stretches, nil)
		}
		stretches[at] = append(stretches[at], s)
		written[s.Out] = at + 1
		for _, slot := range []int{s.X, s.Y, s.Out} {
			touched[slot] = max(touched[slot], at+1)
		}
	}
	return stretches
}
