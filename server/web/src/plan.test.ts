import assert from "node:assert/strict";
import { test } from "node:test";
import * as plan from "./plan.ts";
import type { ColumnPlan, TablePlan } from "./plan.ts";
import { pack } from "./tar.ts";

const column = (name: string, more: Partial<ColumnPlan> = {}): ColumnPlan => ({ name, role: "reference", property: name, filled: 3, different: 3, ...more });
const films: TablePlan = {
  table: "films",
  file: "films.csv",
  format: "csv",
  rows: "entities",
  subject: "films/{id}",
  per: "row",
  label: "{title}",
  seen: 3,
  columns: [column("id", { role: "ignore", property: undefined, examples: ["1", "2"] }), column("title", { role: "ignore", property: undefined, examples: ["Ran"] }), column("year", { role: "value", datatype: "integer", examples: ["1985"] })],
};
const named = (t: TablePlan, name: string): ColumnPlan => t.columns!.find((c) => c.name === name)!;

test("a key of numbers is named after its table, one of names is not, none is the number of the row", () => {
  const none = plan.setKey(films, "id", false);
  assert.equal(none.subject, "films/{_row}");
  assert.equal(named(none, "id").role, "reference"); // what is no key any longer says something
  const title = plan.setKey(none, "title", true);
  assert.equal(title.subject, "{title}");
  assert.equal(plan.setKey(title, "year", true).subject, "films/{title}/{year}");
  assert.equal(plan.setKey(title, "year", true).columns![2]!.role, "value"); // a part of the name still says something
  assert.equal(films.subject, "films/{id}"); // the plan that was given is as it was
});

test("what a column becomes is what it is called afterwards", () => {
  for (const what of ["names", "table:people", "value", "nothing"]) assert.equal(plan.becomes(named(plan.become(films, "year", what), "year")), what);
  assert.equal(named(plan.become(plan.become(films, "year", "names"), "year", "value"), "year").datatype, "integer"); // the type comes back
  assert.equal(named(plan.become(films, "title", "value"), "title").property, "title");
});

test("rows become facts and entities again", () => {
  const facts = plan.setRows(films, "triples");
  assert.deepEqual(facts.columns!.map((c) => c.role), ["head", "relation", "tail"]);
  assert.equal(plan.problemOf(facts), "");
  assert.match(plan.problemOf(plan.become(facts, "year", "head")), /first entity/);
  assert.deepEqual(plan.setRows(facts, "entities").columns!.map((c) => c.role), ["reference", "reference", "value"]);
  const edges = plan.setRows({ ...films, columns: films.columns!.slice(0, 2) }, "triples");
  assert.equal(edges.columns![1]!.property, "edge");
});

test("labels are made of columns in their order; what is sent is short", () => {
  assert.equal(plan.setLabel(films, "year", true).label, "{title} {year}");
  assert.equal(plan.setLabel(films, "title", false).label, undefined);
  const sent = plan.compact({ tables: [films] });
  assert.doesNotMatch(sent, /examples|filled|seen/);
  assert.match(sent, /"subject":"films\/{id}"/);
});

test("an archive holds its files one behind another", async () => {
  const files = [new File(["a,b\n"], "a.csv"), new File(["x".repeat(600)], "é".repeat(80) + ".csv.gz")];
  const bytes = new Uint8Array(await pack(files).arrayBuffer());
  const text = (at: number, length: number): string => new TextDecoder().decode(bytes.slice(at, at + length)).replace(/\0.*$/s, "");
  assert.equal(bytes.length, 512 * (1 + 1 + 1 + 2 + 2));
  assert.equal(text(0, 100), "a.csv");
  assert.equal(text(512, 4), "a,b\n");
  assert.equal(text(257, 5), "ustar");
  assert.match(text(1024, 100), /^é+\.csv\.gz$/);
  assert.equal(parseInt(text(1024 + 124, 12), 8), 600);
});
