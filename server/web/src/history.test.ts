import assert from "node:assert/strict";
import { test } from "node:test";
import { remember, type Asked } from "./history.ts";

const asked = (graph: string, question: string): Asked => ({ graph, question, total: 1, at: 0 });

test("a question that is asked again moves to the front, graph by graph", () => {
  const all = ["a", "b", "a"].reduce<Asked[]>((list, q) => remember(list, asked("g", q)), [asked("h", "a")]);
  assert.deepEqual(all.map((a) => a.graph + a.question), ["ga", "gb", "ha"]);
});

test("the oldest are forgotten", () => {
  const all = Array.from({ length: 300 }, (_, i) => String(i)).reduce<Asked[]>((list, q) => remember(list, asked("g", q)), []);
  assert.equal(all.length, 200);
  assert.equal(all[0]!.question, "299");
});

test("both kinds of questions are one history", () => {
  const query: Asked = { ...asked("g", "ASK {}"), language: "sparql" };
  const all = [asked("g", "?x : P(x, A)"), query, asked("g", "?x : Q(x, A)")].reduce<Asked[]>(remember, []);
  assert.deepEqual(all.map((a) => a.language ?? "formula"), ["formula", "sparql", "formula"]);
});
