import assert from "node:assert/strict";
import { test } from "node:test";
import type { Neighbourhood } from "./api.ts";
import { groups, question } from "./around.ts";

const kay: Neighbourhood = {
  name: "Alan Kay",
  id: "Q92742",
  facts: 3,
  relations: [
    { relation: "Win", base: "Win", inverse: false, count: 2, examples: ["Turing Award", "Kyoto Prize"], example_ids: ["Q185667", "Q1136"] },
    { relation: "Advisor^-1", base: "Advisor", inverse: true, count: 1, examples: ["Bruce Horn"] },
  ],
  likely: [
    { head: "Alan Kay", head_id: "Q92742", relation: "Win", tail: "Draper Prize", tail_id: "Q7", probability: 0.4 },
    { head: "Alan Kay", head_id: "Q92742", relation: "Develops^-1", tail: "Xerox PARC", probability: 0.3 },
  ],
};

test("the facts of an entity in groups, those with predictions first, beside what is stated", () => {
  const [win, develops, advisor, ...rest] = groups(kay);
  assert.deepEqual(win!.neighbours, [{ name: "Turing Award", id: "Q185667" }, { name: "Kyoto Prize", id: "Q1136" }, { name: "Draper Prize", id: "Q7", probability: 0.4 }]);
  assert.deepEqual([win!.count, win!.inverse], [2, false]);
  assert.deepEqual(advisor, { relation: "Advisor", inverse: true, count: 1, neighbours: [{ name: "Bruce Horn", id: "Bruce Horn" }] });
  assert.deepEqual(develops, { relation: "Develops", inverse: true, count: 0, neighbours: [{ name: "Xerox PARC", id: "Xerox PARC", probability: 0.3 }] });
  assert.equal(rest.length, 0);
});

test("a group as a question, in its direction", () => {
  assert.equal(question("Q92742", { relation: "Win", inverse: false }), "?x : Win(Q92742, x)");
  assert.equal(question("Alan Kay", { relation: "has advisor, formerly", inverse: true }), '?x : "has advisor, formerly"(x, Alan Kay)');
});
