// The reading plan on the screen: a section for each table, a line for each column, and a control for all that can be changed.

import { counted, h } from "./dom.ts";
import * as plan from "./plan.ts";
import type { ColumnPlan, Plan, TablePlan } from "./plan.ts";

type Choice = [value: string, label: string];

const rowChoices: Choice[] = [
  ["entities", "an entity"],
  ["triples", "one fact"],
  ["ignored", "not read"],
];
const partChoices: Choice[] = [
  ["head", "first entity"],
  ["relation", "relation"],
  ["tail", "second entity"],
  ["annotation", "said of the fact"],
  ["nothing", "not read"],
];
const separators: Choice[] = [
  ["", "one per cell"],
  [";", "several, between ;"],
  ["|", "several, between |"],
  [",", "several, between ,"],
  ["/", "several, between /"],
];

/** PlanView shows a plan and keeps it as it is changed. */
export class PlanView {
  readonly element = h("div", { class: "plan" });

  constructor(private current: Plan) {
    this.element.append(...current.tables.map((t, i) => this.section(t, i)));
  }

  get plan(): Plan {
    return this.current;
  }

  get problem(): string {
    return this.current.tables.map(plan.problemOf).find(Boolean) ?? "";
  }

  /** edit puts the changed plan of a table in place and draws its section anew; what had the focus keeps it. */
  private edit(at: number, to: TablePlan): void {
    this.current = { tables: this.current.tables.map((t, i) => (i === at ? to : t)) };
    const focused = document.activeElement?.getAttribute("aria-label");
    this.element.children[at]!.replaceWith(this.section(to, at));
    if (focused) this.element.querySelector<HTMLElement>(`[aria-label=${CSS.escape(focused)}]`)?.focus();
  }

  private section(t: TablePlan, at: number): HTMLElement {
    const content = t.rows === "facts" ? [h("p", {}, `${t.format || "This file"} states its facts itself; there is nothing to choose.`)] : [this.rows(t, at), t.rows === "ignored" ? null : this.columns(t, at)];
    const doubts = (t.doubts ?? []).map((d) => h("li", {}, withoutFlags(d)));
    return h(
      "section",
      { class: "table-plan", "aria-label": t.file },
      h("h3", {}, t.file.split("/").at(-1)!),
      h("p", { class: "hint" }, summary(t)),
      ...content,
      doubts.length > 0 ? h("ul", { class: "doubts" }, ...doubts) : null,
    );
  }

  private rows(t: TablePlan, at: number): HTMLElement {
    const controls: (Node | string)[] = [choose(`Rows of ${t.table}`, rowChoices, t.rows, (value) => this.edit(at, plan.setRows(t, value as TablePlan["rows"])))];
    if (t.rows === "entities" && plan.keysOf(t).length > 0) {
      const repeated: Choice[] = [["row", "stay apart"], ["key", "are one entity"]];
      controls.push(" Rows with the same key ", choose(`Rows of ${t.table} with the same key`, repeated, t.per ?? "row", (value) => this.edit(at, plan.setPer(t, value as "row" | "key"))));
    }
    const named = t.rows === "entities" ? h("p", { class: "hint" }, "Each is named ", h("code", {}, t.subject ?? ""), t.label ? " and shown as " : "", t.label ? h("code", {}, t.label) : null, ".") : null;
    return h("div", { class: "row-plan" }, h("p", { class: "choices" }, "A row is ", ...controls), named);
  }

