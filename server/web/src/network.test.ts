import assert from "node:assert/strict";
import { test } from "node:test";
import { add, arrange, bounds, empty } from "./network.ts";

const neighbours = (...names: string[]) => names.map((name) => ({ id: name, name, relation: "knows", inverse: name === "b" }));
const ann = { id: "ann", name: "Ann", facts: 9 };

test("a network grows by the neighbours of a node, each link once and in its direction", () => {
  let net = add(empty(), ann, neighbours("a", "b", "c"), 10);
  net = add(net, { id: "a", name: "A", facts: 1 }, neighbours("ann", "d"), 10);
  net = add(net, ann, neighbours("a", "b"), 10);
  assert.deepEqual([...net.nodes.keys()], ["ann", "a", "b", "c", "d"]);
  assert.deepEqual(net.links.map((l) => l.from + l.to), ["anna", "bann", "annc", "aann", "ad"]);
  assert.equal(net.nodes.get("a")!.expanded, true);
  assert.equal(net.nodes.get("c")!.expanded, false);
});

test("no more nodes than can be seen, and no link to one that is not there", () => {
  const net = add(empty(), ann, neighbours("a", "b", "c", "d"), 3);
  assert.equal(net.nodes.size, 3);
  assert.ok(net.links.every((l) => net.nodes.has(l.from) && net.nodes.has(l.to)));
});

test("nodes stand apart, linked ones nearer than others, and the same way each time", () => {
  const names = Array.from({ length: 40 }, (_, i) => "n" + i);
  let net = add(empty(), ann, neighbours(...names.slice(0, 20)), 100);
  net = add(net, { id: "n0", name: "n0", facts: 20 }, neighbours(...names.slice(20)), 100);
  const placed = arrange(net);
  const nodes = [...placed.nodes.values()];
  const distance = (a: { x: number; y: number }, b: { x: number; y: number }): number => Math.hypot(a.x - b.x, a.y - b.y);
  for (const a of nodes) for (const b of nodes) if (a !== b) assert.ok(distance(a, b) > 15, `${a.id} and ${b.id} are ${distance(a, b)} apart`);
  const at = (id: string) => placed.nodes.get(id)!;
  assert.ok(distance(at("n1"), at("ann")) < distance(at("n1"), at("n0")));
  assert.deepEqual(arrange(net), placed);
  const box = bounds(placed);
  assert.ok(nodes.every((n) => n.x > box.x && n.x < box.x + box.width && n.y > box.y && n.y < box.y + box.height));
});
