import assert from "node:assert/strict";
import { test } from "node:test";

import { anchor, combine, not, project } from "./expression.ts";
import { bends, curve, distances, spots } from "./graph_layout.ts";
import { askFor, begin, cut, drop, fromTree, give, graphText, isPlain, lead, negate, relate, tie } from "./question_graph.ts";

test("a question is built link by link, and cycles close", () => {
  let g = begin("Turing Award", "Win^-1");
  assert.equal(graphText(g), "?x : Win(x, Turing Award)");
  g = lead(g, 0, "University");
  assert.equal(graphText(g), "?x : ∃y : Win(x, Turing Award) ∧ University(x, y)");
  g = tie(g, 0, "Workplace", 2);
  g = askFor(g, 2);
  assert.equal(graphText(g), "?x, ?y : Win(x, Turing Award) ∧ University(x, y) ∧ Workplace(x, y)");
  g = negate(g, 2);
  g = relate(g, 1, "AlmaMater");
  assert.equal(graphText(g), "?x, ?y : Win(x, Turing Award) ∧ AlmaMater(x, y) ∧ ¬Workplace(x, y)");
  g = give(g, "New York City", "LocatedIn^-1", 2);
  assert.match(graphText(g), /∧ LocatedIn\(y, New York City\)$/);
  g = cut(g, 0);
  assert.ok(!g.nodes.some((n) => n.entity === "Turing Award"));
  assert.equal(graphText(askFor(drop(g, 0), 0)), "∃y : LocatedIn(y, New York City)");
});

test("trees without alternatives are graphs too", () => {
  const winners = project("Win^-1", anchor("Turing Award"));
  const g = fromTree(combine("and", project("University", winners), not(project("Near", anchor("Sea")))), "u");
  assert.equal(graphText(g!), "?u : ∃x : Win(x, Turing Award) ∧ University(x, u) ∧ ¬Near(Sea, u)");
  assert.equal(fromTree(combine("or", winners, winners)), null);
  assert.equal(fromTree(not(project("R", winners))), null);
});

test("what a graph does not say all of is not changed by clicking", () => {
  const g = negate(tie(lead(begin("a", "R"), 0, "S"), 0, "T", 2), 2);
  assert.ok(isPlain(g));
  for (const part of ["optional", "nested"]) assert.ok(!isPlain({ ...g, edges: g.edges.map((e, i) => (i === 1 ? { ...e, [part]: true } : e)) }));
});

test("the layout goes from what is given to the farthest variable, and links of two nodes part", () => {
  const g = tie(tie(lead(begin("a", "R"), 0, "S"), 0, "T", 2), 2, "U", 1);
  assert.deepEqual(distances(g), [1, 0, 1]);
  const size = { width: 100, height: 40, gap: 100, level: 60 };
  const at = spots(g, size);
  assert.equal(at[1]!.column, 0);
  assert.equal(at[0]!.x, at[2]!.x);
  assert.notEqual(at[0]!.y, at[2]!.y);
  const bent = bends(g, at);
  assert.equal(bent[1], -bent[2]!);
  for (const [i, e] of g.edges.entries()) assert.doesNotMatch(curve(at[e.from]!, at[e.to]!, bent[i]!, size).path, /NaN|Infinity/);
});
