package eval

import "github.com/lacuna-kg/lacuna/kernel"

// Retrieval is how well answers rank, as fractions from 0 to 1.
type Retrieval struct {
	MRR    float64 `json:"mrr"`
	Hits1  float64 `json:"hits@1"`
	Hits3  float64 `json:"hits@3"`
	Hits10 float64 `json:"hits@10"`
}

// at is the retrieval of one answer of the given rank, which ties may make half a number.
func at(rank float64) Retrieval {
	within := func(k float64) float64 {
		if rank <= k {
			return 1
		}
		return 0
	}
	return Retrieval{1 / rank, within(1), within(3), within(10)}
}

func (r *Retrieval) add(o Retrieval, weight float64) {
	r.MRR += weight * o.MRR
	r.Hits1 += weight * o.Hits1
	r.Hits3 += weight * o.Hits3
	r.Hits10 += weight * o.Hits10
}

// Ranking is the retrieval of the answers of several queries: the mean over each
// query's answers, then over the queries. An answer that ties with others has the
// mean of its best and its worst rank; Optimistic and Pessimistic give all ties
// the best and the worst, so that the truth of any other rule lies between.
type Ranking struct {
	Queries int `json:"queries"`
	Answers int `json:"answers"`
	Retrieval
	Optimistic  Retrieval `json:"optimistic"`
	Pessimistic Retrieval `json:"pessimistic"`
}

// addQuery counts one query in, as a sum that mean divides.
func (r *Ranking) addQuery(ranks []kernel.Rank) {
	if len(ranks) == 0 {
		return
	}
	r.Queries++
	r.Answers += len(ranks)
	weight := 1 / float64(len(ranks))
	for _, rank := range ranks {
		best := 1 + float64(rank.Greater)
		ties := float64(rank.Equal)
		r.Retrieval.add(at(best+ties/2), weight)
		r.Optimistic.add(at(best), weight)
		r.Pessimistic.add(at(best+ties), weight)
	}
}

// addType counts one type in; counts add up and figures weigh the same whatever the type's size.
func (r *Ranking) addType(o Ranking) {
	r.Queries += o.Queries
	r.Answers += o.Answers
	r.Retrieval.add(o.Retrieval, 1)
	r.Optimistic.add(o.Optimistic, 1)
	r.Pessimistic.add(o.Pessimistic, 1)
}

// mean divides sums by a count of queries or types.
func (r Ranking) mean(count int) Ranking {
	mean := Ranking{Queries: r.Queries, Answers: r.Answers}
	if count == 0 {
		return mean
	}
	weight := 1 / float64(count)
	mean.Retrieval.add(r.Retrieval, weight)
	mean.Optimistic.add(r.Optimistic, weight)
	mean.Pessimistic.add(r.Pessimistic, weight)
	return mean
}
