// The operator tree as a picture: the paper's figure with the fuzzy set of every node in it.
// It is an ARIA tree: one tab stop, arrows to walk, Enter to open an entity or edit a node.

import { idOf, type Answer, type Result } from "./api.ts";
import { about, fixed, s, type Child } from "./dom.ts";
import { at, describe, fromSteps, isInverse, type Expr, type Place } from "./expression.ts";
import { flow, flowEdge, outline, outlineEdge, type Box, type Picture, type Placed, type Shape } from "./layout.ts";
import { icon, markOf, words } from "./marks.ts";

export interface PictureEvents {
  select(place: Place): void;
  explain(place: Place, id: string): void;
}

const size = { least: 212, most: 292, leaf: 44, header: 38, row: 23, rows: 6, bottom: 9, bar: 30, pad: 3, narrow: 640, readable: 0.78 };
const glyphs: Record<Expr["op"], string> = { entity: "", everything: "∗", project: "→", and: "∧", or: "∨", not: "¬" };
const titles: Record<Expr["op"], string> = {
  entity: "a given entity",
  everything: "every entity",
  project: "what a relation leads to",
  and: "in all of the sets",
  or: "in one of the sets or more",
  not: "everything that is not in the set",
};

/** Chosen entities of an explanation: the entity shown at each step. */
export type Trail = ReadonlyMap<number, string>;

export class TreePicture {
  readonly element = s("svg", { class: "tree", role: "tree", "aria-label": "The question as a tree of set operations" });
  private result: Result | null = null;
  private expr: Expr | null = null;
  private trail: Trail = new Map();
  private selected: string | null = null;
  private focus = "";
  private readonly measure = document.createElement("canvas").getContext("2d");

  constructor(
    private readonly frame: HTMLElement,
    private readonly events: PictureEvents,
  ) {
    frame.append(this.element);
    this.element.addEventListener("keydown", (event) => this.key(event));
    let width = frame.clientWidth;
    new ResizeObserver(() => {
      if (frame.clientWidth === width) return;
      width = frame.clientWidth;
      this.draw();
    }).observe(frame);
  }

  get expression(): Expr | null {
    return this.expr;
  }

  /** show draws another result. */
  show(result: Result | null): void {
    this.result = result;
    this.expr = result ? fromSteps(result.steps) : null;
    this.selected = null;
    this.trail = new Map();
    this.draw();
  }

  select(place: Place | null): void {
    this.selected = place ? key(place) : null;
    if (place) this.focus = key(place);
    this.draw();
  }

  /** mark shows which entities an explanation goes through. */
  mark(trail: Trail): void {
    this.trail = trail;
    this.draw();
  }

  refocus(): void {
    this.items().find((item) => item.dataset.key === this.focus)?.focus();
  }

  private draw(): void {
    const hadFocus = this.element.contains(document.activeElement);
    this.element.replaceChildren(hatches());
    this.frame.hidden = !this.expr;
    if (!this.expr || !this.result) return;
    const room = this.frame.clientWidth;
    const narrow = room < size.narrow || room < this.needs(this.expr);
    const picture = narrow ? outline(this.shape(this.expr, size.least), room - 2 * size.pad) : this.fitted(this.expr, room - 2 * size.pad);
    const scale = narrow ? 1 : Math.min(1, room / (picture.width + 2 * size.pad));
    this.resize(picture, scale);
    const edges = s("g", { class: "edges", "aria-hidden": "true" });
    this.element.append(edges);
    this.place(this.expr, picture.root, [], edges, narrow ? outlineEdge : flowEdge);
    this.rove();
    if (hadFocus) this.refocus();
  }

  /** needs is the width below which the flow of a deep question would be too small to read: it is an outline then. */
  private needs(e: Expr): number {
    return (flow(this.shape(e, size.least)).width + 2 * size.pad) * size.readable;
  }

  /** fitted makes the cards as wide as there is room for. */
  private fitted(e: Expr, room: number): Picture {
    const wide = flow(this.shape(e, size.most));
    const missing = Math.max(0, wide.width - room) / Math.max(1, depth(e) - 1);
    return missing === 0 ? wide : flow(this.shape(e, Math.max(size.least, size.most - Math.ceil(missing))));
  }

  private resize(picture: Picture, scale: number): void {
    const [width, height] = [picture.width + 2 * size.pad, picture.height + 2 * size.pad];
    this.element.setAttribute("viewBox", `${-size.pad} ${-size.pad} ${width} ${height}`);
    this.element.setAttribute("width", String(width * scale));
    this.element.setAttribute("height", String(height * scale));
  }

  private top(e: Expr): Answer[] {
    return excerpt(this.result?.steps[e.step ?? -1]?.top ?? [], size.rows, this.trail.get(e.step ?? -1));
  }

  private shape(e: Expr, width: number): Shape {
    const of = e.of.map((operand) => this.shape(operand, width));
    if (e.op === "entity") return { width: Math.min(size.least, 34 + this.width(e.name, 600)), height: size.leaf, of };
    return { width, height: size.header + Math.max(1, this.top(e).length) * size.row + size.bottom, of };
  }