  private columns(t: TablePlan, at: number): HTMLElement {
    const entities = t.rows === "entities";
    const head = ["Column", "What its cells become", ...(entities ? ["Relation", "Key", "Label"] : [])];
    return h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, ...(t.columns ?? []).filter((c) => c.name !== "").map((c) => this.column(t, at, c))),
    );
  }

  private column(t: TablePlan, at: number, c: ColumnPlan): HTMLElement {
    const examples = (c.examples ?? []).join(" · ");
    const facts = `${counted(c.filled, "cell")}, ${c.different.toLocaleString("en")} different`;
    const name = h("th", { scope: "row" }, h("b", {}, c.name), h("span", { class: "examples" }, examples), h("span", { class: "examples" }, facts), c.doubt ? h("span", { class: "doubt" }, withoutFlags(c.doubt)) : null);
    const choices = t.rows === "triples" ? partChoices : this.choices(t, c);
    const cells: Node[] = [choose(`What ${c.name} of ${t.table} becomes`, choices, plan.becomes(c), (value) => this.edit(at, plan.become(t, c.name, value)))];
    const speaks = c.role === "reference" || c.role === "value";
    if (t.rows === "triples") return h("tr", {}, name, h("td", {}, ...cells));
    if (speaks) cells.push(this.separator(t, at, c));
    return h("tr", { class: speaks ? "" : "silent" }, name, h("td", {}, ...cells), h("td", { class: "relation-name" }, speaks ? this.relation(t, at, c) : null), this.mark(t, at, c, "Key"), this.mark(t, at, c, "Label"));
  }

  private choices(t: TablePlan, c: ColumnPlan): Choice[] {
    const tables = this.current.tables.filter((other) => other.rows === "entities").map((other): Choice => ["table:" + other.table, other === t ? `reference to another row of ${other.table}` : `reference to ${other.table}`]);
    return [["names", "names of entities"], ...tables, ["value", `value: ${typeName(c.datatype)}`], ["nothing", "no fact of its own"]];
  }

  private separator(t: TablePlan, at: number, c: ColumnPlan): HTMLElement {
    const own: Choice[] = c.separator && !separators.some(([value]) => value === c.separator) ? [[c.separator, "a list"]] : [];
    return choose(`Values in a cell of ${c.name} of ${t.table}`, [...separators, ...own], c.separator ?? "", (value) => this.edit(at, plan.part(t, c.name, value)));
  }

  private relation(t: TablePlan, at: number, c: ColumnPlan): HTMLElement {
    const field = h("input", { type: "text", value: c.property ?? c.name, "aria-label": `Relation of ${c.name} of ${t.table}`, spellcheck: "false" });
    field.addEventListener("change", () => this.edit(at, plan.rename(t, c.name, field.value)));
    return field;
  }

  private mark(t: TablePlan, at: number, c: ColumnPlan, what: "Key" | "Label"): HTMLElement {
    const [template, set] = what === "Key" ? [t.subject, plan.setKey] : [t.label, plan.setLabel];
    const box = h("input", { type: "checkbox", checked: plan.among(template, c.name), "aria-label": `${c.name} is a ${what.toLowerCase()} of ${t.table}` });
    box.addEventListener("change", () => this.edit(at, set(t, c.name, box.checked)));
    return h("td", { class: "mark", "data-what": what }, box);
  }
}

function choose(label: string, choices: Choice[], value: string, chosen: (value: string) => void): HTMLElement {
  const select = h("select", { "aria-label": label }, ...choices.map(([v, text]) => h("option", { value: v, selected: v === value }, text)));
  select.addEventListener("change", () => chosen(select.value));
  return select;
}

const typeNames: Record<string, string> = { integer: "whole number", decimal: "number", double: "number", dateTime: "date and time", boolean: "yes or no", string: "text" };
const typeName = (type = "string"): string => typeNames[type] ?? type;

function summary(t: TablePlan): string {
  if (t.rows === "facts") return "";
  const rows = (t.sample ? "the first " : "") + counted(t.seen, "row");
  return [rows, `${counted((t.columns ?? []).length, "column")}`, t.found].filter(Boolean).join(", ");
}

/** withoutFlags leaves out what only the command line can do: here one clicks. */
export const withoutFlags = (text: string): string => text.replace(/ \(--[^)]*\)/g, "").replace(/[,;:]? say --\w+ [^ ]+( if so)?$/, "");
