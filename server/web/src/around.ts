// The neighbourhood of an entity as a graph: it stands in the middle, what leads to it on the
// left, what it leads to on the right. A neighbour becomes the middle when it is chosen.

import * as api from "./api.ts";
import { catalogue } from "./catalogue.ts";
import { counted, fixed, h, s, show } from "./dom.ts";
import { inverse, isInverse } from "./expression.ts";
import { quote } from "./formula.ts";
import { curve, type Box } from "./layout.ts";
import type { View } from "./link.ts";
import type { Option } from "./listbox.ts";
import { NetworkView } from "./network_view.ts";
import { Picker } from "./picker.ts";
import * as suggest from "./suggest.ts";

export interface AroundEvents {
  ask(question: string): void;
  explain(question: string, id: string): void;
  canPredict(): boolean;
  moved(): void; // another entity is looked at, or none: the address follows
}

/** Group is what one relation links to the entity, in one direction. */
export interface Group {
  relation: string; // without its direction
  inverse: boolean;
  count: number;
  neighbours: { name: string; id: string; probability?: number }[]; // with a probability: predicted
}

/** groups reads the facts of an entity and its likely missing ones, which all begin with it, relation by relation: first those with something likely, which was asked for. */
export function groups(of: api.Neighbourhood): Group[] {
  const all: Group[] = (of.relations ?? []).map((r) => ({
    relation: r.base,
    inverse: r.inverse,
    count: r.count,
    neighbours: (r.examples ?? []).map((name, i) => ({ name, id: r.example_ids?.[i] ?? name })),
  }));
  for (const fact of of.likely ?? []) {
    const backwards = isInverse(fact.relation);
    const relation = backwards ? inverse(fact.relation) : fact.relation;
    let group = all.find((g) => g.relation === relation && g.inverse === backwards);
    if (!group) all.push((group = { relation, inverse: backwards, count: 0, neighbours: [] }));
    group.neighbours.push({ name: fact.tail, id: fact.tail_id ?? fact.tail, probability: fact.probability });
  }
  const hasLikely = (g: Group): boolean => g.neighbours.some((n) => n.probability !== undefined);
  return [...all.filter(hasLikely), ...all.filter((g) => !hasLikely(g))];
}

/** question asks for all that a group holds. */
export const question = (id: string, g: Pick<Group, "relation" | "inverse">): string =>
  g.inverse ? `?x : ${quote(g.relation)}(x, ${quote(id)})` : `?x : ${quote(g.relation)}(${quote(id)}, x)`;

const mostGroups = 8; // of a side, before the rest is offered

export class AroundPanel {
  private current: api.Neighbourhood | null = null;
  private asNetwork = false;
  private moves = 0; // that going back takes back
  private opener: Element | null = null;
  private turn = 0;
  private readonly edges = s("svg", { class: "edges", "aria-hidden": "true" });

  constructor(
    private readonly element: HTMLElement,
    private readonly events: AroundEvents,
  ) {
    element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
    new ResizeObserver(() => this.connect()).observe(element);
  }

  /** view is what the address says of the panel. */
  get view(): View | null {
    return this.current && { entity: this.current.id, network: this.asNetwork };
  }

  close(): void {
    if (this.element.hidden) return;
    this.element.hidden = true;
    this.moves = 0;
    const moved = this.current !== null;
    this.current = null;
    if (moved) this.events.moved();
    if (this.opener instanceof HTMLElement) this.opener.focus();
  }

  /** search opens the panel for a name to be typed, above what the graph holds. */
  search(): void {
    this.opener = document.activeElement;
    this.current = null;
    this.explore();
    show(this.element);
    this.element.querySelector<HTMLElement>("input")?.focus({ preventScroll: true });
  }

  private explore(...problem: Node[]): void {
    this.frame("Explore the graph", ...problem, this.picker(), catalogue({ ask: this.events.ask, open: (id) => this.open(id) }));
  }