  /** place draws a node, then its operands: the order in which a reader walks them. */
  private place(e: Expr, placed: Placed, place: Place, edges: SVGGElement, edge: (from: Box, to: Box) => string): void {
    this.element.append(e.op === "entity" ? this.leaf(e, placed.box, place) : this.set(e, placed.box, place));
    if (e.op !== "entity") this.rows(e, placed.box, place);
    placed.of.forEach((child, i) => {
      edges.append(s("path", { d: edge(child.box, placed.box), "marker-end": "url(#arrow)" }));
      this.place(e.of[i]!, child, [...place, i], edges, edge);
    });
  }

  private item(place: Place, kind: string, label: string, box: Box): SVGGElement {
    const id = key(place);
    const item = s("g", {
      role: "treeitem",
      class: `node ${kind}${this.selected === id ? " selected" : ""}${place.length === 0 ? " answer" : ""}`,
      transform: `translate(${box.x} ${box.y})`,
      "data-key": id,
      "aria-level": place.length + 1,
      "aria-selected": String(this.selected === id),
      "aria-label": label,
      tabindex: -1,
      onclick: () => this.choose(id),
    });
    return item;
  }

  private leaf(e: Expr, box: Box, place: Place): SVGGElement {
    const item = this.item(place, "leaf", `the entity ${e.name}`, box);
    const name = this.clip(e.name, box.width - 28, 600);
    const parts = drawing(
      s("rect", { class: "card", width: box.width, height: box.height, rx: box.height / 2 }),
      s("text", { class: "title", x: box.width / 2, y: box.height / 2 + 4.5, "text-anchor": "middle" }, name),
      s("title", {}, e.name),
    );
    item.append(parts);
    return item;
  }

  private set(e: Expr, box: Box, place: Place): SVGGElement {
    const count = about(this.result?.steps[e.step ?? -1]?.cardinality ?? 0);
    const label = `${titles[e.op]}, ${describe(e)}, about ${count} ${count === "1" ? "entity" : "entities"}`;
    const item = this.item(place, e.op, label, box);
    const room = box.width - 62 - this.width(count, 600);
    const parts = drawing(
      s("rect", { class: "card", width: box.width, height: box.height, rx: 10 }),
      s("rect", { class: "handle", x: 0.5, y: 0.5, width: box.width - 1, height: size.header - 4, rx: 9.5 }),
      s("circle", { class: "operator", cx: 20, cy: 18, r: 10.5 }),
      s("text", { class: "glyph", x: 20, y: 22.5, "text-anchor": "middle" }, e.op === "project" && isInverse(e.name) ? "←" : glyphs[e.op]),
      s("text", { class: "title", x: 38, y: 22.5 }, this.clip(describe(e), room, 600)),
      s("text", { class: "count", x: box.width - 12, y: 22.5, "text-anchor": "end" }, count),
      s("title", {}, label),
    );
    item.append(parts);
    return item;
  }

  private rows(e: Expr, box: Box, place: Place): void {
    const top = this.top(e);
    top.forEach((a, i) => this.element.append(this.row(e, a, box, box.y + size.header + i * size.row, place)));
    if (top.length > 0) return;
    this.element.append(s("text", { class: "nobody", x: box.x + 14, y: box.y + size.header + 15 }, "no entity"));
  }

  private row(e: Expr, a: Answer, box: Box, y: number, place: Place): SVGGElement {
    const mark = markOf(a);
    const chosen = this.trail.get(e.step ?? -1) === idOf(a);
    const id = `${key(place)}/${idOf(a)}`;
    const item = s("g", {
      role: "treeitem",
      class: `row ${mark}${chosen ? " chosen" : ""}`,
      transform: `translate(${box.x} ${y})`,
      "data-key": id,
      "data-entity": idOf(a),
      "aria-level": place.length + 2,
      "aria-label": `${a.entity}, ${fixed(a.probability)}, ${words[mark]}`,
      tabindex: -1,
      onclick: () => this.choose(id),
    });
    item.append(this.member(a, box.width, chosen));
    return item;
  }

  /** member draws an entity of a set: its mark, its name, a bar and the number. */
  private member(a: Answer, width: number, chosen: boolean): SVGGElement {
    const mark = markOf(a);
    const hasBar = width >= size.least + 20; // where it is narrow, names have its room
    const bar = width - (hasBar ? size.bar : 0) - 44;
    return drawing(
      s("rect", { class: "hit", x: 4, width: width - 8, height: size.row, rx: 5 }),
      icon(mark, 12, 5.5),
      s("text", { class: "name", x: 30, y: 15.5 }, this.clip(a.entity, bar - 36, chosen ? 600 : 400)),
      hasBar && s("rect", { class: "rail", x: bar, y: 8, width: size.bar, height: 7, rx: 3.5 }),
      hasBar && s("rect", { class: "bar", x: bar, y: 8, width: Math.max(2, size.bar * a.probability), height: 7, rx: 3.5 }),
      s("text", { class: "value", x: width - 12, y: 15.5, "text-anchor": "end" }, fixed(a.probability)),
      s("title", {}, `${a.entity}: ${fixed(a.probability)}, ${words[mark]}. Why?`),
    );
  }

