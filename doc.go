// Package lacuna answers logical questions on knowledge graphs that have gaps: it finds what a graph
// states and what it only implies, each answer with a probability and its reasons.
//
//	engine, err := lacuna.Open(ctx, "films.tsv")
//	if err != nil {
//		return err
//	}
//	defer engine.Close()
//	result, err := engine.Ask(ctx, "?f : exists p: Directed(p, f) & BornIn(p, Rome)")
//	if err != nil {
//		return err
//	}
//	for _, a := range result.Shown() {
//		fmt.Println(a.Probability, a.Entity, a.Known)
//	}
//
// An Engine is a graph with a model on it. Open reads the graph, New takes one in memory. Without options
// the model is the foundation model, which needs no training, on a GPU if there is one. An AskOption, such as
// Threshold, holds for all questions when given to Open, and for one when given to Ask.
//
// Ask a question, or Prepare several and Answer them as one batch. Explain says why an entity answers; SPARQL
// and Gaps find what is stated or missing; Change adds and removes facts at once. Evaluate, Estimate and FitLinks
// measure a model and fit its probabilities; Train makes one.
//
// An engine may be used concurrently. Errors carry a kind (kg.KindOf) and, if about a text, its place. Long
// operations stop soon after their context ends.
package lacuna
