package kernel

import "fmt"

// Message is how a head's state and a relation vector make the message along an edge.
type Message uint8

const (
	DistMult Message = iota // h ⊙ r; CompGCN calls it mult
	TransE                  // h + r
	RotatE                  // complex product, first half of D real, second half imaginary
	Sub                     // h − r
	Corr                    // circular correlation, m_k = Σ_i h_i · r_{(i+k) mod D}
)

func (m Message) String() string {
	return [...]string{"distmult", "transe", "rotate", "sub", "corr"}[m]
}

// Aggregate is how the messages that reach a node become features of it.
type Aggregate uint8

const (
	// Sum, Mean, Max and PNA take the boundary as one more message.
	Sum Aggregate = iota
	Mean
	Max
	PNA
	// Directed is CompGCN: sums over stated edges, over inverse edges and the self loop, apart;
	// an edge (u,r,v) weighs 2/√(outdeg(u)·indeg(v)).
	Directed
	// Bases is RGCN: a relation is a row of coefficients, one per basis; the mean over
	// incoming edges of coefficient · h, for each basis apart. By linearity the basis
	// matrices themselves are columns of the Linear that follows.
	Bases
)

func (a Aggregate) String() string {
	return [...]string{"sum", "mean", "max", "pna", "directed", "bases"}[a]
}

// Layer says what kind of layer it is. Message is ignored by Bases.
type Layer struct {
	Message   Message
	Aggregate Aggregate
	Width     int // D
	Bases     int // only for Bases
}

// Stats is S, the number of D-wide statistics a node gathers from its messages:
//
//	sum, mean, max: 1   PNA: mean, max, min, std   Directed: stated, inverse   Bases: one per basis
func (l Layer) Stats() int {
	switch l.Aggregate {
	case PNA:
		return 4
	case Directed:
		return 2
	case Bases:
		return l.Bases
	}
	return 1
}

// Features is F, the inputs of the layer's Linear: the previous state and the scaled
// statistics, or for Directed both sums and the self loop.
func (l Layer) Features() int {
	switch l.Aggregate {
	case PNA:
		return 13 * l.Width
	case Directed:
		return 3 * l.Width
	}
	return (1 + l.Stats()) * l.Width
}

// RelationWidth is W, the numbers that stand for one relation.
func (l Layer) RelationWidth() int {
	if l.Aggregate == Bases {
		return l.Bases
	}
	return l.Width
}

// Check reports a layer that cannot be.
func (l Layer) Check() error {
	switch {
	case l.Width < 1:
		return fmt.Errorf("layer: width %d, expected at least 1", l.Width)
	case l.Message > Corr || l.Aggregate > Bases:
		return fmt.Errorf("layer: unknown message %d or aggregate %d", l.Message, l.Aggregate)
	case l.Message == RotatE && l.Width%2 != 0 && l.Aggregate != Bases:
		return fmt.Errorf("layer: RotatE needs an even width, got %d", l.Width)
	case l.Aggregate == Bases && l.Bases < 1:
		return fmt.Errorf("layer: %d bases, expected at least 1", l.Bases)
	}
	return nil
}

// LayerInput is what a layer reads besides its weights. Sample b uses table
// RelationOf[b] of Relations: relation vectors depend on the query's relation alone, so
// samples that share it share the table, and independent relations are U = 1.
type LayerInput struct {
	Hidden     Buffer  // (B,V,D) state before the layer
	Set        Buffer  // (B,V) with Query the boundary, set_v · query; not read by Directed and Bases
	Query      Buffer  // (B,D)
	Relations  Buffer  // (U,R,W)
	RelationOf []int32 // (B)
	// FromBoundary says that Hidden is the boundary, as before the first layer. Most sets are small, and
	// where a set is 0 a node sends zeros to all: a device need not send them, and may
	// leave out its gradient, which BoundaryBackward will not read.
	FromBoundary bool
}

// LayerGradient mirrors LayerInput; the set is detached.
type LayerGradient struct {
	Hidden    Buffer // (B,V,D)
	Query     Buffer // (B,D)
	Relations Buffer // (U,R,W)
	// Fresh says that Hidden holds nothing yet: backward overwrites it, where else it adds. Clearing it and
	// reading it again would be a tenth of what a layer moves on a sparse graph.
	Fresh bool
}

// LayerWeights are a layer's parameters, or the gradients of them.
type LayerWeights struct {
	Weight, Bias     Buffer // (D,F), (D)
	NormScale, Shift Buffer // (D), (D)
	Loop             Buffer // (D) the self loop's relation vector; Directed only
}

// Kept is what forward leaves for backward. Either buffer may be nil: forward then
// keeps nothing and backward recomputes it.
type Kept struct {
	Stats  Buffer // (B,V,S,D), std after the clamp
	Linear Buffer // (B,V,D), the Linear's output, before the norm
}

// Activation follows a Linear.
type Activation uint8

const (
	Identity Activation = iota
	ReLU
)

// HeadInput is the feature of a node in pieces, or the gradient of it: n = len(Hidden)
// states (B,V,D), then the query (B,D). F = (n+1)·D.
type HeadInput struct {
	Hidden []Buffer
	Query  Buffer
}

// HeadWeights are those of the MLP, or their gradients.
type HeadWeights struct {
	Weight0, Bias0 Buffer // (F,F), (F)
	Weight2, Bias2 Buffer // (F), (1)
}
