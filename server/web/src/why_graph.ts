// The derivation of an answer: the question as a graph with a value for every variable, and its links one by one.

import { idOf, type Explanation, type Link } from "./api.ts";
import { fixed, h } from "./dom.ts";
import { inverse, isInverse, type Expr } from "./expression.ts";
import { drawGraph } from "./graph_picture.ts";
import { badge, type Mark } from "./marks.ts";
import type { Trail } from "./picture.ts";
import type { GraphEdge, GraphNode, QuestionGraph } from "./question_graph.ts";

/** derivation draws it and lists its links. */
export function derivation(e: Explanation): HTMLElement[] {
  const links = e.links ?? [];
  return [
    e.missing ? h("p", { class: "values" }, "Nothing leads to it. This link is missing: ", h("code", {}, e.missing), ".") : values(e.derivation),
    h("div", { class: "picture graph", tabindex: 0, role: "group", "aria-label": "The derivation as a graph" }, drawGraph({ graph: e.derivation, links })),
    h("ol", { class: "chain", "aria-label": "The links that lead to the answer" }, ...e.derivation.edges.map((edge) => line(e.derivation, edge, linkOf(edge, links)))),
  ];
}

const linkOf = (edge: GraphEdge, links: Link[]): Link | undefined => (edge.link === undefined ? undefined : links[edge.link]);

/** values names what the variables stand for that are not asked for. */
function values({ nodes }: QuestionGraph): HTMLElement {
  const found = nodes.flatMap((n) => (n.kind === "variable" && n.entity ? [`${n.variable} = ${n.entity}`] : []));
  return h("p", { class: "values" }, "These links lead to it", ...found.flatMap((v, i) => [i === 0 ? ", with " : ", ", h("code", {}, v)]), ":");
}

function line({ nodes }: QuestionGraph, edge: GraphEdge, link: Link | undefined): HTMLElement {
  const name = (i: number): string => nodes[i]?.entity ?? nodes[i]?.variable ?? "";
  const mark: Mark = link?.known ? "known" : "predicted";
  const holds = link !== undefined && link.probability > 0;
  return h(
    "li",
    { class: `line ${holds ? mark : ""}` },
    edge.negated ? h("span", { class: "not" }, "not:") : null,
    h("span", { class: "fact" }, h("b", {}, name(edge.from)), " ", h("span", { class: "via" }, edge.relation), " ", h("b", {}, name(edge.to))),
    edge.relation === "=" ? null : h("span", { class: "verdict" + (holds ? ` ${mark}` : "") }, holds ? badge(mark) : null, standing(edge, link)),
    edge.closes_cycle ? h("span", { class: "note" }, "↺ closes a cycle") : null,
  );
}

/** standing says how a link of the question counts in the derivation. */
export function standing(edge: GraphEdge, link: Link | undefined): string {
  if (link && link.probability > 0) return link.known ? "known" : `predicted, ${fixed(link.probability)}`;
  return edge.optional && !edge.negated ? "an alternative, not needed" : "not found";
}

/**
 * trail finds the entities of a derivation in the picture of a question that is a tree: the entity at every step.
 * What is negated and alternatives that the derivation does not follow have none.
 */
export function trail(root: Expr, graph: QuestionGraph, links: Link[]): Trail {
  const walk = (e: Expr, at: number, came: GraphEdge | null): [number, string][] => {
    const value = valueOf(graph.nodes[at]);
    if (value === undefined || (e.op === "entity" && idOf({ entity: e.name, id: e.id }) !== value)) return [];
    const here: [number, string][] = e.step === undefined ? [] : [[e.step, value]];
    if (e.op === "not") return here;
    if (e.op !== "project") return [...here, ...e.of.flatMap((operand) => walk(operand, at, came))];
    // Where several links have the relation, it is the one from which the rest of the tree goes on.
    const ways = graph.edges.flatMap((edge) => {
      const from = edge === came || edge.negated || !(linkOf(edge, links)?.probability ?? 0) ? undefined : source(edge, e.name, at);
      return from === undefined ? [] : [walk(e.of[0]!, from, edge)];
    });
    const best = ways.reduce<[number, string][]>((a, b) => (b.length > a.length ? b : a), []);
    return best.length > 0 ? [...here, ...best] : [];
  };
  return new Map(walk(root, 0, null));
}

const valueOf = (n: GraphNode | undefined): string | undefined => n?.id ?? n?.entity;

/** source is where an edge comes from that leads to a node by a relation, which may be read backwards. */
function source(edge: GraphEdge, relation: string, to: number): number | undefined {
  const [near, far] = isInverse(relation) ? [edge.from, edge.to] : [edge.to, edge.from];
  return near === to && edge.relation === (isInverse(relation) ? inverse(relation) : relation) ? far : undefined;
}
