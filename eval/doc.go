// Package eval measures how well a method answers the queries of a set: the
// paper's tables (MRR, H@K, the error of the predicted number of answers), with
// the bounds that ties leave open and apart by how many links of an answer's best
// derivation are missing (METHOD "Evaluation", "Known criticism").
//
// In the flow it comes last: dataset streams queries, a Method answers them in
// batches and counts ranks where its sets lie, a tally takes means, a Report holds
// them, and Table lays out one or several reports as text, Markdown, CSV or JSON.
package eval