  /** open puts an entity into the middle. */
  open(id: string): void {
    if (this.element.hidden) this.opener = document.activeElement;
    if (this.current) this.moves++;
    void this.load(id, 0).then(() => this.events.moved());
  }

  /** follow shows what the address says: the browser went back or on, or a link was opened. */
  follow(view: View | null): void {
    if (!view) return this.close();
    if (view.entity === this.current?.id && view.network === this.asNetwork) return;
    this.moves = Math.max(0, this.moves - 1);
    this.asNetwork = view.network;
    void this.load(view.entity, 0);
  }

  private async load(id: string, likely: number): Promise<void> {
    const turn = ++this.turn;
    try {
      const found = await api.entity(id, likely);
      if (turn !== this.turn) return;
      this.current = found;
      this.draw(found, likely > 0);
    } catch (error) {
      if (turn !== this.turn) return;
      this.current = null;
      this.explore(h("p", { class: "problem", role: "alert" }, error instanceof Error ? error.message : String(error)));
    }
    show(this.element);
    this.element.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
  }

  private picker(): HTMLElement {
    const source = async (typed: string): Promise<Option[]> => (typed === "" ? [] : suggest.entities(typed)); // the lists below show what there is
    return new Picker("Entity", "Type a name …", source, (name) => this.open(name)).element;
  }

  private frame(title: string, ...content: Node[]): void {
    const close = h("button", { type: "button", class: "close", "aria-label": "Close the neighbourhood", onclick: () => this.close() }, "✕");
    this.element.hidden = false;
    this.element.replaceChildren(h("div", { class: "head" }, h("h2", { tabindex: -1, id: "around-title" }, title), ...this.back(), close), ...content);
  }

  private back(): Node[] {
    return this.moves > 0 ? [h("button", { type: "button", class: "quiet back", onclick: () => history.back() }, "Back")] : [];
  }

  /** forms choose between a list of facts and a network. */
  private forms(of: api.Neighbourhood): HTMLElement {
    const form = (label: string, network: boolean): HTMLElement =>
      h("button", { type: "button", "aria-pressed": String(network === this.asNetwork), onclick: () => this.setForm(of, network) }, label);
    return h("div", { class: "segments", role: "group", "aria-label": "How it is shown" }, form("List", false), form("Network", true));
  }

  private setForm(of: api.Neighbourhood, network: boolean): void {
    if (network === this.asNetwork) return;
    this.asNetwork = network;
    this.moves++;
    this.draw(of, false);
    this.events.moved();
  }

  private draw(of: api.Neighbourhood, predicted: boolean): void {
    if (!this.asNetwork) return this.drawList(of, predicted);
    const network = new NetworkView({
      list: (id) => {
        this.asNetwork = false;
        this.open(id);
      },
    });
    this.frame(`Around ${of.name}`, this.forms(of), network.element);
    network.start(of);
  }

  private drawList(of: api.Neighbourhood, predicted: boolean): void {
    const all = groups(of);
    const side = (inverse: boolean): HTMLElement =>
      h("ul", { class: inverse ? "side in" : "side out", "aria-label": inverse ? `What leads to ${of.name}` : `What ${of.name} leads to` }, ...this.side(of, all.filter((g) => g.inverse === inverse)));
    const facts = counted(of.facts, "fact");
    const centre = h("p", { class: "centre" }, h("strong", {}, of.name), of.id !== of.name ? h("span", { class: "id" }, of.id) : null, h("span", { class: "id" }, facts));
    const sides = [true, false].filter((inverse) => all.some((g) => g.inverse === inverse));
    const parts = [...(sides.includes(true) ? [side(true)] : []), centre, ...(sides.includes(false) ? [side(false)] : [])];
    this.frame(`Around ${of.name}`, this.forms(of), h("div", { class: `map sides-${sides.map((inverse) => (inverse ? "in" : "out")).join("-")}` }, this.edges, ...parts), h("div", { class: "foot" }, ...this.offers(of, all, predicted)));
    this.connect();
  }

