// The derivation of an answer to a question that is no tree: a graph with a value for every variable, and its links one by one.

import type { Explanation } from "./api.ts";
import { fixed, h } from "./dom.ts";
import { drawGraph } from "./graph_picture.ts";
import { badge, type Mark } from "./marks.ts";
import type { GraphNode } from "./question_graph.ts";

/** derivation draws it and lists its links. */
export function derivation(e: Explanation): HTMLElement[] {
  const graph = e.derivation!;
  const links = e.links ?? [];
  const name = (n: GraphNode | undefined): string => n?.entity ?? n?.variable ?? "";
  const lines = graph.edges.map((edge) => {
    const link = edge.link === undefined ? undefined : links[edge.link];
    const mark: Mark = link?.known ? "known" : "predicted";
    const said = !link ? "no value" : link.known ? "known" : link.probability <= 0 ? "not found" : `predicted, ${fixed(link.probability)}`;
    return h(
      "li",
      { class: `line ${mark}` },
      edge.negated ? h("span", { class: "not" }, "not:") : null,
      h("span", { class: "fact" }, h("b", {}, name(graph.nodes[edge.from])), " ", h("span", { class: "via" }, edge.relation), " ", h("b", {}, name(graph.nodes[edge.to]))),
      edge.relation === "=" ? null : h("span", { class: `verdict ${mark}` }, badge(mark), said),
      edge.closes_cycle ? h("span", { class: "note" }, "↺ closes a cycle") : null,
    );
  });
  return [
    e.missing ? h("p", { class: "values" }, "Nothing leads to it. What lacks is ", h("code", {}, e.missing), ".") : h("p", { class: "values" }, "The strongest derivation:"),
    h("div", { class: "picture graph", tabindex: 0, role: "group", "aria-label": "The derivation as a graph" }, drawGraph({ graph, links })),
    h("ol", { class: "chain", "aria-label": "The links of the derivation" }, ...lines),
  ];
}
