// The query editor: a plain text field over a coloured copy of its text, with completion
// of names while typing and a mark where the server found an error.

import * as api from "./api.ts";
import { debounce, h } from "./dom.ts";
import { quote } from "./formula.ts";
import { Listbox, type Option } from "./listbox.ts";
import * as suggest from "./suggest.ts";
import { fragmentAt, offsetOf, spanOf, tokenize, type Fragment } from "./tokens.ts";

export interface EditorEvents {
  changed(text: string): void; // after every edit
  submit(text: string): void;
}

export class Editor {
  private readonly list: Listbox;
  private readonly colours: HTMLElement;
  private fragment: Fragment | null = null;
  private span: { start: number; end: number } | null = null;
  private asked = 0;
  private readonly search = debounce(80, () => void this.complete());

  constructor(
    readonly field: HTMLTextAreaElement,
    private readonly message: HTMLElement,
    private readonly events: EditorEvents,
  ) {
    this.colours = h("pre", { class: "colours", "aria-hidden": "true" });
    this.list = new Listbox(field, "Names of the graph", (option) => this.accept(option));
    field.before(this.colours);
    field.after(this.list.element);
    field.addEventListener("input", () => this.edited());
    field.addEventListener("keydown", (event) => this.key(event));
    field.addEventListener("blur", () => this.list.close());
    field.addEventListener("click", () => this.list.close());
    this.paint();
  }

  get text(): string {
    return this.field.value;
  }

  /** While a name is being completed it is no use to ask: it is not whole yet. */
  get isCompleting(): boolean {
    return this.list.isOpen;
  }

  /** set puts another text in, from outside of the editor. */
  set(text: string): void {
    if (text !== this.field.value) this.field.value = text;
    this.list.close();
    this.clearError();
  }

  /** insert types for the user, at the caret. */
  insert(sign: string): void {
    this.field.focus();
    this.field.setRangeText(sign, this.field.selectionStart, this.field.selectionEnd, "end");
    this.edited();
  }

  private edited(): void {
    this.clearError();
    this.search();
    this.events.changed(this.text);
  }

  private key(event: KeyboardEvent): void {
    if (this.list.key(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.search.cancel();
      this.events.submit(this.text);
    } else if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      void this.complete();
    }
  }

  /** complete looks up the name at the caret. An answer that a newer one overtook is dropped. */
  private async complete(): Promise<void> {
    const turn = ++this.asked;
    const fragment = fragmentAt(this.text, this.field.selectionStart);
    if (!fragment || fragment.typed.trim() === "" || this.field.selectionStart !== this.field.selectionEnd) return this.list.close();
    const source = fragment.kind === "entity" ? suggest.entities : suggest.relations;
    const options = await source(fragment.typed).catch(() => []);
    if (turn !== this.asked || document.activeElement !== this.field) return;
    const isWhole = options.some((o) => o.value === fragment.typed);
    this.fragment = fragment;
    if (isWhole && options.length === 1) this.list.close();
    else this.list.open(options);
  }

  /** accept puts the chosen name in the place of what was typed. */
  private accept(option: Option): void {
    const fragment = this.fragment;
    if (!fragment) return;
    this.asked++;
    this.search.cancel();
    const opens = fragment.kind === "relation" && !/^\s*[(\]]/.test(this.text.slice(fragment.end));
    this.field.setRangeText(quote(option.value) + (opens ? "(" : ""), fragment.start, fragment.end, "end");
    this.list.close();
    this.clearError();
    this.events.changed(this.text);
  }

  /** fail marks where the server found an error and says what it is; a suggestion becomes a button. */
  fail(error: api.Refusal): void {
    this.span = error.line > 0 ? spanOf(this.text, offsetOf(this.text, error.line, error.column)) : null;
    const place = error.line > 0 ? h("span", { class: "place" }, `${error.line}:${error.column}`) : null;
    this.message.replaceChildren(h("span", {}, place, error.message), ...this.fixes(error.message));
    this.message.hidden = false;
    this.field.setAttribute("aria-invalid", "true");
    this.paint();
  }

  private fixes(message: string): HTMLElement[] {
    const span = this.span;
    return span ? suggestions(message).map((name) => h("button", { type: "button", class: "fix", onclick: () => this.fix(name, span) }, `Use “${name}”`)) : [];
  }

  private fix(name: string, span: { start: number; end: number }): void {
    this.field.setRangeText(quote(name), span.start, span.end, "end");
    this.field.focus();
    this.clearError();
    this.events.submit(this.text);
  }

  private clearError(): void {
    this.span = null;
    this.message.hidden = true;
    this.message.replaceChildren();
    this.field.removeAttribute("aria-invalid");
    this.paint();
  }

  /** paint copies the text under the field, every token in its colour and the error underlined. */
  private paint(): void {
    const text = this.text;
    const parts: Node[] = [];
    let at = 0;
    for (const token of tokenize(text)) {
      parts.push(...this.piece(text, at, token.start), ...this.piece(text, token.start, token.end, token.kind));
      at = token.end;
    }
    parts.push(...this.piece(text, at, text.length));
    // The text ends in a space that gives an empty last line its height.
    this.colours.replaceChildren(...parts, " ");
  }

  private piece(text: string, start: number, end: number, kind = ""): Node[] {
    if (start >= end) return [];
    const wrong = this.span && start < this.span.end && end > this.span.start;
    if (!kind && !wrong) return [document.createTextNode(text.slice(start, end))];
    return [h("span", { class: `${kind}${wrong ? " wrong" : ""}` }, text.slice(start, end))];
  }
}

/** suggestions are the names that an error offers: corrections of a typo, or identifiers of entities with one label. */
export function suggestions(message: string): string[] {
  const identifiers = /use one of the identifiers (.*)$/.exec(message)?.[1];
  if (identifiers) return identifiers.split(", ").filter((id) => id !== "…");
  const meant = /did you mean (.*)\?\)?$/.exec(message)?.[1] ?? "";
  return [...meant.matchAll(/"((?:\\.|[^"\\])*)"/g)].map((m) => m[1]!.replace(/\\(.)/g, "$1"));
}
