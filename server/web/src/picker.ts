// A combobox: type to search, choose one of what is found.

import { debounce, h, show, unique } from "./dom.ts";
import { Listbox, type Option } from "./listbox.ts";

export type Source = (typed: string) => Promise<Option[]>;

export class Picker {
  readonly element: HTMLElement;
  readonly field: HTMLInputElement;
  private readonly list: Listbox;
  private asked = 0;

  constructor(label: string, placeholder: string, private readonly source: Source, private readonly chosen: (value: string) => void) {
    const id = unique("pick");
    this.field = h("input", {
      id,
      type: "text",
      role: "combobox",
      "aria-expanded": "false",
      autocomplete: "off",
      spellcheck: "false",
      placeholder,
    });
    this.list = new Listbox(this.field, label, (option) => this.choose(option));
    this.element = h("div", { class: "picker" }, h("label", { for: id }, label), this.field, this.list.element);
    const search = debounce(90, () => void this.search());
    this.field.addEventListener("input", search);
    this.field.addEventListener("focus", () => void this.search());
    this.field.addEventListener("blur", () => this.list.close());
    this.field.addEventListener("keydown", (event) => this.key(event));
  }

  get value(): string {
    return this.field.value.trim();
  }

  clear(): void {
    this.field.value = "";
  }

  private key(event: KeyboardEvent): void {
    if (this.list.key(event)) return;
    if (event.key === "ArrowDown") void this.search();
  }

  /** search asks the source; an answer that a newer one overtook is dropped. */
  private async search(): Promise<void> {
    const turn = ++this.asked;
    const options = await this.source(this.value).catch(() => []);
    if (turn !== this.asked || document.activeElement !== this.field) return;
    this.list.open(options);
    show(this.list.element);
  }

  private choose(option: Option): void {
    this.asked++;
    this.field.value = option.value;
    this.list.close();
    this.chosen(option.value);
  }
}
