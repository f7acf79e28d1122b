package eval

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
)

// JSON is the whole report.
func (r *RelationReport) JSON() ([]byte, error) { return json.MarshalIndent(r, "", "  ") }

// Text lays the table out for a terminal.
func (r *RelationReport) Text() string { return r.page().text() }

// Markdown writes it for a document.
func (r *RelationReport) Markdown() string { return r.page().markdown() }

func (r *RelationReport) page() page {
	heading := fmt.Sprintf("%s · %s · %s hidden", r.Graph, r.Relation, count.Of(r.Hidden, "fact"))
	g := grid{title: "%", columns: []string{"MRR", "H@1", "H@3", "H@10", "tails", "heads", "AUROC", "AUPRC"}}
	for _, row := range r.Rows {
		a := row.All
		g.add(row.Model, a.MRR, a.Hits1, a.Hits3, a.Hits10, row.Tails.MRR, row.Heads.MRR, row.AUROC, row.AUPRC)
	}
	return page{heading, []grid{g}, []string{
		fmt.Sprintf("%s by %s: %d pairs that the graph does not state. Each hidden fact is ranked among the pairs of its head and among those of its tail; MRR and H@k are means of both, and ties get the middle rank.",
			count.Of(r.Heads, "head"), count.Of(r.Tails, "tail"), r.Pairs),
		"most frequent: facts of the relation at the head times those at the tail, each plus one. degree product: the same with facts of any relation.",
	}}
}

// CSV has a line for the model and each baseline; figures are fractions.
func (r *RelationReport) CSV() (string, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write([]string{"graph", "relation", "hidden", "model", "mrr", "hits@1", "hits@3", "hits@10", "mrr_tails", "mrr_heads", "auroc", "auprc"})
	for _, row := range r.Rows {
		a := row.All
		w.Write([]string{r.Graph, r.Relation, strconv.Itoa(r.Hidden), row.Model, decimal(a.MRR), decimal(a.Hits1), decimal(a.Hits3),
			decimal(a.Hits10), decimal(row.Tails.MRR), decimal(row.Heads.MRR), decimal(row.AUROC), decimal(row.AUPRC)})
	}
	w.Flush()
	return b.String(), w.Error()
}
