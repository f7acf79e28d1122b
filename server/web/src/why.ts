// The reasons for an answer: the links that lead to it, for every predicted one the paths
// that speak for it, and what becomes of it without them.

import { idOf, type Counterfactual, type Explanation, type Fact, type Link, type Path } from "./api.ts";
import { counted, fixed, h } from "./dom.ts";
import { badge, words, type Mark } from "./marks.ts";
import { derivation } from "./why_graph.ts";

export interface WhyEvents {
  add(fact: Fact): void;
  around(id: string): void;
  close(): void;
}

const factText = (f: Fact): HTMLElement =>
  h("span", { class: "fact" }, h("b", {}, f.head), " ", h("span", { class: "via" }, f.relation), " ", h("b", {}, f.tail));

const leastShown = 0.005; // of a prediction that reasons are given for

export class WhyPanel {
  constructor(
    private readonly element: HTMLElement,
    private readonly events: WhyEvents,
  ) {
    element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") events.close();
    });
  }

  close(): void {
    this.element.hidden = true;
    this.element.replaceChildren();
  }

  wait(entity: string): void {
    this.fill(entity, [], h("p", { class: "waiting", role: "status" }, "Looking for the reasons …"));
  }

  fail(entity: string, message: string): void {
    this.fill(entity, [], h("p", { class: "problem", role: "alert" }, message));
  }

  show(e: Explanation, mark: Mark): void {
    const { nodes, edges } = e.derivation;
    const links = e.links ?? [];
    const denied = new Set(edges.flatMap((edge) => (edge.negated ? [edge.link] : [])));
    const head: Node[] = [h("span", { class: `verdict ${mark}` }, badge(mark), `${e.answer.implied ? `implied by ${e.answer.implied}` : words[mark]}: ${fixed(e.answer.probability)}`)];
    if (nodes.filter((n) => n.kind === "answer").length === 1)
      head.push(h("button", { type: "button", class: "quiet", onclick: () => this.events.around(idOf(e.answer)) }, "Look around"));
    this.fill(
      e.answer.entity || (e.answer.probability >= 0.5 ? "yes" : "no"),
      head,
      ...derivation(e),
      ...links.flatMap((link, i) => (link.known || link.probability < leastShown ? [] : [this.reasons(link, denied.has(i))])),
      ...links.flatMap((l) => (l.implied ? [h("p", { class: "note" }, `The graph implies ${l.relation}(${l.head}, ${l.tail}) by ${l.implied}.`)] : [])),
      edges.every((edge) => links[edge.link ?? -1]?.known && !links[edge.link ?? -1]?.implied && !edge.negated) ? h("p", { class: "note" }, "The graph states every one of these links.") : "",
    );
  }

  private fill(entity: string, head: Node[], ...content: (Node | string)[]): void {
    this.element.hidden = false;
    const close = h("button", { type: "button", class: "close", "aria-label": "Close the explanation", onclick: () => this.events.close() }, "✕");
    this.element.replaceChildren(
      h("div", { class: "head" }, h("h2", { tabindex: -1, id: "why-title" }, `Why ${entity}?`), ...head, close),
      ...content.filter((c) => c !== ""),
    );
  }

  focus(): void {
    this.element.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
  }

  private reasons(link: Link, denied: boolean): HTMLElement {
    const confirm = h("button", { type: "button", class: "quiet confirm", onclick: () => this.events.add(link) }, "Add this fact to the graph");
    const paths = link.paths ?? [];
    const most = Math.max(...paths.map((p) => Math.abs(p.weight)), 1e-9);
    return h(
      "section",
      { class: "reasons" },
      h("h3", {}, denied ? "What would speak for " : "What speaks for ", factText(link)),
      paths.length > 0
        ? h("ol", { class: "paths" }, ...paths.map((p) => this.path(p, most, link.head)))
        : h("p", { class: "note" }, "No path of stated facts contributes."),
      link.counterfactual ? this.counterfactual(link.counterfactual) : null,
      confirm,
    );
  }

  /** path is a walk over stated facts; against the arrow where it reads one backwards. */
  private path(p: Path, most: number, start: string): HTMLElement {
    const bar = h("span", { class: `bar ${p.weight < 0 ? "contested" : "known"}` });
    bar.style.width = `${Math.max(3, (100 * Math.abs(p.weight)) / most)}%`;
    const walk = p.edges.flatMap((e) => [
      " ", // a line may break here
      h("span", { class: e.inverse ? "via back" : "via" }, e.relation),
      " ",
      h("b", {}, e.inverse ? e.head : e.tail),
    ]);
    return h(
      "li",
      {},
      h("span", { class: "weight" }, h("span", { class: "rail", "aria-hidden": "true" }, bar), h("span", { class: "value" }, p.weight.toFixed(2))),
      h("span", { class: "walk" }, h("b", {}, start), ...walk, p.alike ? h("span", { class: "alike" }, ` and ${counted(p.alike, "more path")} by the same relations`) : null),
    );
  }

  private counterfactual(c: Counterfactual): HTMLElement {
    const facts = c.removed.length === 1 ? "this fact" : `these ${c.removed.length} facts`;
    const row = (label: string, p: number, mark: Mark): HTMLElement => {
      const bar = h("span", { class: `bar ${mark}` });
      bar.style.width = `${Math.max(1, 100 * p)}%`;
      return h("div", { class: "measure" }, h("dt", {}, label), h("dd", {}, h("span", { class: "rail", "aria-hidden": "true" }, bar), h("span", { class: "value" }, fixed(p))));
    };
    return h(
      "div",
      { class: "counterfactual" },
      h("h4", {}, "Would it still be predicted without them?"),
      h(
        "dl",
        {},
        row("With all facts", c.before, "predicted"),
        row(`Without ${facts}`, c.after, "predicted"),
        c.control ? row(`Without ${counted(c.control.removed, "other")} nearby`, c.control.after, "predicted") : null,
      ),
    );
  }
}
