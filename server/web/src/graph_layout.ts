// Where the nodes of a question's graph stand: given entities on the left, then the variables by how many
// links they are away; and how its links are drawn, so that cycles and several links of the same two nodes are seen.

import type { QuestionGraph } from "./question_graph.ts";

export interface Spot {
  column: number;
  row: number;
  x: number; // of its middle
  y: number;
}

export interface Curve {
  path: string;
  label: { x: number; y: number };
}

export interface GraphSizes {
  width: number; // of a node
  height: number;
  gap: number; // between columns
  level: number; // between rows
}

const spread = 44; // between links of the same two nodes

/** distances are the links between each node and the nearest that is given, or the first of its part. */
export function distances({ nodes, edges }: QuestionGraph): number[] {
  const all = nodes.map(() => -1);
  const walk = (starts: number[]): void => {
    const queue = [...starts];
    for (const n of starts) all[n] = 0;
    for (let at = queue.shift(); at !== undefined; at = queue.shift())
      for (const e of edges)
        for (const [a, b] of [[e.from, e.to], [e.to, e.from]] as const)
          if (a === at && all[b] === -1) {
            all[b] = all[at]! + 1;
            queue.push(b);
          }
  };
  walk(nodes.flatMap((n, i) => (n.kind === "given" ? [i] : [])));
  nodes.forEach((_, i) => {
    if (all[i] === -1) walk([i]);
  });
  return all;
}

/** spots places the nodes. */
export function spots(g: QuestionGraph, size: GraphSizes): Spot[] {
  const column = distances(g);
  const row = g.nodes.map(() => 0);
  const columns = Array.from({ length: Math.max(0, ...column) + 1 }, (_, c) => column.flatMap((d, i) => (d === c ? [i] : [])));
  for (const members of columns) {
    const near = (n: number): number => {
      const others = g.edges.flatMap((e) => (e.from === n ? [e.to] : e.to === n ? [e.from] : [])).filter((o) => column[o]! < column[n]!);
      return others.reduce((sum, o) => sum + row[o]!, 0) / Math.max(1, others.length);
    };
    members.sort((a, b) => near(a) - near(b) || a - b).forEach((n, i) => (row[n] = i));
  }
  const most = Math.max(...columns.map((c) => c.length));
  return g.nodes.map((_, i) => ({
    column: column[i]!,
    row: row[i]!,
    x: column[i]! * (size.width + size.gap) + size.width / 2,
    y: (row[i]! + (most - columns[column[i]!]!.length) / 2) * (size.height + size.level) + size.height / 2,
  }));
}

/** bends is how far each link leaves the straight line. */
export function bends({ edges }: QuestionGraph, at: Spot[]): number[] {
  const together = new Map<string, number[]>();
  edges.forEach((e, i) => {
    const pair = `${Math.min(e.from, e.to)}-${Math.max(e.from, e.to)}`;
    together.set(pair, [...(together.get(pair) ?? []), i]);
  });
  const all = edges.map(() => 0);
  for (const same of together.values())
    same.forEach((i, k) => {
      const { from, to } = edges[i]!;
      const [a, b] = [at[from]!, at[to]!];
      const around = (a.column === b.column && Math.abs(a.row - b.row) > 1) || Math.abs(a.column - b.column) > 1 ? 1.6 * spread : 0;
      const bend = around + spread * (k - (same.length - 1) / 2);
      all[i] = from <= to ? bend : -bend; // the normal turns with the direction
    });
  return all;
}

/** curve is the line of a link from border to border, and where its name stands. */
export function curve(from: Spot, to: Spot, bend: number, size: GraphSizes): Curve {
  if (from === to) {
    const y = from.y - size.height / 2 - 3;
    return { path: `M${from.x - 24} ${y}C${from.x - 44} ${y - 46} ${from.x + 44} ${y - 46} ${from.x + 24} ${y}`, label: { x: from.x, y: y - 35 } };
  }
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.max(1, Math.hypot(dx, dy));
  const [cx, cy] = [(from.x + to.x) / 2 - (dy / length) * bend * 2, (from.y + to.y) / 2 + (dx / length) * bend * 2];
  const border = (n: Spot): [number, number] => {
    const [ex, ey] = [cx - n.x, cy - n.y];
    const scale = Math.min(ex === 0 ? Infinity : (size.width / 2 + 4) / Math.abs(ex), ey === 0 ? Infinity : (size.height / 2 + 4) / Math.abs(ey));
    return Number.isFinite(scale) ? [n.x + ex * scale, n.y + ey * scale] : [n.x, n.y];
  };
  const [[x1, y1], [x2, y2]] = [border(from), border(to)];
  const n = (v: number): string => v.toFixed(1);
  return { path: `M${n(x1)} ${n(y1)}Q${n(cx)} ${n(cy)} ${n(x2)} ${n(y2)}`, label: { x: (x1 + 2 * cx + x2) / 4, y: (y1 + 2 * cy + y2) / 4 } };
}
