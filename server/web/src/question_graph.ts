// A question as a graph: variables and given entities are nodes, links are edges. It is how
// questions are drawn and built whose variables form no tree. Graphs are values; an edit makes a new one.

import { inverse, isInverse, type Expr } from "./expression.ts";
import { quote } from "./formula.ts";

export interface GraphNode {
  kind: "answer" | "variable" | "given";
  variable?: string;
  entity?: string; // the given one, or the value of the variable in a derivation
  id?: string;
}

export interface GraphEdge {
  from: number; // nodes, as the relation is stated
  to: number;
  relation: string; // "=" where two have to be the same
  negated?: boolean;
  optional?: boolean; // one of several alternatives
  nested?: boolean; // negated together with others, or with a variable
  closes_cycle?: boolean;
  link?: number; // among the links of an explanation
}

export interface QuestionGraph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

/** edge writes a relation that is read backwards from its other end. */
const edge = (from: number, relation: string, to: number, negated = false): GraphEdge =>
  isInverse(relation) ? { from: to, to: from, relation: inverse(relation), negated } : { from, to, relation, negated };

const letters = "xyzuvwabcdefgh";

/** fresh is a name that no variable has. */
function fresh(g: QuestionGraph): string {
  const used = new Set(g.nodes.map((n) => n.variable));
  for (let round = 0; ; round++)
    for (const letter of letters) {
      const name = letter + (round > 0 ? String(round) : "");
      if (!used.has(name)) return name;
    }
}

/** begin is the question for what a relation leads to from an entity. */
export const begin = (entity: string, relation: string): QuestionGraph => ({
  nodes: [{ kind: "answer", variable: "x" }, { kind: "given", entity }],
  edges: [edge(1, relation, 0)],
});

/** lead adds a variable that a relation leads to from a node. */
export function lead(g: QuestionGraph, from: number, relation: string): QuestionGraph {
  const nodes: GraphNode[] = [...g.nodes, { kind: "variable", variable: fresh(g) }];
  return { nodes, edges: [...g.edges, edge(from, relation, nodes.length - 1)] };
}

/** tie adds a link between two nodes that are there: so cycles close. */
export const tie = (g: QuestionGraph, from: number, relation: string, to: number): QuestionGraph => ({ ...g, edges: [...g.edges, edge(from, relation, to)] });

/** give adds a given entity that a node is linked with. */
export function give(g: QuestionGraph, entity: string, relation: string, to: number): QuestionGraph {
  const at = g.nodes.findIndex((n) => n.kind === "given" && n.entity === entity);
  const nodes: GraphNode[] = at >= 0 ? g.nodes : [...g.nodes, { kind: "given", entity }];
  return { nodes, edges: [...g.edges, edge(at >= 0 ? at : nodes.length - 1, relation, to)] };
}

/** askFor makes a variable one that is asked for, or one that is not. */
export const askFor = (g: QuestionGraph, node: number): QuestionGraph => ({
  ...g,
  nodes: g.nodes.map((n, i) => (i === node && n.kind !== "given" ? { ...n, kind: n.kind === "answer" ? "variable" : "answer" } : n)),
});

export const negate = (g: QuestionGraph, at: number): QuestionGraph => ({ ...g, edges: g.edges.map((e, i) => (i === at ? { ...e, negated: !e.negated } : e)) });

export const relate = (g: QuestionGraph, at: number, relation: string): QuestionGraph => ({
  ...g,
  edges: g.edges.map((e, i) => (i === at ? edge(e.from, relation, e.to, e.negated) : e)),
});

/** cut takes a link away, and the nodes that nothing links any more. */
export const cut = (g: QuestionGraph, at: number): QuestionGraph => keep(g, g.edges.filter((_, i) => i !== at));

/** drop takes a node away with its links. */
export const drop = (g: QuestionGraph, node: number): QuestionGraph => keep(g, g.edges.filter((e) => e.from !== node && e.to !== node));

function keep(g: QuestionGraph, edges: GraphEdge[]): QuestionGraph {
  const linked = g.nodes.map((_, i) => edges.some((e) => e.from === i || e.to === i));
  const number = linked.map((_, i) => linked.slice(0, i).filter(Boolean).length);
  return { nodes: g.nodes.filter((_, i) => linked[i]), edges: edges.map((e) => ({ ...e, from: number[e.from]!, to: number[e.to]! })) };
}

/** isPlain tells whether the graph says all of its question: alternatives and what is nested in a negation have no place in it. */
export const isPlain = (g: QuestionGraph): boolean => !g.edges.some((e) => e.optional || e.nested);

/** graphText writes the question. */
export function graphText(g: QuestionGraph): string {
  const name = (i: number): string => {
    const n = g.nodes[i]!;
    return n.kind === "given" ? quote(n.id ?? n.entity ?? "") : n.variable!;
  };
  const links = g.edges.map((e) => (e.relation === "=" ? `${name(e.from)} ${e.negated ? "≠" : "="} ${name(e.to)}` : `${e.negated ? "¬" : ""}${quote(e.relation)}(${name(e.from)}, ${name(e.to)})`));
  const of = (kind: GraphNode["kind"]): string[] => g.nodes.flatMap((n) => (n.kind === kind ? [n.variable!] : []));
  const head = of("answer").map((v) => "?" + v).join(", ");
  const bound = of("variable");
  return `${head ? head + " : " : ""}${bound.length > 0 ? `∃${bound.join(", ")} : ` : ""}${links.join(" ∧ ")}`;
}

/** fromTree reads a tree of set operations as a graph, or gives null where it has alternatives or negates more than a link. */
export function fromTree(e: Expr, answer = "x"): QuestionGraph | null {
  let g: QuestionGraph = { nodes: [{ kind: "answer", variable: answer }], edges: [] };
  const given = (a: Expr): number => {
    const at = g.nodes.findIndex((n) => n.kind === "given" && n.entity === a.name && n.id === a.id);
    if (at >= 0) return at;
    g = { ...g, nodes: [...g.nodes, { kind: "given", entity: a.name, id: a.id }] };
    return g.nodes.length - 1;
  };
  const add = (e: Expr, to: number, negated: boolean): boolean => {
    if (e.op === "and" && !negated) return e.of.every((part) => add(part, to, false));
    if (e.op === "not" && !negated) return add(e.of[0]!, to, true);
    if (e.op !== "project") return false;
    const source = e.of[0]!;
    let from: number;
    if (source.op === "entity") from = given(source);
    else if (negated) return false;
    else {
      g = { ...g, nodes: [...g.nodes, { kind: "variable", variable: fresh(g) }] };
      from = g.nodes.length - 1;
      if (!add(source, from, false)) return false;
    }
    g = { ...g, edges: [...g.edges, edge(from, e.name, to, negated)] };
    return true;
  };
  return add(e, 0, false) ? g : null;
}
