import assert from "node:assert/strict";
import { test } from "node:test";
import { flow, flowEdge, outline, outlineEdge, type Box, type Placed, type Shape } from "./layout.ts";

const node = (width: number, height: number, ...of: Shape[]): Shape => ({ width, height, of });
const boxes = (p: Placed): Box[] => [p.box, ...p.of.flatMap(boxes)];
const overlap = (a: Box, b: Box): boolean => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** random trees of up to five levels. */
function* trees(count: number): Generator<Shape> {
  let seed = 11;
  const random = (): number => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  const grow = (depth: number): Shape =>
    node(80 + random() * 200, 30 + random() * 150, ...Array.from({ length: depth > 0 ? Math.floor(random() * 4) : 0 }, () => grow(depth - 1)));
  for (let i = 0; i < count; i++) yield grow(4);
}

test("nothing overlaps, and everything is inside of the picture", () => {
  for (const tree of trees(300)) {
    for (const picture of [flow(tree), outline(tree, 360)]) {
      const all = boxes(picture.root);
      all.forEach((a, i) => {
        assert.ok(a.x >= -1e-9 && a.y >= -1e-9 && a.y + a.height <= picture.height + 1e-6);
        all.slice(i + 1).forEach((b) => assert.ok(!overlap(a, b)));
      });
    }
  }
});

test("a flow goes from left to right, and ends in the answer", () => {
  for (const tree of trees(100)) {
    const picture = flow(tree);
    const check = (p: Placed): void =>
      p.of.forEach((child) => {
        assert.ok(child.box.x + child.box.width < p.box.x);
        check(child);
      });
    check(picture.root);
    assert.ok(Math.abs(picture.root.box.x + picture.root.box.width - picture.width) < 1e-9);
  }
});

test("a node stands at the middle of its operands", () => {
  const { root } = flow(node(100, 40, node(100, 60), node(100, 60)));
  const middle = (b: Box): number => b.y + b.height / 2;
  assert.equal(middle(root.box), (middle(root.of[0]!.box) + middle(root.of[1]!.box)) / 2);
});

test("an outline keeps to its width", () => {
  const { root } = outline(node(500, 40, node(500, 40, node(500, 40))), 320);
  for (const box of boxes(root)) assert.equal(box.x + box.width, 320);
});

test("edges begin and end at their boxes", () => {
  const [from, to] = [{ x: 0, y: 0, width: 100, height: 40 }, { x: 150, y: 30, width: 100, height: 40 }];
  assert.match(flowEdge(from, to), /^M100 20C/);
  assert.match(flowEdge(from, to), / 145 50$/);
  assert.equal(outlineEdge({ x: 18, y: 60, width: 90, height: 40 }, { x: 0, y: 0, width: 100, height: 40 }), "M18 77H9V45");
});
