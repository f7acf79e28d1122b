// The picture of a question as a graph: cards for variables and given entities, arrows for links. In the stage each can be
// chosen, by pointer or by keys, to change the question; in an explanation the cards have the values of the derivation.

import type { Answer, Link } from "./api.ts";
import { fixed, s } from "./dom.ts";
import { bends, curve, spots, type GraphSizes } from "./graph_layout.ts";
import type { GraphEdge, GraphNode, QuestionGraph } from "./question_graph.ts";

/** Part of a graph that can be chosen. */
export type Part = { node: number } | { edge: number };

export interface GraphView {
  graph: QuestionGraph;
  top?: (variable: string) => Answer[]; // the likeliest values of a variable
  links?: Link[]; // of a derivation
  selected?: Part | null;
  choose?: (part: Part) => void;
}

const shown = 3; // values of a variable
const smallest = 0.7; // of its size, where there is too little room

/** drawGraph makes the picture. */
export function drawGraph(view: GraphView): SVGSVGElement {
  const rows = Math.max(0, ...view.graph.nodes.map((n) => values(view, n).length));
  const size: GraphSizes = { width: 178, height: rows > 0 && !view.links ? 34 + 18 * rows : 48, gap: 168, level: 72 };
  const at = spots(view.graph, size);
  const bent = bends(view.graph, at);
  const width = Math.max(...at.map((p) => p.x)) + size.width / 2;
  const loops = view.graph.edges.some((e) => e.from === e.to) ? 52 : 0;
  const room = bent.some((b) => b !== 0) ? 46 : 8; // for links that leave the straight line
  const [top, bottom] = [Math.max(loops, room), room];
  const height = Math.max(...at.map((p) => p.y)) + size.height / 2 + top + bottom;
  const lines = s("g", { "aria-hidden": "true" });
  const labels = s("g", { role: "none" });
  view.graph.edges.forEach((e, i) => {
    const c = curve(at[e.from]!, at[e.to]!, bent[i]!, size);
    lines.append(s("path", { class: `edge ${standing(view, e)}${e.optional ? " optional" : ""}`, d: c.path, "marker-end": e.relation === "=" ? null : "url(#graph-arrow)" }));
    labels.append(label(view, e, i, c.label));
  });
  const nodes = s("g", { role: "none" });
  view.graph.nodes.forEach((n, i) => nodes.append(...card(view, n, i, at[i]!.x - size.width / 2, at[i]!.y - size.height / 2, size)));
  const svg = s(
    "svg",
    { class: "question-graph", viewBox: `-4 ${-top} ${width + 8} ${height}`, width: width + 8, height, role: view.choose ? "tree" : "group", "aria-label": "The question as a graph" },
    s("defs", {}, s("marker", { id: "graph-arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto-start-reverse" }, s("path", { d: "M0 .6L7.4 4L0 7.4z" }))),
    lines,
    nodes,
    labels,
  );
  svg.style.maxWidth = `max(100%, ${Math.round(smallest * width)}px)`; // then it scrolls
  return svg;
}

const values = (view: GraphView, n: GraphNode): Answer[] => (n.kind === "given" || !n.variable ? [] : (view.top?.(n.variable) ?? []).slice(0, shown));

/** linkOf is the link of a derivation; alternatives that it does not follow have none. */
function linkOf(view: GraphView, e: GraphEdge): Link | undefined {
  const link = e.link === undefined ? undefined : view.links?.[e.link];
  return link && link.probability <= 0 && e.optional ? undefined : link;
}

/** standing is how a link counts: stated, predicted, denied. */
function standing(view: GraphView, e: GraphEdge): string {
  if (e.negated) return "denied";
  const link = linkOf(view, e);
  if (!link) return "open";
  return link.known ? "known" : link.probability <= 0 ? "denied" : "predicted";
}

function isSelected(view: GraphView, part: Part): boolean {
  const chosen = view.selected;
  if (!chosen) return false;
  return "node" in part ? "node" in chosen && chosen.node === part.node : "edge" in chosen && chosen.edge === part.edge;
}

