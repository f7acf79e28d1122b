// A picture of nodes and links: where the nodes stand, so that linked ones are close and all others are not.
// Pure arithmetic without chance: the same network has the same picture.

export interface Node {
  id: string;
  name: string;
  facts?: number; // how many it has, where that is known
  expanded: boolean; // its neighbours were added
  x: number;
  y: number;
}

export interface Link {
  from: string;
  to: string;
  relation: string;
}

export interface Network {
  nodes: Map<string, Node>;
  links: Link[];
}

export const empty = (): Network => ({ nodes: new Map(), links: [] });

const ideal = 84; // the length of a link

/** add puts neighbours of a node into the network, new ones in a circle around it; most is how many nodes there may be. */
export function add(network: Network, centre: { id: string; name: string; facts: number }, neighbours: { id: string; name: string; relation: string; inverse: boolean }[], most: number): Network {
  const nodes = new Map(network.nodes);
  const at = nodes.get(centre.id) ?? { x: 0, y: 0 };
  nodes.set(centre.id, { ...at, id: centre.id, name: centre.name, facts: centre.facts, expanded: true });
  const links = [...network.links];
  const known = new Set(links.map(key));
  neighbours.forEach((n, i) => {
    if (!nodes.has(n.id)) {
      if (nodes.size >= most) return;
      const angle = (2 * Math.PI * (i + 0.5)) / neighbours.length;
      nodes.set(n.id, { id: n.id, name: n.name, expanded: false, x: at.x + ideal * Math.cos(angle), y: at.y + ideal * Math.sin(angle) });
    }
    const link = n.inverse ? { from: n.id, to: centre.id, relation: n.relation } : { from: centre.id, to: n.id, relation: n.relation };
    if (!known.has(key(link))) links.push(link);
    known.add(key(link));
  });
  return { nodes, links };
}

const key = (l: Link): string => JSON.stringify([l.from, l.relation, l.to]);

/** arrange moves nodes as springs and like charges would, each step a little less far; names are wider than high, so that room is. */
export function arrange(network: Network, steps = 160): Network {
  const nodes = [...network.nodes.values()].map((n) => ({ ...n }));
  const index = new Map(nodes.map((n, i) => [n.id, i]));
  const links = network.links.map((l) => [index.get(l.from)!, index.get(l.to)!] as const).filter(([a, b]) => a !== b);
  for (let step = 0; step < steps; step++) {
    const [dx, dy] = forces(nodes, links);
    const limit = 40 * (1 - step / steps) + 1;
    nodes.forEach((n, i) => {
      const length = Math.hypot(dx[i]!, dy[i]!) || 1;
      n.x += (dx[i]! / length) * Math.min(length, limit);
      n.y += (dy[i]! / length) * Math.min(length, limit);
    });
  }
  return { nodes: new Map(nodes.map((n) => [n.id, n])), links: network.links };
}

function forces(nodes: Node[], links: readonly (readonly [number, number])[]): [Float64Array, Float64Array] {
  const [dx, dy] = [new Float64Array(nodes.length), new Float64Array(nodes.length)];
  const push = (a: number, b: number, x: number, y: number): void => {
    dx[a]! += x;
    dy[a]! += y;
    dx[b]! -= x;
    dy[b]! -= y;
  };
  for (let a = 0; a < nodes.length; a++)
    for (let b = 0; b < a; b++) {
      const [x, y] = [nodes[a]!.x - nodes[b]!.x || 0.01 * (a - b), (nodes[a]!.y - nodes[b]!.y) * 1.6 || 0.01];
      const strength = (ideal * ideal) / (x * x + y * y + 1);
      push(a, b, x * strength, y * strength * 0.7);
    }
  for (const [a, b] of links) {
    const [x, y] = [nodes[b]!.x - nodes[a]!.x, nodes[b]!.y - nodes[a]!.y];
    const pull = Math.hypot(x, y) / ideal / 2;
    push(a, b, x * pull, y * pull);
  }
  return [dx, dy];
}

/** bounds is the box around all nodes, with room for their names. */
export function bounds(network: Network): { x: number; y: number; width: number; height: number } {
  const nodes = [...network.nodes.values()];
  const [x, y] = [Math.min(...nodes.map((n) => n.x)) - 90, Math.min(...nodes.map((n) => n.y)) - 30];
  return { x, y, width: Math.max(...nodes.map((n) => n.x)) + 90 - x, height: Math.max(...nodes.map((n) => n.y)) + 40 - y };
}
