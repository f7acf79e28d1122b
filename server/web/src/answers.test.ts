import assert from "node:assert/strict";
import { test } from "node:test";
import { hasMore, order } from "./answers.ts";
import { asRows, type Answer, type Link, type Op, type Result, type Step } from "./api.ts";
import { leftOut } from "./cut.ts";
import { counted } from "./dom.ts";
import { suggestions } from "./editor.ts";
import { csv } from "./export.ts";
import { fromSteps } from "./expression.ts";
import { defaults, fromHash, toHash } from "./link.ts";
import { markOf } from "./marks.ts";
import { excerpt } from "./picture.ts";
import type { QuestionGraph } from "./question_graph.ts";
import { ways } from "./suggest.ts";
import { standing, trail } from "./why_graph.ts";

const answer = (entity: string, probability: number, known: boolean, right?: boolean): Answer => ({ entity, probability, known, ...(right === undefined ? {} : { right }) });
const names = (answers: Answer[]): string => answers.map((a) => a.entity).join("");

test("several entities are one row, and yes or no is one", () => {
  const result: Result = { query: "", operators: "", shape: "join", answers: [], total: 0, known_total: 0, cardinality: 0, expected: 0, steps: [], stats: { prepare_ms: 0, project_ms: 0, combine_ms: 0 } };
  const pair = { ...answer("", 0.5, false), entities: ["a", "b"] };
  assert.equal(names(asRows({ ...result, answers: [pair], total: 1 }).answers!), "a, b");
  assert.deepEqual(asRows({ ...result, probability: 0.2, known: false }).answers, [answer("No", 0.2, false)]);
  assert.equal(asRows({ ...result, probability: 1, known: true }).known_total, 1);
  assert.deepEqual(asRows({ ...result, probability: 0.2, known: true }).answers, [answer("No", 0.2, false)]);
});

test("answers beyond those listed are told, and what a search left out", () => {
  const result: Result = { query: "", operators: "", shape: "join", answers: [answer("a", 1, true)], total: 1, known_total: 1, cardinality: 1, expected: 1, steps: [], stats: { prepare_ms: 0, project_ms: 0, combine_ms: 0 } };
  assert.ok(!hasMore(result));
  assert.ok(hasMore({ ...result, more: true }));
  assert.ok(hasMore({ ...result, total: 2 }));
  assert.equal(leftOut(undefined), "");
  assert.equal(leftOut({ left_out: 1200, likeliest: 0.25 }), "1,200 unlikely intermediate results were skipped; anything skipped is at most 0.25 likely");
  assert.equal(leftOut({ left_out: 1, likeliest: 0.25 }), "1 unlikely intermediate result was skipped; anything skipped is at most 0.25 likely");
  assert.equal(leftOut({ stopped: "time", likeliest: 1 }), "the search stopped early, at its limit of time; some likely answers may be missing");
});

test("one of something has no plural", () => {
  assert.equal(counted(1, "fact"), "1 fact");
  assert.equal(counted(0, "fact"), "0 facts");
  assert.equal(counted(2518, "entity", "entities"), "2,518 entities");
});

test("marks", () => {
  assert.equal(markOf(answer("a", 1, true)), "known");
  assert.equal(markOf(answer("a", 1, true, true)), "known");
  assert.equal(markOf(answer("a", 1, true, false)), "contested");
  assert.equal(markOf({ ...answer("a", 1, true), implied: "subclass" }), "implied");
  assert.equal(markOf(answer("a", 1, false)), "predicted");
  assert.equal(markOf(answer("a", 1, false, true)), "right");
  assert.equal(markOf(answer("a", 1, false, false)), "wrong");
});

test("answers are sorted by any column, either way", () => {
  const all = [answer("b", 0.9, true), answer("c", 0.8, false), answer("a", 0.7, true)];
  assert.equal(names(order(all, "probability", true)), "bca");
  assert.equal(names(order(all, "probability", false)), "acb");
  assert.equal(names(order(all, "entity", false)), "abc");
  assert.equal(names(order(all, "state", false)), "bac");
});

test("a node shows known and predicted members, and the one that is explained", () => {
  const known = [..."abcdefgh"].map((n, i) => answer(n, 1 - i / 100, true));
  const predicted = [..."uvwxyz"].map((n, i) => answer(n, 0.6 - i / 100, false));
  const all = [...known, ...predicted];
  assert.equal(names(excerpt(all, 6)), "abcuvw");
  assert.equal(names(excerpt(known, 6)), "abcdef");
  assert.equal(names(excerpt([...known.slice(0, 2), ...predicted], 6)), "abuvwx");
  assert.equal(names(excerpt([...known, predicted[0]!], 6)), "abcdeu");
  assert.equal(names(excerpt(all, 6, "z")), "abcuvz");
  assert.equal(names(excerpt(all, 6, "h")), "abhuvw");
  assert.equal(names(excerpt([], 6, "h")), "");
});

