package cpu

// tileRows is the number of nodes that go through the Linear together: their features
// stay in the L1 cache.
const tileRows = 32

// tile is a worker's memory for one tile of nodes of equal degree.
type tile struct {
	scratch
	x, z      []float32 // (rows, F') features, (rows, D) output of the Linear
	dx, dz    []float32 // their gradients
	weight    []float32 // (F', D) for nodes of one degree
	transpose []float32 // (D, F')
	dweight   []float32 // (D, F') of nodes of one degree

	weightOf, transposeOf, dweightOf int // the degree that they are for; −1 none
	edgeCounts                       [tileRows]int32

	quiet   []float32 // (D) the state of a node that a first layer's set does not touch
	quietOf int       // the degree that it is of; −1 none

	touchedNodes, quietNodes [tileRows]int32 // of a first layer's tile
}

// shape makes room for a layer of width d with n compact features.
func (t *tile) shape(d, n int) {
	t.x, t.z = t.floats("x", tileRows*n), t.floats("z", tileRows*d)
	t.dx, t.dz = t.floats("dx", tileRows*n), t.floats("dz", tileRows*d)
	t.weight, t.transpose = t.floats("weight", n*d), t.floats("transpose", n*d)
	t.dweight = t.floats("dweight", n*d)
	t.forget()
	clear(t.dweight)
}

// forget that the weights are for some degree.
func (t *tile) forget() { t.weightOf, t.transposeOf, t.dweightOf, t.quietOf = -1, -1, -1, -1 }