/** chosen makes an element one that can be chosen. */
function choice(view: GraphView, part: Part, kind: string, name: string): SVGGElement {
  const choose = view.choose;
  const element = s("g", { class: `${kind}${isSelected(view, part) ? " selected" : ""}`, "aria-label": name, role: choose ? "treeitem" : "img", tabindex: choose ? 0 : null });
  if (choose) {
    element.addEventListener("click", () => choose(part));
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(part);
    });
  }
  return element;
}

/** seen is what only eyes see: the label says it all, unclipped. */
const seen = (name: string, ...parts: SVGElement[]): SVGGElement => s("g", { "aria-hidden": "true" }, s("title", {}, name), ...parts);

function card(view: GraphView, n: GraphNode, i: number, x: number, y: number, size: GraphSizes): SVGGElement[] {
  const top = values(view, n);
  const what = n.kind === "given" ? `given: ${n.entity}` : `${n.kind === "answer" ? "asked for" : "some"} ${n.variable}${n.entity ? ` = ${n.entity}` : top.length > 0 ? `: ${top.map((a) => a.entity).join(", ")}` : ""}`;
  const g = choice(view, { node: i }, `graph-node ${n.kind}`, what);
  g.setAttribute("transform", `translate(${x} ${y})`);
  const middle = size.width / 2;
  const round = n.kind === "given" ? Math.min(24, size.height / 2) : 10;
  const drawn = seen(what, s("rect", { class: "card", width: size.width, height: size.height, rx: round }));
  g.append(drawn);
  // The values stand beside the card, for eyes alone: its label names them unclipped.
  const members = s("g", { class: `graph-node values ${n.kind}`, transform: `translate(${x} ${y})`, "aria-hidden": "true" });
  const text = (words: string, at: number, kind: string, anchor = "middle", left = middle): void =>
    (anchor === "middle" ? drawn : members).append(s("text", { class: kind, x: left, y: at, "text-anchor": anchor }, clip(words, anchor === "middle" ? 24 : 18)));
  if (n.kind === "given") text(n.entity ?? "", size.height / 2 + 4.5, "title");
  else if (n.entity) {
    text(n.variable ?? "", 19, "variable");
    text(n.entity, 37, "title");
  } else if (top.length === 0) text((n.kind === "answer" ? "?" : "") + n.variable, size.height / 2 + 4.5, "variable");
  else {
    text((n.kind === "answer" ? "?" : "") + n.variable, 20, "variable");
    top.forEach((a, k) => {
      text(a.entity, 40 + 18 * k, `value ${a.known ? "known" : "predicted"}`, "start", 12);
      text(fixed(a.probability), 40 + 18 * k, "number", "end", size.width - 10);
    });
  }
  return top.length > 0 ? [g, members] : [g];
}

/** asked is a relation with what the question says of it: "or" of an alternative, "no" of what may not be together with the rest of a negation. */
function asked(e: GraphEdge, relation: string): string {
  const or = e.optional ? "or " : "";
  if (!e.negated) return or + relation;
  return or + (relation === "=" ? "≠" : `${e.nested ? "no" : "not"} ${relation}`);
}

function label(view: GraphView, e: GraphEdge, i: number, at: { x: number; y: number }): SVGGElement {
  const link = linkOf(view, e);
  const short = e.relation.split(/[/#]/).filter(Boolean).at(-1) ?? e.relation;
  const words = `${asked(e, clip(short, 20))}${link ? ` ${fixed(link.probability)}` : ""}`;
  const g = choice(view, { edge: i }, `graph-label ${standing(view, e)}`, `${asked(e, e.relation)}${link ? `, ${fixed(link.probability)}, ${link.known ? "known" : "predicted"}` : ""}`);
  const width = words.length * 6.6 + 12;
  g.append(seen(asked(e, e.relation), s("rect", { class: "ground", x: at.x - width / 2, y: at.y - 10, width, height: 20, rx: 5 }), s("text", { x: at.x, y: at.y + 4, "text-anchor": "middle" }, words)));
  return g;
}

const clip = (text: string, most: number): string => (text.length <= most ? text : text.slice(0, most - 1).trimEnd() + "…");
