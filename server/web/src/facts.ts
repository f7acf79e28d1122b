// Adding facts, and saying so: the form, and the note at the foot of the page with its way back.

import type { Fact } from "./api.ts";
import { h } from "./dom.ts";
import { Picker } from "./picker.ts";
import * as suggest from "./suggest.ts";

/** FactForm adds a fact of three names. A name that is new to the graph is allowed. */
export class FactForm {
  constructor(element: HTMLElement, add: (fact: Fact) => void) {
    const head = new Picker("From", "an entity", suggest.entities, () => relation.field.focus());
    const relation = new Picker("Relation", "a relation", suggest.relations, () => tail.field.focus());
    const tail = new Picker("To", "an entity", suggest.entities, () => button.focus());
    const button = h("button", { type: "submit" }, "Add the fact");
    const form = h(
      "form",
      {
        onsubmit: (event: Event) => {
          event.preventDefault();
          const empty = [head, relation, tail].find((p) => p.value === "");
          if (empty) return empty.field.focus();
          add({ head: head.value, relation: relation.value, tail: tail.value });
          [head, relation, tail].forEach((p) => p.clear());
        },
      },
      head.element,
      relation.element,
      tail.element,
      button,
    );
    element.append(form);
  }
}

/** Note tells what happened, with a way back where there is one. */
export class Note {
  private timer = 0;
  constructor(private readonly element: HTMLElement) {}

  say(text: string, undo?: () => void): void {
    clearTimeout(this.timer);
    const back = undo
      ? h("button", { type: "button", onclick: () => (this.clear(), undo()) }, "Undo")
      : h("button", { type: "button", "aria-label": "Dismiss", onclick: () => this.clear() }, "✕");
    this.element.replaceChildren(h("span", {}, text), back);
    this.element.classList.add("open");
    this.timer = window.setTimeout(() => this.clear(), undo ? 30000 : 5000);
  }

  private clear(): void {
    this.element.classList.remove("open");
    this.element.replaceChildren();
  }
}
