// Building a question by clicking: what can be done with the selected node of the picture.
// Every action makes another expression; main.ts writes it as text and asks it.

import { idOf } from "./api.ts";
import { h, show } from "./dom.ts";
import { anchor, at, combine, describe, not, project, replace, type Expr, type Place } from "./expression.ts";
import { Picker } from "./picker.ts";
import * as suggest from "./suggest.ts";

export interface BuilderEvents {
  build(expression: Expr): void;
  leave(): void; // the actions were closed: the picture takes the focus back
  around(id: string): void;
}

export interface Named {
  entity: string;
  id?: string;
}

export class Builder {
  private root: Expr | null = null;
  private place: Place | null = null;

  /** topOf names the first few entities of a node's set: relations are suggested from them. */
  constructor(
    private readonly element: HTMLElement,
    private readonly topOf: (e: Expr) => Named[],
    private readonly events: BuilderEvents,
  ) {
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.close();
      events.leave();
    });
  }

  close(): void {
    this.place = null;
    this.element.hidden = true;
    this.element.replaceChildren();
  }

  /** start asks for the entity of a new question. */
  start(): void {
    this.place = null;
    this.show("Start from an entity, then follow its relations.", []);
    this.pickEntity("Entity", (name) => this.startWith(name));
  }

  private startWith(name: string): void {
    this.pickRelation(`From ${name}, follow`, [name], (relation) => this.events.build(project(relation, anchor(name))));
  }

  /** edit offers what can be done with a node. */
  edit(root: Expr, place: Place): void {
    const node = at(root, place);
    if (!node) return;
    this.root = root;
    this.place = place;
    this.show(this.phrase(node), this.actions(node, place));
    show(this.element);
    this.element.querySelector<HTMLElement>(".actions button")?.focus({ preventScroll: true });
  }

  /** phrase says a set by its first members. */
  private phrase(node: Expr): string {
    const names = this.topOf(node).map((a) => a.entity);
    if (names.length === 0) return describe(node);
    return names.slice(0, 3).join(", ") + (names.length > 3 ? ", …" : "");
  }

  private actions(node: Expr, place: Place): HTMLButtonElement[] {
    const button = (sign: string, label: string, onclick: () => void): HTMLButtonElement =>
      h("button", { type: "button", onclick }, h("span", { class: "sign", "aria-hidden": "true" }, sign), label);
    const all = [button("→", "Follow a relation", () => this.follow(node))];
    if (node.op === "entity") all.push(button("⇄", "Another entity", () => this.pickEntity("Entity", (name) => this.put(anchor(name)))), button("⊙", "Look around", () => this.events.around(node.id ?? node.name)));
    else all.push(...this.combinations(node, button));
    if (node.op === "project") all.push(button("⇄", "Another relation", () => this.swap(node)));
    // The answer itself cannot be negated: nearly everything would be an answer.
    if (place.length > 0 && node.op !== "entity") all.push(button("¬", node.op === "not" ? "Do not negate" : "Negate", () => this.put(not(node))));
    if (this.removable(node, place)) all.push(button("✕", node.op === "project" && place.length === 0 ? "Undo this step" : "Remove", () => this.remove(node)));
    return all;
  }

  private combinations(node: Expr, button: (sign: string, label: string, onclick: () => void) => HTMLButtonElement): HTMLButtonElement[] {
    return [
      button("∧", "And …", () => this.other("And also", (e) => combine("and", node, e))),
      button("∖", "And not …", () => this.other("But not", (e) => combine("and", node, not(e)))),
      button("∨", "Or …", () => this.other("Or else", (e) => combine("or", node, e))),
    ];
  }

  private removable(node: Expr, place: Place): boolean {
    const parent = this.root && place.length > 0 ? at(this.root, place.slice(0, -1)) : null;
    const operand = parent?.op === "and" || parent?.op === "or";
    const step = node.op === "project" && node.of[0]!.op !== "entity";
    return operand || step || node.op === "not";
  }

  /** remove takes an operand away, or a step out of a chain. */
  private remove(node: Expr): void {
    const parent = this.root && at(this.root, this.place!.slice(0, -1));
    const operand = this.place!.length > 0 && (parent?.op === "and" || parent?.op === "or");
    this.put(operand ? null : node.of[0]!);
  }

  private put(next: Expr | null): void {
    const changed = this.root && this.place && replace(this.root, this.place, next);
    if (changed) this.events.build(changed);
  }

  private follow(node: Expr): void {
    this.pickRelation("Follow the relation", this.topOf(node).map(idOf), (relation) => this.put(project(relation, node)));
  }

  private swap(node: Expr): void {
    const from = node.of[0]!;
    this.pickRelation("Follow the relation", this.topOf(from).map(idOf), (relation) => this.put(project(relation, from)));
  }

  /** other builds the second operand: an entity and a relation from it. */
  private other(title: string, join: (e: Expr) => Expr): void {
    this.pickEntity(`${title}: what is linked to`, (name) =>
      this.pickRelation(`From ${name}, follow`, [name], (relation) => this.put(join(project(relation, anchor(name))))),
    );
  }

  private pickEntity(label: string, chosen: (name: string) => void): void {
    this.pick(new Picker(label, "Type a name …", suggest.entities, chosen));
  }

  private pickRelation(label: string, names: string[], chosen: (name: string) => void): void {
    this.pick(new Picker(label, "Choose a relation …", suggest.leadingFrom(names), chosen));
  }

  private pick(picker: Picker): void {
    this.element.querySelector(".picker")?.remove();
    this.element.append(picker.element);
    show(this.element);
    picker.field.focus({ preventScroll: true });
  }

  private show(title: string, buttons: HTMLElement[]): void {
    const close = h(
      "button",
      { type: "button", class: "close", "aria-label": "Close", onclick: () => (this.close(), this.events.leave()) },
      "✕",
    );
    this.element.hidden = false;
    this.element.replaceChildren(
      h("div", { class: "head" }, h("p", {}, title), close),
      buttons.length > 0 ? h("div", { class: "actions", role: "group", "aria-label": "Change the question here" }, ...buttons) : "",
    );
  }
}
