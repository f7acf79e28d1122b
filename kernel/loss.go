package kernel

// SampleWeights are the weights of a batch's mean: equal, or by number of answers.
func SampleWeights(answers Lists, byAnswers bool) []float32 {
	weights := make([]float32, answers.Len())
	for b := range weights {
		weights[b] = 1 / float32(len(weights))
		if byAnswers {
			weights[b] = float32(len(answers.Row(b))) / float32(len(answers.Items))
		}
	}
	return weights
}

// Known are the answers that a step's thinned graph still gives away, and what one of them
// weighs beside a hidden answer. The zero value knows of none: all answers weigh the same.
type Known struct {
	Answers Lists // a sublist of the answers, row by row, or no row at all
	Weight  float32
}

// Row is row i with the weight of its answers. Where no answer is hidden the known ones have
// nothing to weigh less than: the limit of small weights, 1/|A| each, holds at weight 0 too.
func (k Known) Row(i, answers int) (known []int32, weight float32) {
	if k.Answers.Len() == 0 {
		return nil, 1
	}
	known = k.Answers.Row(i)
	if len(known) == answers {
		return nil, 1
	}
	return known, k.Weight
}

// Objective is how answers are weighed against all other entities, the negatives.
//
// The paper's judges each entity by itself: the cross entropy of its probability, where the answers
// together weigh as much as the negatives, and among these softmax(logit/Temperature) decides, or
// all are alike at Temperature 0. No gradient goes through the weights.
type Objective struct {
	Temperature float32
}
