// A combobox: type to search, choose one of what is found.

import { debounce, h, show, unique } from "./dom.ts";
import { Listbox, type Option } from "./listbox.ts";

export type Source = (typed: string) => Promise<Option[]>;

export class Picker {
  readonly element: HTMLElement;
  readonly field: HTMLInputElement;
  private readonly list: Listbox;
  private readonly note = h("p", { class: "hint", role: "status" });
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
    this.element = h("div", { class: "picker" }, h("label", { for: id }, label), this.field, this.list.element, this.note);
    const search = debounce(90, () => void this.search());
    this.field.addEventListener("input", search);
    this.field.addEventListener("focus", () => void this.search());
    this.field.addEventListener("blur", () => this.offer([], ""));
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
    let problem = "";
    const options = await this.source(this.value).catch((error: unknown) => {
      problem = error instanceof Error ? error.message : String(error);
      return [];
    });
    if (turn !== this.asked || document.activeElement !== this.field) return;
    this.offer(options, options.length === 0 && this.value !== "" ? problem || `Nothing in the graph is called “${this.value}”.` : problem);
    show(this.list.element);
  }

  /** offer lists what was found, or says why there is nothing. */
  private offer(options: Option[], note: string): void {
    this.list.open(options);
    this.note.textContent = note;
  }

  private choose(option: Option): void {
    this.asked++;
    this.field.value = option.value;
    this.offer([], "");
    this.chosen(option.value);
  }
}