test("CSV quotes what must be, and runs nothing in a spreadsheet", () => {
  assert.equal(
    csv([answer('Washington, "D.C."', 0.5, false, true), answer("=1+1", 1, true)]),
    'entity,id,probability,known,right\r\n"Washington, ""D.C.""",,0.5,false,true\r\n\'=1+1,,1,true,\r\n',
  );
});

test("a link holds a question and its settings", () => {
  const question = "?x : R(x, Ærø & “co”) ∧ ¬S(x, 100%#)";
  const settings = { ...defaults, mode: "exact", by: "sets", logic: "godel", threshold: 0.25 } as const;
  assert.deepEqual(fromHash(toHash(question, settings)), { question, settings, view: null });
  assert.deepEqual(fromHash(toHash(question, defaults)), { question, settings: defaults, view: null });
  const view = { entity: "http://x/a b#c&d", network: true };
  assert.deepEqual(fromHash(toHash("", defaults, view)), { question: null, settings: defaults, view });
  assert.deepEqual(fromHash("#threshold=7&logic=fuzzy&mode=x&by=magic"), { question: null, settings: defaults, view: null });
});

test("the names that an error offers", () => {
  assert.deepEqual(suggestions('no entity "Turing Awrd" (did you mean "Turing Award"?)'), ["Turing Award"]);
  assert.deepEqual(suggestions('no relation "Wn" (did you mean "Win", "A \\"b\\"" or "Won"?)'), ["Win", 'A "b"', "Won"]);
  assert.deepEqual(suggestions('"London" is the name of 2 entities: use one of the identifiers /m/04jpl, /m/0b1t1'), ["/m/04jpl", "/m/0b1t1"]);
  assert.deepEqual(suggestions("expected ')'"), []);
});

test("relations of several entities are merged, those with most facts first", () => {
  const merged = ways([
    { relations: [{ relation: "R", count: 1, examples: ["x"] }, { relation: "S", count: 2, examples: ["y"] }] },
    { relations: [{ relation: "R", count: 2, examples: ["x", "z"] }] },
    { relations: null },
  ]);
  assert.deepEqual(merged, [{ relation: "R", count: 3, examples: ["x", "z"] }, { relation: "S", count: 2, examples: ["y"] }]);
});

/** A question that is a tree, with two branches of the same relation, an alternative and a negation. */
const step = (op: Op, name: string, inputs: number[] = []): Step =>
  ({ op, inputs, cardinality: 1, top: null, ...(op === "entity" ? { entity: name } : { relation: name }) });
const steps: Step[] = [
  step("entity", "a"), step("project", "S", [0]), step("project", "R^-1", [1]),
  step("entity", "b"), step("project", "S", [3]), step("project", "R^-1", [4]), step("and", "", [2, 5]),
  step("project", "Q", [0]), step("project", "Q", [3]), step("or", "", [7, 8]), step("and", "", [6, 9]),
  step("project", "N", [0]), step("not", "", [11]), step("and", "", [10, 12]),
];
const graph: QuestionGraph = {
  nodes: [
    { kind: "answer", variable: "x", entity: "X", id: "x1" }, { kind: "variable", variable: "y", entity: "Y" }, { kind: "variable", variable: "z", entity: "Z" },
    { kind: "given", entity: "a" }, { kind: "given", entity: "b" },
  ],
  edges: [
    { from: 0, to: 1, relation: "R", link: 0 }, { from: 3, to: 1, relation: "S", link: 1 },
    { from: 0, to: 2, relation: "R", link: 2 }, { from: 4, to: 2, relation: "S", link: 3 },
    { from: 3, to: 0, relation: "Q", optional: true, link: 4 }, { from: 4, to: 0, relation: "Q", optional: true, link: 5 },
    { from: 3, to: 0, relation: "N", negated: true, link: 6 },
  ],
};
const links: Link[] = [1, 1, 0.6, 1, 0, 0.7, 0.1].map((probability) => ({ head: "", relation: "", tail: "", probability, known: probability === 1 }));

test("the entities of a derivation stand at the steps that they belong to", () => {
  const found = trail(fromSteps(steps)!, graph, links);
  assert.deepEqual([...found].sort(([a], [b]) => a - b), [[0, "a"], [1, "Y"], [2, "x1"], [3, "b"], [4, "Z"], [5, "x1"], [8, "x1"], [9, "x1"], [12, "x1"], [13, "x1"]]);
});

test("of a derivation with other entities than the tree's nothing is marked but the answer", () => {
  const other: QuestionGraph = { ...graph, nodes: graph.nodes.map((n) => (n.kind === "given" ? { ...n, entity: "c" } : n)) };
  assert.deepEqual([...trail(fromSteps(steps)!, other, links).keys()].sort((a, b) => a - b), [9, 12, 13]);
});

test("how the links of a derivation count", () => {
  assert.deepEqual(graph.edges.slice(2, 7).map((e) => standing(e, links[e.link!])), ["predicted, 0.60", "known", "an alternative, not needed", "predicted, 0.70", "predicted, 0.10"]);
  assert.equal(standing({ from: 0, to: 1, relation: "N", negated: true }, undefined), "not found");
});
