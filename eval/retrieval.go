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

func (r *Retrieval) add(o Retrieval) {
	r.MRR += o.MRR
	r.Hits1 += o.Hits1
	r.Hits3 += o.Hits3
	r.Hits10 += o.Hits10
}

// over divides: a mean of ones is 1 to the bit, which reciprocal weights do not give.
func (r Retrieval) over(n int) Retrieval {
	count := float64(n)
	return Retrieval{r.MRR / count, r.Hits1 / count, r.Hits3 / count, r.Hits10 / count}
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
	var middle, optimistic, pessimistic Retrieval
	for _, rank := range ranks {
		best, ties := 1+float64(rank.Greater), float64(rank.Equal)
		middle.add(at(best + ties/2))
		optimistic.add(at(best))
		pessimistic.add(at(best + ties))
	}
	n := len(ranks)
	r.add(Ranking{1, n, middle.over(n), optimistic.over(n), pessimistic.over(n)})
}

// add counts in a query or a type; counts add up and figures weigh the same whatever its size.
func (r *Ranking) add(o Ranking) {
	r.Queries += o.Queries
	r.Answers += o.Answers
	r.Retrieval.add(o.Retrieval)
	r.Optimistic.add(o.Optimistic)
	r.Pessimistic.add(o.Pessimistic)
}

// mean divides sums by a count of queries or types, which is not 0.
func (r Ranking) mean(count int) Ranking {
	return Ranking{r.Queries, r.Answers, r.Retrieval.over(count), r.Optimistic.over(count), r.Pessimistic.over(count)}
}
