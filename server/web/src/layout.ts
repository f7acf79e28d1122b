// Where the nodes of the picture stand. Two layouts of the same tree: a flow from left to
// right, as in the paper's figure, and an outline for narrow screens. Pure arithmetic.

export interface Size {
  width: number;
  height: number;
}

export interface Box extends Size {
  x: number;
  y: number;
}

/** Shape is what a layout needs of a tree. */
export interface Shape extends Size {
  of: Shape[];
}

/** Placed is a laid out tree: the same, with places. */
export interface Placed {
  box: Box;
  of: Placed[];
}

export interface Picture extends Size {
  root: Placed;
}

const gap = { column: 34, row: 20 };
const outlineGap = { indent: 18, row: 14 };

const extent = (s: Shape): number =>
  Math.max(s.height, s.of.reduce((sum, child) => sum + extent(child), 0) + gap.row * Math.max(0, s.of.length - 1));

/** columnWidths gives the widest node at every depth. */
function columnWidths(s: Shape, depth = 0, widths: number[] = []): number[] {
  widths[depth] = Math.max(widths[depth] ?? 0, s.width);
  for (const child of s.of) columnWidths(child, depth + 1, widths);
  return widths;
}

/**
 * flow puts the answer on the right and what it is made of to its left. Every subtree has
 * a band of its own, so that nothing overlaps; a node stands at the middle of its operands.
 */
export function flow(shape: Shape): Picture {
  const widths = columnWidths(shape);
  const width = widths.reduce((sum, w) => sum + w, 0) + gap.column * (widths.length - 1);
  const right = widths.map((_, depth) => width - widths.slice(0, depth).reduce((sum, w) => sum + w + gap.column, 0));
  const place = (s: Shape, depth: number, top: number): Placed => {
    const band = extent(s);
    const inner = s.of.reduce((sum, child) => sum + extent(child), 0) + gap.row * Math.max(0, s.of.length - 1);
    let y = top + (band - inner) / 2;
    const of = s.of.map((child) => {
      const placed = place(child, depth + 1, y);
      y += extent(child) + gap.row;
      return placed;
    });
    const middle = of.length > 0 ? (centre(of[0]!.box) + centre(of.at(-1)!.box)) / 2 : top + band / 2;
    const start = Math.min(Math.max(middle - s.height / 2, top), top + band - s.height);
    return { box: { x: right[depth]! - s.width, y: start, width: s.width, height: s.height }, of };
  };
  return { width, height: extent(shape), root: place(shape, 0, 0) };
}

const centre = (box: Box): number => box.y + box.height / 2;

/** outline puts the answer on top and what it is made of below it, each level indented; every node takes the width left. */
export function outline(shape: Shape, width: number): Picture {
  let y = 0;
  const place = (s: Shape, depth: number): Placed => {
    const x = depth * outlineGap.indent;
    const box = { x, y, width: Math.max(width - x, 120), height: s.height };
    y += s.height + outlineGap.row;
    return { box, of: s.of.map((child) => place(child, depth + 1)) };
  };
  const root = place(shape, 0);
  return { width, height: y - outlineGap.row, root };
}

/** curve leads from a box to one on its right. */
export function curve(from: Box, to: Box, least = 0): string {
  const [x1, y1, x2, y2] = [from.x + from.width, centre(from), to.x, centre(to)];
  const bend = Math.max(least, (x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 5} ${y2}`;
}

/** flowEdge is a curve from an operand to the node on its right. */
export const flowEdge = (from: Box, to: Box): string => curve(from, to, 24);

/** outlineEdge is an angle from an operand up to the node above it. */
export function outlineEdge(from: Box, to: Box): string {
  const x = to.x + outlineGap.indent / 2;
  return `M${from.x} ${from.y + 17}H${x}V${to.y + to.height + 5}`;
}
