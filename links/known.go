package links

// Predicts tells whether there are other links than the stated ones.
func (r *Rows) Predicts() bool { return r.source != nil }

// Lacks tells whether a row has to be computed although rows are read from a file.
func (r *Rows) Lacks(p Pair) bool {
	if r.options.File == nil || r.ranges.Closed(p) {
		return false
	}
	_, found := r.options.File.find(p)
	return !found
}

// Computes tells whether a row has to be computed, unless it is kept.
func (r *Rows) Computes(p Pair) bool {
	return r.options.File == nil && !r.ranges.Closed(p) || r.Lacks(p)
}

// Keeps tells whether a row is there, so that it need not be computed.
func (r *Rows) Keeps(p Pair) bool { return r.ranges.Closed(p) || r.cache.has(p) }

// Sparing tells that rows which a file lacks are not computed where it has others for the same step.
func (f Follow) Sparing() bool { return f.sparing }
