// The neighbourhood of an entity as a network that grows by clicking: a node shows its neighbours, and what its links are.

import * as api from "./api.ts";
import { counted, h, s, unique } from "./dom.ts";
import { add, arrange, bounds, empty, type Network, type Node } from "./network.ts";

export interface NetworkEvents {
  list(id: string): void; // show the facts of an entity as a list
}

const most = 120; // nodes, beyond which no name could be read
const perRelation = 4; // neighbours by one relation
const perNode = 14;

export class NetworkView {
  readonly element = h("div", { class: "network" });
  private readonly frame = h("div", { class: "network-frame", tabindex: 0, role: "region", "aria-label": "The network, to scroll in" });
  private readonly note = h("p", { class: "hint", role: "status" });
  private network: Network = empty();
  private selected = "";
  private readonly arrow = unique("arrow");

  constructor(private readonly events: NetworkEvents) {
    this.element.append(h("p", { class: "hint" }, "Click an entity to add its neighbours and to see what its links are. Double-click lists its facts."), this.frame, this.note);
  }

  /** start begins with one entity and its neighbours. */
  start(of: api.Neighbourhood): void {
    this.network = empty();
    this.grow(of);
  }

  private grow(of: api.Neighbourhood): void {
    const neighbours = (of.relations ?? []).flatMap((r) =>
      (r.examples ?? []).slice(0, perRelation).map((name, i) => ({ name, id: r.example_ids?.[i] ?? name, relation: r.base, inverse: r.inverse })),
    );
    const before = this.network.nodes.size;
    this.network = arrange(add(this.network, of, neighbours.slice(0, perNode), most));
    this.selected = of.id;
    const shown = this.network.nodes.size;
    const left = of.facts - Math.min(neighbours.length, perNode);
    this.note.textContent = shown >= most ? `${most} entities are shown, which is the most. Start again from one of them to go on.` : `${of.name}: ${counted(of.facts, "fact")}${left > 0 && shown > before ? `, ${left} not drawn` : ""}.`;
    this.draw();
  }

  private async choose(node: Node): Promise<void> {
    this.selected = node.id;
    this.draw();
    if (node.expanded) return;
    try {
      this.grow(await api.entity(node.id));
    } catch (error) {
      this.note.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  private draw(): void {
    const box = bounds(this.network);
    const focused = this.element.contains(document.activeElement);
    const svg = s("svg", { viewBox: `${box.x} ${box.y} ${box.width} ${box.height}`, width: box.width, height: box.height, role: "group", "aria-label": "Entities and their links" });
    svg.append(
      s("defs", {}, s("marker", { id: this.arrow, viewBox: "0 0 8 8", refX: 15, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, s("path", { d: "M0 .8L7 4L0 7.2z" }))),
      ...this.links(),
      ...[...this.network.nodes.values()].map((n) => this.node(n)),
    );
    this.frame.replaceChildren(svg);
    const at = this.network.nodes.get(this.selected);
    if (at) this.frame.scrollTo(at.x - box.x - this.frame.clientWidth / 2, at.y - box.y - this.frame.clientHeight / 2);
    if (focused) svg.querySelector<SVGElement>(".chosen")?.focus({ preventScroll: true });
  }

  /** links are lines; those of the selected node have their relations on them. */
  private links(): SVGElement[] {
    return this.network.links.flatMap((l) => {
      const [a, b] = [this.network.nodes.get(l.from), this.network.nodes.get(l.to)];
      if (!a || !b) return [];
      const near = a.id === this.selected || b.id === this.selected;
      const line = s("path", { class: near ? "link near" : "link", d: `M${a.x} ${a.y}L${b.x} ${b.y}`, "marker-end": `url(#${this.arrow})` });
      return near ? [line, s("text", { class: "relation", x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 - 3 }, clip(l.relation, 26))] : [line];
    });
  }

  private node(n: Node): SVGElement {
    const linked = this.network.links.filter((l) => l.from === n.id || l.to === n.id).length;
    const name = clip(n.name, 24);
    const label = `${name}, ${counted(linked, "link")} shown${n.expanded ? "" : ", click for its neighbours"}`;
    const press = (event: KeyboardEvent): void => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      void this.choose(n);
    };
    return s(
      "g",
      { class: `entity${n.expanded ? " expanded" : ""}${n.id === this.selected ? " chosen" : ""}`, role: "button", tabindex: 0, "aria-label": label, "aria-description": name === n.name ? null : n.name, "data-entity": n.id, transform: `translate(${n.x} ${n.y})`, onclick: () => void this.choose(n), ondblclick: () => this.events.list(n.id), onkeydown: press },
      s("circle", { r: 7 + Math.min(5, Math.sqrt(linked)) }),
      s("text", { y: 24 }, name),
    );
  }
}

/** clip keeps a name within its place. */
const clip = (text: string, length: number): string => (text.length > length ? text.slice(0, length - 1) + "…" : text);