  private width(text: string, weight: number): number {
    if (!this.measure) return text.length * 7;
    this.measure.font = `${weight} 13px ${getComputedStyle(this.frame).fontFamily}`;
    return this.measure.measureText(text).width;
  }

  /** clip shortens a name to the room it has; its whole stands in the tooltip and the label. */
  private clip(text: string, room: number, weight: number): string {
    if (this.width(text, weight) <= room) return text;
    // What tells paths like /people/person/place_of_birth and addresses apart is their end.
    const cut = /^(\/|\w+:\/\/)/.test(text) ? (n: number): string => "…" + text.slice(-n) : (n: number): string => text.slice(0, n).trimEnd() + "…";
    let length = text.length - 1;
    while (length > 1 && this.width(cut(length), weight) > room) length--;
    return cut(length);
  }

  private items(): SVGGElement[] {
    return [...this.element.querySelectorAll<SVGGElement>("[role=treeitem]")];
  }

  /** rove leaves one item in the tab order: the last that was used, or the answer. */
  private rove(): void {
    const items = this.items();
    const current = items.find((item) => item.dataset.key === this.focus) ?? items[0];
    for (const item of items) item.setAttribute("tabindex", item === current ? "0" : "-1");
    this.focus = current?.dataset.key ?? "";
  }

  private choose(id: string): void {
    this.focus = id;
    this.rove();
    const [node = "", entity] = split(id);
    const place = parse(node);
    if (entity !== undefined) this.events.explain(place, entity);
    else this.events.select(place);
  }

  private key(event: KeyboardEvent): void {
    const items = this.items();
    const here = items.findIndex((item) => item.dataset.key === this.focus);
    const to = this.target(event.key, items, here);
    if (to === "choose") this.choose(this.focus);
    else if (to) {
      this.focus = to.dataset.key ?? "";
      this.rove();
      to.focus();
    } else return;
    event.preventDefault();
  }

  /** Up and down walk the items as they are read; left and right go to an operand and back towards the answer. */
  private target(pressed: string, items: SVGGElement[], here: number): SVGGElement | "choose" | undefined {
    const place = parse(split(this.focus)[0] ?? "");
    const node = (p: Place): SVGGElement | undefined => items.find((item) => item.dataset.key === key(p));
    const inside = node([...place, 0]);
    const outside = this.focus.includes("/") ? node(place) : node(place.slice(0, -1));
    const wide = this.frame.clientWidth >= size.narrow;
    switch (pressed) {
      case "ArrowDown":
        return items[here + 1];
      case "ArrowUp":
        return items[here - 1];
      case "ArrowLeft":
        return wide ? inside : outside;
      case "ArrowRight":
        return wide ? outside : inside;
      case "Home":
        return items[0];
      case "End":
        return items.at(-1);
      case "Enter":
      case " ":
        return "choose";
    }
    return undefined;
  }

  /** at gives the node of a place. */
  at(place: Place): Expr | null {
    return this.expr ? at(this.expr, place) : null;
  }
}

/**
 * excerpt chooses which members of a set to show: up to half of them predicted ones, though
 * known ones often outnumber and outrank them, and the one that an explanation goes through.
 */
export function excerpt(top: Answer[], most: number, chosen?: string): Answer[] {
  const predicted = top.filter((a) => !a.known);
  const guesses = Math.max(Math.min(predicted.length, most / 2), most - (top.length - predicted.length));
  const shown = new Set([...top.filter((a) => a.known).slice(0, most - Math.min(guesses, predicted.length)), ...predicted.slice(0, guesses)]);
  const wanted = top.find((a) => idOf(a) === chosen);
  if (wanted && !shown.has(wanted)) {
    shown.delete(top.findLast((a) => shown.has(a) && a.known === wanted.known)!);
    shown.add(wanted);
  }
  return top.filter((a) => shown.has(a));
}

/** drawing is what only eyes see: an item's label says it all, unclipped. */
const drawing = (...parts: Child[]): SVGGElement => s("g", { "aria-hidden": "true" }, ...parts);

const depth = (e: Expr): number => 1 + Math.max(0, ...e.of.map(depth));

const key = (place: Place): string => "n" + place.join(".");
const parse = (id: string): Place => (id.length > 1 ? id.slice(1).split(".").map(Number) : []);
const split = (id: string): string[] => {
  const slash = id.indexOf("/");
  return slash < 0 ? [id] : [id.slice(0, slash), id.slice(slash + 1)];
};

/** Predicted bars are hatched, so that they can be told from known ones without colour. */
function hatches(): SVGDefsElement {
  const hatch = (mark: string): SVGPatternElement =>
    s(
      "pattern",
      { id: `hatch-${mark}`, class: `hatch ${mark}`, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      s("rect", { class: "ground", width: 5, height: 5 }),
      s("rect", { class: "line", width: 2.6, height: 5 }),
    );
  const arrow = s(
    "marker",
    { id: "arrow", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
    s("path", { d: "M0 .8L7 4L0 7.2z" }),
  );
  return s("defs", {}, ...["predicted", "right", "wrong"].map(hatch), arrow);
}
