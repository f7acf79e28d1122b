// Bringing files: the server on the same machine looks at them and proposes how to read them; the page shows this plan,
// takes changes by clicking, and only then has the files read.

import * as api from "./api.ts";
import { counted, h, unique } from "./dom.ts";
import { PlanView, withoutFlags } from "./plan_view.ts";

export interface UploadEvents {
  opened(): void;
}

type As = "replace" | "add";

/** FileDialog asks for files, shows how they will be read, and then what was read of them. */
export class FileDialog {
  private readonly dialog = h("dialog", { class: "upload", "aria-labelledby": "upload-title" });
  private as: As | null = null;

  constructor(
    private readonly keepsFacts: () => boolean, // the graph cannot be replaced, only added to
    private readonly events: UploadEvents,
  ) {
    document.body.append(this.dialog);
  }

  open(): void {
    this.ask("");
    this.show();
  }

  /** acceptDrops takes files that are dropped anywhere on the page, as long as allowed says so. */
  acceptDrops(allowed: () => boolean): void {
    const carries = (event: DragEvent): boolean => allowed() && (event.dataTransfer?.types.includes("Files") ?? false);
    addEventListener("dragover", (event) => {
      if (!carries(event)) return;
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    addEventListener("dragleave", (event) => {
      if (event.relatedTarget === null) document.body.classList.remove("dropping");
    });
    addEventListener("drop", (event) => {
      document.body.classList.remove("dropping");
      if (!carries(event)) return;
      event.preventDefault();
      this.show();
      void this.look([...(event.dataTransfer?.files ?? [])]);
    });
  }

  private show(): void {
    if (!this.dialog.open) this.dialog.showModal();
  }

  private frame(title: string, ...content: (Node | string)[]): void {
    const close = h("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => this.dialog.close() }, "✕");
    this.dialog.classList.remove("planning");
    this.dialog.replaceChildren(h("div", { class: "head" }, h("h2", { id: "upload-title" }, title), close), ...content);
  }

  private ask(problem: string): void {
    const id = unique("file");
    const file = h("input", { id, type: "file", multiple: true });
    file.addEventListener("change", () => void this.look([...(file.files ?? [])]));
    this.frame(
      "Open files",
      h("label", { for: id, class: "drop" }, h("b", {}, "Drop files here, or choose them"), h("span", {}, "Tables (CSV, Excel, SQLite, Parquet, JSON), RDF, GraphML and archives of these. Several tables make one graph. Nothing leaves this machine."), file),
      problem ? h("p", { class: "problem", role: "alert" }, problem) : "",
    );
  }

  private wait(text: string): void {
    this.frame("Open files", h("p", { class: "waiting", role: "status" }, text));
  }

  /** look has the server propose a plan; nothing is read yet. */
  private async look(files: File[]): Promise<void> {
    if (files.length === 0) return;
    this.wait(`Looking at ${titleOf(files)} …`);
    try {
      this.propose(files, new PlanView((await api.bring(files, "plan")).plan ?? { tables: [] }), "");
    } catch (error) {
      this.ask(textOf(error));
    }
  }

  private propose(files: File[], view: PlanView, problem: string): void {
    const keeps = this.keepsFacts();
    const as = keeps ? "add" : (this.as ?? "replace");
    const choice = (value: As, label: string, disabled: boolean): HTMLElement =>
      h("label", {}, h("input", { type: "radio", name: "as", value, checked: as === value, disabled }), " ", label);
    const warning = h("p", { class: "problem", role: "alert", hidden: problem === "" }, problem);
    const form = h(
      "form",
      {
        onsubmit: (event: SubmitEvent) => {
          event.preventDefault();
          this.as = new FormData(form).get("as") === "add" || keeps ? "add" : "replace";
          warning.hidden = view.problem === "";
          warning.textContent = view.problem;
          if (!view.problem) void this.send(files, view, this.as);
        },
      },
      h("p", {}, "This is how they will be read. Change what is wrong; nothing has been read yet."),
      view.element,
      h("fieldset", {}, h("legend", {}, "The facts"), choice("replace", "replace the graph that is open", keeps), choice("add", "are added to the graph that is open", false)),
      warning,
      h("div", { class: "foot" }, h("button", { class: "primary" }, "Read"), h("button", { type: "button", class: "quiet", onclick: () => this.ask("") }, "Other files")),
    );
    this.frame(titleOf(files), form);
    this.dialog.classList.add("planning");
  }

  private async send(files: File[], view: PlanView, as: As): Promise<void> {
    this.wait(`Reading ${titleOf(files)} …`);
    try {
      this.report(files, view, as, await api.bring(files, as, view.plan));
      this.events.opened();
    } catch (error) {
      this.propose(files, view, textOf(error));
    }
  }

  /** report shows the first facts: whether a table was read as it is meant, eyes tell at once. */
  private report(files: File[], view: PlanView, as: As, read: api.Brought): void {
    const ask = h("button", { type: "button", class: "primary", onclick: () => this.dialog.close() }, "Ask about it");
    const again = h("button", { type: "button", class: "quiet", onclick: () => this.propose(files, view, "") }, "Read it differently");
    const facts = read.first.map((f) => h("li", {}, h("b", {}, f.head), " ", h("span", { class: "via" }, f.relation), " ", h("b", {}, f.tail)));
    this.frame(
      titleOf(files),
      h("p", {}, `${counted(read.facts, "fact was", "facts were")} read, such as`),
      h("ul", { class: "first" }, ...facts),
      read.remarks.length > 0 ? h("ul", { class: "remarks" }, ...read.remarks.map((r) => h("li", {}, withoutFlags(r)))) : "",
      h("div", { class: "foot" }, ask, as === "replace" ? again : null),
    );
    ask.focus();
  }
}

/** titleOf names files: one by its name, several by how many they are. */
const titleOf = (files: File[]): string => (files.length === 1 ? files[0]!.name : counted(files.length, "file"));

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
