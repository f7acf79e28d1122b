// Bringing a file: it is read by the server on the same machine, and the page says how.

import * as api from "./api.ts";
import { counted, h, unique } from "./dom.ts";

export interface UploadEvents {
  opened(): void;
}

/** FileDialog asks for a file and shows what was read of it. */
export class FileDialog {
  private readonly dialog = h("dialog", { class: "upload", "aria-labelledby": "upload-title" });

  constructor(
    private readonly keepsFacts: () => boolean, // the graph cannot be replaced, only added to
    private readonly events: UploadEvents,
  ) {
    document.body.append(this.dialog);
  }

  open(): void {
    this.ask("");
    this.dialog.showModal();
  }

  private frame(title: string, ...content: (Node | string)[]): void {
    const close = h("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => this.dialog.close() }, "✕");
    this.dialog.replaceChildren(h("div", { class: "head" }, h("h2", { id: "upload-title" }, title), close), ...content);
  }

  private ask(problem: string): void {
    const id = unique("file");
    const file = h("input", { id, type: "file", required: true });
    const choice = (value: string, label: string, checked: boolean, disabled: boolean): HTMLElement =>
      h("label", {}, h("input", { type: "radio", name: "as", value, checked, disabled }), " ", label);
    const keeps = this.keepsFacts();
    const form = h(
      "form",
      {
        onsubmit: (event: SubmitEvent) => {
          event.preventDefault();
          const as = new FormData(form).get("as") === "add" ? "add" : "replace";
          const chosen = file.files?.[0];
          if (chosen) void this.send(chosen, as);
        },
      },
      h("label", { for: id }, "A table (CSV, TSV, Parquet), RDF, GraphML or an archive of these. It stays on this machine."),
      file,
      h(
        "fieldset",
        {},
        h("legend", {}, "Its facts"),
        choice("replace", "in place of the graph that is open", !keeps, keeps),
        choice("add", "added to the graph that is open", keeps, false),
      ),
      problem ? h("p", { class: "problem", role: "alert" }, problem) : null,
      h("button", { class: "primary" }, "Open"),
    );
    this.frame("Open a file", form);
  }

  private async send(file: File, as: "replace" | "add"): Promise<void> {
    this.frame("Open a file", h("p", { class: "waiting", role: "status" }, `Reading ${file.name} …`));
    try {
      this.report(file.name, await api.bring(file, as));
      this.events.opened();
    } catch (error) {
      this.ask(error instanceof Error ? error.message : String(error));
    }
  }

  /** report shows the first facts: whether a table was read as it is meant, eyes tell at once. */
  private report(name: string, read: api.Brought): void {
    const ask = h("button", { type: "button", class: "primary", onclick: () => this.dialog.close() }, "Ask on it");
    const facts = read.first.map((f) => h("li", {}, h("b", {}, f.head), " ", h("span", { class: "via" }, f.relation), " ", h("b", {}, f.tail)));
    this.frame(
      name,
      h("p", {}, `${counted(read.facts, "fact was", "facts were")} read, such as`),
      h("ul", { class: "first" }, ...facts),
      read.remarks.length > 0 ? h("ul", { class: "remarks" }, ...read.remarks.map((r) => h("li", {}, r))) : "",
      ask,
    );
    ask.focus();
  }
}
