package cpu

// Instructions lists what Options.Instructions may be on this machine, best first, for the tests outside the package.
func Instructions() (names []string) {
	for _, i := range available() {
		names = append(names, i.name)
	}
	return names
}
