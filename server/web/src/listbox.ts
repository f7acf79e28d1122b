// The list of suggestions under a text field: an ARIA listbox that the field controls,
// shared by the editor and the pickers. Focus stays in the field.

import { h, unique } from "./dom.ts";

export interface Option {
  value: string;
  label: string;
  detail?: string;
}

export class Listbox {
  readonly id = unique("list");
  readonly element: HTMLUListElement;
  private options: Option[] = [];
  private active = -1;

  constructor(
    private readonly field: HTMLInputElement | HTMLTextAreaElement,
    label: string,
    private readonly choose: (option: Option) => void,
  ) {
    this.element = h("ul", { id: this.id, class: "listbox", role: "listbox", "aria-label": label, hidden: true });
    field.setAttribute("aria-controls", this.id);
    field.setAttribute("aria-autocomplete", "list");
    // A press must not take the focus away from the field before the click arrives.
    this.element.addEventListener("pointerdown", (event) => event.preventDefault());
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  open(options: Option[]): void {
    this.options = options;
    this.element.hidden = options.length === 0;
    this.element.replaceChildren(...options.map((option, i) => this.row(option, i)));
    this.announce();
    this.activate(options.length > 0 ? 0 : -1);
  }

  close(): void {
    this.open([]);
  }

  private row(option: Option, i: number): HTMLLIElement {
    return h(
      "li",
      { id: `${this.id}-${i}`, role: "option", "aria-selected": "false", onclick: () => this.choose(option) },
      h("span", { class: "label" }, option.label),
      option.detail ? h("span", { class: "detail" }, option.detail) : null,
    );
  }

  private announce(): void {
    if (this.field.getAttribute("role") === "combobox") this.field.setAttribute("aria-expanded", String(this.isOpen));
  }

  private activate(i: number): void {
    this.active = i;
    [...this.element.children].forEach((row, j) => row.setAttribute("aria-selected", String(i === j)));
    const row = this.element.children[i];
    if (!row) return this.field.removeAttribute("aria-activedescendant");
    this.field.setAttribute("aria-activedescendant", row.id);
    // Not scrollIntoView: that would move the whole page.
    const [box, item] = [this.element.getBoundingClientRect(), row.getBoundingClientRect()];
    if (item.bottom > box.bottom) this.element.scrollTop += item.bottom - box.bottom;
    if (item.top < box.top) this.element.scrollTop -= box.top - item.top;
  }

  /** key handles what a key does to an open list, and tells whether it did anything. */
  key(event: KeyboardEvent): boolean {
    if (!this.isOpen) return false;
    const count = this.options.length;
    switch (event.key) {
      case "ArrowDown":
        this.activate((this.active + 1) % count);
        break;
      case "ArrowUp":
        this.activate((this.active - 1 + count) % count);
        break;
      case "Enter":
      case "Tab":
        this.choose(this.options[this.active]!);
        break;
      case "Escape":
        this.close();
        break;
      default:
        return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
}
