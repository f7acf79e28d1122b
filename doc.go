// Package lacuna answers logical questions on knowledge graphs that have gaps: it finds
// what a graph states and what it only implies, each answer with a probability and its reasons.
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
// An Engine is a graph with a model on it. Open reads the graph from a file or folder, New
// takes one that is in memory. Without further options the model is the foundation model,
// which answers on any graph without training, and it runs on a GPU where there is one.
// Options say otherwise: Model, Device, and how questions are answered. Those of the last
// kind, such as Threshold or Logic, are given to Open for all questions or to Ask for one.
// A value that makes no sense is an error, before anything is read.
//
// With an engine one can
//
//   - Ask a question, or Prepare several and Answer them as one batch, and see the set of entities after every step;
//   - Explain why an entity answers: the chain that leads to it, and the facts behind every predicted link;
//   - query in SPARQL, exactly or with predictions;
//   - Change facts, which count at once: no model is trained again;
//   - Evaluate the model on a query set, Estimate what to expect of it on this graph, and
//     FitLinks, which fits its probabilities to it.
//
// Train makes a model of a graph. Its folder is a Model for Open.
//
// An engine may be used concurrently; whoever opened it closes it. Errors carry a kind
// (kg.KindOf) and, where they are about a text, its place. All long operations take a context and
// stop soon after its end.
//
// The package stands above all others but the server and the command line, which call what
// is here. How the parts below it fit together is in ARCHITECTURE.md.
package lacuna