  /** side lists the groups of a direction; those beyond the first are behind a line that opens. */
  private side(of: api.Neighbourhood, list: Group[]): HTMLElement[] {
    const items = list.map((g) => this.group(of, g));
    if (items.length <= mostGroups) return items;
    const rest = items.slice(mostGroups);
    rest.forEach((item) => (item.hidden = true));
    const more = h("li", { class: "rest" });
    const open = (): void => {
      rest.forEach((item) => (item.hidden = false));
      more.remove();
      this.connect();
      rest[0]?.querySelector("button")?.focus();
    };
    more.append(h("button", { type: "button", class: "quiet", onclick: open }, `${rest.length} more relations`));
    return [...items, more];
  }

  private group(of: api.Neighbourhood, g: Group): HTMLElement {
    const stated = g.neighbours.filter((n) => n.probability === undefined).length;
    const more = g.count - stated;
    const ask = h("button", { type: "button", class: "more", onclick: () => this.events.ask(question(of.id, g)) }, `${more.toLocaleString("en")} more`);
    const list = h("ul", {}, ...g.neighbours.map((n) => h("li", {}, this.neighbour(of, g, n))), more > 0 ? h("li", {}, ask) : null);
    return h("li", { class: `group${stated === 0 ? " likely" : ""}` }, h("span", { class: "relation" }, g.relation), list);
  }

  private neighbour(of: api.Neighbourhood, g: Group, n: Group["neighbours"][number]): HTMLElement {
    if (n.probability === undefined) return h("button", { type: "button", "data-entity": n.id, onclick: () => this.open(n.id) }, n.name);
    const why = (): void => this.events.explain(question(of.id, g), n.id);
    return h("button", { type: "button", class: "likely", "data-entity": n.id, title: `Predicted. Why ${n.name}?`, onclick: why }, n.name, h("span", { class: "value" }, fixed(n.probability)));
  }

  private offers(of: api.Neighbourhood, all: Group[], predicted: boolean): Node[] {
    if (predicted) {
      const some = all.some((g) => g.neighbours.some((n) => n.probability !== undefined));
      return [h("p", { class: "hint" }, some ? "Dashed: predicted, with its probability. Choose one to see why." : "Nothing is likely enough to be missing here.")];
    }
    if (!this.events.canPredict()) return [];
    const note = h("p", { class: "hint", role: "status" });
    const look = h("button", { type: "button", class: "quiet missing" }, "What may be missing?");
    look.addEventListener("click", () => {
      look.disabled = true;
      note.textContent = "The model is looking …";
      void this.load(of.id, 12);
    });
    return [look, note];
  }

  /** connect draws the edges between the middle and the groups, where these stand beside it. */
  private connect(): void {
    const map = this.element.querySelector(".map");
    const middle = this.element.querySelector(".centre");
    if (!map || !middle) return;
    const origin = map.getBoundingClientRect();
    const box = (e: Element): Box => {
      const r = e.getBoundingClientRect();
      return { x: r.left - origin.left, y: r.top - origin.top, width: r.width, height: r.height };
    };
    this.edges.setAttribute("viewBox", `0 0 ${origin.width} ${origin.height}`);
    const beside = getComputedStyle(this.edges).display !== "none";
    const all = beside ? [...this.element.querySelectorAll<HTMLElement>(".group")].filter((g) => !g.hidden) : [];
    const centre = box(middle);
    this.edges.replaceChildren(
      s("defs", {}, s("marker", { id: "leads", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, s("path", { d: "M0 .8L7 4L0 7.2z" }))),
      ...all.map((g) => {
        const inverse = g.closest(".in") !== null;
        const d = inverse ? curve(box(g), centre) : curve(centre, box(g));
        return s("path", { d, class: g.classList.contains("likely") ? "likely" : "", "marker-end": "url(#leads)" });
      }),
    );
  }
}
