// The reasons for an answer: the chain of facts and predictions that leads to it, for every
// predicted link the paths that speak for it, and what becomes of it without them.

import { idOf, type Counterfactual, type Explanation, type Fact, type Grounding, type Link, type Path } from "./api.ts";
import { counted, fixed, h } from "./dom.ts";
import { inverse, isInverse } from "./expression.ts";
import { badge, words, type Mark } from "./marks.ts";
import type { Trail } from "./picture.ts";
import { derivation } from "./why_graph.ts";

export interface WhyEvents {
  add(fact: Fact): void;
  around(id: string): void;
  close(): void;
}

/** Line is one link of the chain, and how it counts. */
export interface Line {
  step: Grounding;
  link: Link | null; // null where nothing worth naming leads to the entity
}

/** chain lists the relation steps of a grounding in the order in which they are computed. */
export function chain(root: Grounding, links: Link[]): Line[] {
  const before = (root.of ?? []).flatMap((step) => chain(step, links));
  if (root.op !== "project") return before;
  return [...before, { step: root, link: root.link === undefined ? null : (links[root.link] ?? null) }];
}

/** trail gives the entity at every step of the picture; offset is where a part of the question begins in the whole. */
export function trail(root: Grounding, offset: number): Trail {
  const all = new Map<number, string>();
  const walk = (g: Grounding): void => {
    if (!g.negated && !g.aside) all.set(g.step + offset, idOf(g));
    g.of?.forEach(walk);
  };
  walk(root);
  return all;
}

/** stated writes a step as the graph would state it: an inverse one from its tail. */
export const stated = ({ head, head_id, relation, tail, tail_id }: Fact): Fact =>
  isInverse(relation)
    ? { head: tail, head_id: tail_id, relation: inverse(relation), tail: head, tail_id: head_id }
    : { head, head_id, relation, tail, tail_id };

const factText = (f: Fact): HTMLElement =>
  h("span", { class: "fact" }, h("b", {}, f.head), " ", h("span", { class: "via" }, f.relation), " ", h("b", {}, f.tail));

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
    const links = e.links ?? [];
    if (e.derivation) return this.showDerivation(e, mark);
    const lines = e.grounding ? chain(e.grounding, links) : [];
    const predicted = lines.flatMap(({ step, link }) => (link && !link.known && !step.aside ? [{ step, link }] : []));
    this.fill(
      e.answer.entity,
      [
        h("span", { class: `verdict ${mark}` }, badge(mark), `${words[mark]}: ${fixed(e.answer.probability)}`),
        h("button", { type: "button", class: "quiet", onclick: () => this.events.around(idOf(e.answer)) }, "Look around"),
      ],
      e.grounding ? this.values(e.grounding) : h("p", {}, "Nothing in the graph leads here."),
      lines.length > 0 ? h("ol", { class: "chain", "aria-label": "The chain that leads to the answer" }, ...lines.map((line) => this.line(line))) : "",
      ...predicted.map(({ step, link }) => this.reasons(step, link)),
      lines.length > 0 && lines.every(({ link }) => link?.known) ? h("p", { class: "note" }, "Every link of the chain is stated in the graph.") : "",
    );
  }

  /** showDerivation is show of an answer to a question that is no tree. */
  private showDerivation(e: Explanation, mark: Mark): void {
    const predicted = (e.links ?? []).filter((link) => !link.known && link.probability >= 0.005);
    const step = (link: Link): Grounding => ({ op: "project", step: 0, entity: link.tail, probability: link.probability, known: false });
    this.fill(
      e.answer.entity || (e.answer.probability >= 0.5 ? "yes" : "no"),
      [h("span", { class: `verdict ${mark}` }, badge(mark), `${words[mark]}: ${fixed(e.answer.probability)}`)],
      ...derivation(e),
      ...predicted.map((link) => this.reasons(step(link), link)),
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

  /** values names the best assignment of the question's variables. */
  private values(root: Grounding): HTMLElement {
    const found: string[] = [];
    const walk = (g: Grounding): void => {
      g.of?.forEach(walk);
      if (g.variable && !g.negated && !g.aside) found.push(`${g.variable} = ${g.entity}`);
    };
    walk(root);
    return h("p", { class: "values" }, "The strongest chain", ...(found.length > 0 ? [" has ", ...found.flatMap((v, i) => [i > 0 ? ", " : "", h("code", {}, v)])] : []), ":");
  }

  private line({ step, link }: Line): HTMLElement {
    if (!link) return this.loose(step);
    const mark: Mark = link.known ? "known" : "predicted";
    return h(
      "li",
      { class: `line ${mark}` },
      step.negated ? h("span", { class: "not" }, "not:") : null,
      factText(stated(link)),
      h("span", { class: `verdict ${mark}` }, badge(mark), link.known ? "known" : `predicted, ${fixed(link.probability)}`),
    );
  }

  /** loose is a step that nothing worth naming leads along: what a negation wants. */
  private loose(step: Grounding): HTMLElement {
    const from = step.of?.[0]?.op === "entity" ? step.of[0].entity : "anything before it";
    return h(
      "li",
      { class: "line" },
      step.negated ? h("span", { class: "not" }, "not:") : null,
      factText(stated({ head: from, relation: step.relation ?? "", tail: step.entity })),
      h("span", { class: "verdict" }, `nothing speaks for it, ${fixed(step.probability)}`),
    );
  }

  private reasons(step: Grounding, link: Link): HTMLElement {
    const fact = stated(link);
    const confirm = h("button", { type: "button", class: "quiet confirm", onclick: () => this.events.add(fact) }, "Add this fact to the graph");
    const paths = link.paths ?? [];
    const most = Math.max(...paths.map((p) => Math.abs(p.weight)), 1e-9);
    return h(
      "section",
      { class: "reasons" },
      h("h3", {}, step.negated ? "What would speak for " : "What speaks for ", factText(fact)),
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
      h("span", { class: "walk" }, h("b", {}, start), ...walk),
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
