import assert from "node:assert/strict";
import { test } from "node:test";
import type { Step } from "./api.ts";
import { anchor, at, combine, fromSteps, inverse, not, project, replace, type Expr } from "./expression.ts";

const step = (op: Step["op"], name: string, ...inputs: number[]): Step => ({
  op,
  ...(op === "entity" ? { entity: name } : {}),
  ...(op === "project" ? { relation: name } : {}),
  inputs,
  cardinality: 1,
  top: [],
});

/** text of a tree in the paper's notation. */
const show = (e: Expr | null): string => {
  if (!e) return "nothing";
  const of = e.of.map(show).join(", ");
  return { entity: `{${e.name}}`, everything: "{*}", project: `P[${e.name}](${of})`, and: `C(${of})`, or: `D(${of})`, not: `N(${of})` }[e.op];
};

test("a tree is read from the steps of a result, equal operations flattened", () => {
  const steps = [
    step("entity", "a"), step("project", "R", 0),
    step("entity", "b"), step("project", "S", 2),
    step("and", "", 1, 3),
    step("entity", "c"), step("project", "T", 5), step("not", "", 6),
    step("and", "", 4, 7),
  ];
  const e = fromSteps(steps);
  assert.equal(show(e), "C(P[R]({a}), P[S]({b}), N(P[T]({c})))");
  assert.equal(e?.step, 8);
  assert.equal(e?.of[2]?.of[0]?.step, 6);
  assert.equal(fromSteps([]), null);
});

test("a set used twice stands twice in the tree", () => {
  const e = fromSteps([step("entity", "a"), step("project", "R", 0), step("project", "S", 1), step("or", "", 1, 2)]);
  assert.equal(show(e), "D(P[R]({a}), P[S](P[R]({a})))");
});

const two = combine("and", project("R", anchor("a")), project("S", anchor("b")));

test("edits make the tree that was meant", () => {
  assert.equal(show(combine("and", two, not(project("T", anchor("c"))))), "C(P[R]({a}), P[S]({b}), N(P[T]({c})))");
  assert.equal(show(combine("or", two, anchor("c"))), "D(C(P[R]({a}), P[S]({b})), {c})");
  assert.equal(show(not(not(two))), show(two));
  assert.equal(show(replace(two, [1, 0], anchor("z"))), "C(P[R]({a}), P[S]({z}))");
  assert.equal(show(replace(two, [], project("Q", two))), "P[Q](C(P[R]({a}), P[S]({b})))");
});

test("removing an operand leaves no operation of one set", () => {
  assert.equal(show(replace(two, [1], null)), "P[R]({a})");
  assert.equal(show(replace(project("Q", two), [0, 0], null)), "P[Q](P[S]({b}))");
  assert.equal(show(replace(anchor("a"), [], null)), "nothing");
});

test("an edit never changes the tree it began from", () => {
  const before = show(two);
  replace(two, [0], not(two.of[0]!));
  combine("and", two, anchor("c"));
  assert.equal(show(two), before);
});

test("places and inverses", () => {
  assert.equal(at(two, [1, 0])?.name, "b");
  assert.equal(at(two, [4]), null);
  assert.equal(inverse("Win"), "Win^-1");
  assert.equal(inverse(inverse("Win")), "Win");
});
