import assert from "node:assert/strict";
import { test } from "node:test";
import { hasMore, order } from "./answers.ts";
import { asRows, type Answer, type Grounding, type Link, type Result } from "./api.ts";
import { leftOut } from "./cut.ts";
import { counted } from "./dom.ts";
import { suggestions } from "./editor.ts";
import { csv } from "./export.ts";
import { defaults, fromHash, toHash } from "./link.ts";
import { markOf } from "./marks.ts";
import { excerpt } from "./picture.ts";
import { ways } from "./suggest.ts";
import { chain, stated, trail } from "./why.ts";

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
  assert.equal(leftOut({ left_out: 1200, likeliest: 0.25 }), "predictions from 1,200 entities were left out; no answer that lacks is likelier than 0.25");
  assert.equal(leftOut({ left_out: 1, likeliest: 0.25 }), "predictions from 1 entity were left out; no answer that lacks is likelier than 0.25");
  assert.equal(leftOut({ stopped: "time", likeliest: 1 }), "the search ended early, by its bound of time; likely answers may lack");
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
  assert.deepEqual(fromHash(toHash(question, settings)), { question, settings });
  assert.deepEqual(fromHash(toHash(question, defaults)), { question, settings: defaults });
  assert.deepEqual(fromHash("#threshold=7&logic=fuzzy&mode=x&by=magic"), { question: null, settings: defaults });
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

const grounding: Grounding = {
  op: "and", step: 5, ...answer("p", 0.6, false), of: [
    { op: "project", step: 1, relation: "R^-1", link: 0, ...answer("p", 0.6, false), of: [{ op: "entity", step: 0, ...answer("c", 1, true) }] },
    { op: "not", step: 4, ...answer("p", 1, true), of: [{ op: "project", step: 3, relation: "S", negated: true, ...answer("p", 0, false) }] },
  ],
};
const links: Link[] = [{ head: "c", relation: "R^-1", tail: "p", probability: 0.6, known: false }];

test("the chain of an explanation, as facts", () => {
  const lines = chain(grounding, links);
  assert.deepEqual(lines.map((l) => [l.step.step, l.link]), [[1, links[0]], [3, null]]);
  assert.deepEqual({ ...stated(links[0]!) }, { head: "p", head_id: undefined, relation: "R", tail: "c", tail_id: undefined });
});

test("the trail leaves out what is negated, and is moved to its place in the whole question", () => {
  assert.deepEqual([...trail(grounding, 10)], [[15, "p"], [11, "p"], [10, "c"], [14, "p"]]);
});
