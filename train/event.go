package train

// Event is what an observer of a training is told, in the order in which it happens: HeldOut, Missing and
// HidesPairs of each graph while it is prepared, Unmeasured, Begun, and Progress after every step.
type Event interface{ isEvent() }

// HeldOut says that validation takes facts out of a graph that holds out none itself.
type HeldOut struct {
	Graph string
	Facts int
}

// Missing says that a graph yields no queries of some shapes.
type Missing struct {
	Graph  string
	Shapes []string
}

// HidesPairs says that hide_pairs decided to hide the pairs of a graph.
type HidesPairs struct{ Graph string }

// Unmeasured says that validation is wanted and no graph has facts for it.
type Unmeasured struct{}

// Begun says what is about to run.
type Begun struct{ Options Options }

func (HeldOut) isEvent()    {}
func (Missing) isEvent()    {}
func (HidesPairs) isEvent() {}
func (Unmeasured) isEvent() {}
func (Begun) isEvent()      {}
func (Progress) isEvent()   {}
