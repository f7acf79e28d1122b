// The answers as a table: sorted and filtered here, exported as CSV and JSON.

import { idOf, shown, type Answer, type Result } from "./api.ts";
import { leftOut } from "./cut.ts";
import { counted, fixed, h } from "./dom.ts";
import { csv, save } from "./export.ts";
import { badge, markOf, short } from "./marks.ts";

export interface AnswersEvents {
  explain(answer: Answer): void;
  more(): void;
  all(): Promise<Result>; // the same with every answer listed
}

type Column = "state" | "entity" | "probability";
type Filter = "all" | "known" | "predicted";

const columns: { key: Column; label: string }[] = [
  { key: "entity", label: "Entity" },
  { key: "state", label: "Origin" },
  { key: "probability", label: "Probability" },
];

/** hasMore tells whether there are answers beyond those listed. */
export const hasMore = (result: Result): boolean => result.more === true || (result.answers ?? []).length < result.total;

const sentence = (words: string): string => words[0]!.toUpperCase() + words.slice(1) + ".";

/** order sorts answers by a column; the server's order, by probability, breaks ties. */
export function order(answers: Answer[], by: Column, descending: boolean): Answer[] {
  const compare: Record<Column, (a: Answer, b: Answer) => number> = {
    state: (a, b) => markOf(a).localeCompare(markOf(b)),
    entity: (a, b) => a.entity.localeCompare(b.entity),
    probability: (a, b) => a.probability - b.probability,
  };
  return [...answers].sort((a, b) => (descending ? compare[by](b, a) : compare[by](a, b)));
}

export class AnswerTable {
  private result: Result | null = null;
  private before = new Map<string, Answer>();
  private by: Column = "probability";
  private descending = true;
  private filter: Filter = "all";
  private chosen = "";

  constructor(
    private readonly summary: HTMLElement,
    private readonly element: HTMLElement,
    private readonly events: AnswersEvents,
  ) {}

  /** show draws another result. With the answers to the same question before facts changed, it says what changed. */
  show(result: Result | null, before: Answer[] = []): void {
    this.result = result;
    this.before = new Map(before.map((a) => [idOf(a), a]));
    this.chosen = "";
    this.draw();
  }

  choose(id: string): void {
    this.chosen = id;
    for (const row of this.element.querySelectorAll<HTMLElement>("tbody tr")) row.classList.toggle("chosen", row.dataset.entity === id);
  }

  private draw(): void {
    const result = this.result;
    this.summary.replaceChildren(...(result ? this.headline(result) : []));
    if (!result) return this.element.replaceChildren();
    const all = result.answers ?? [];
    const sorted = (some: Answer[]): Answer[] => order(some.filter((a) => this.passes(a)), this.by, this.descending);
    const visible = sorted(all);
    const below = sorted(result.less_likely ?? []);
    this.element.replaceChildren(
      ...(result.hints ?? []).map((line) => h("p", { class: "hint", role: "note" }, line)),
      this.filters(result),
      h("div", { class: "scroll" }, this.table(visible, below)),
      visible.length + below.length === 0 ? h("p", { class: "empty" }, all.length === 0 ? "No entity reaches the threshold." : "None of this kind.") : "",
      result.cut ? h("p", { class: "hint", role: "note" }, sentence(leftOut(result.cut))) : "",
      this.foot(result),
    );
  }

  private headline(result: Result): Node[] {
    const count = h("strong", {}, result.more && result.total === 1 ? "The likeliest answer" : result.more ? `The ${counted(result.total, "likeliest answer")}` : counted(result.total, "answer"));
    const all = shown(result);
    if (all.length < 2 || all.every((a) => a.probability === 1)) return [count];
    return [count, h("span", {}, result.expected < 0.95 ? `expect fewer than one of these ${all.length} to be right` : `expect about ${result.expected.toFixed(0)} of these ${all.length} to be right`)];
  }

  private passes(a: Answer): boolean {
    return this.filter === "all" || (this.filter === "known") === a.known;
  }

  private filters({ total, known_total, less_likely, doubted = 0 }: Result): HTMLElement {
    const [known, predicted] = [known_total + doubted, total - known_total + (less_likely ?? []).filter((a) => !a.known).length];
    const counts: Record<Filter, number> = { all: known + predicted, known, predicted };
    const choice = (f: Filter): HTMLElement =>
      h(
        "button",
        {
          type: "button",
          "aria-pressed": String(this.filter === f),
          "data-filter": f,
          onclick: () => {
            this.filter = f;
            this.draw();
            this.element.querySelector<HTMLElement>(`[data-filter=${f}]`)?.focus();
          },
        },
        f[0]!.toUpperCase() + f.slice(1),
        h("span", { class: "number" }, counts[f].toLocaleString("en")),
      );
    return h("div", { class: "segments", role: "group", "aria-label": "Which answers to show" }, choice("all"), choice("known"), choice("predicted"));
  }

  private table(answers: Answer[], below: Answer[]): HTMLElement {
    return h(
      "table",
      {},
      h("caption", { class: "hidden" }, "Answers with their origin and probability"),
      h("thead", {}, h("tr", {}, ...columns.map((c) => this.header(c.key, c.label)))),
      h("tbody", {}, ...answers.map((a) => this.row(a))),
      below.length > 0 ? h("tbody", { class: "below" }, h("tr", {}, h("th", { scope: "rowgroup", colspan: "3" }, "Below the threshold")), ...below.map((a) => this.row(a))) : null,
    );
  }

  private header(key: Column, label: string): HTMLElement {
    const sorted = this.by === key ? (this.descending ? "descending" : "ascending") : "none";
    const arrow = sorted === "none" ? "" : this.descending ? "↓" : "↑";
    return h(
      "th",
      { scope: "col", class: key, "aria-sort": sorted },
      h("button", { type: "button", "data-sort": key, onclick: () => this.sort(key) }, label, h("span", { class: "arrow", "aria-hidden": "true" }, arrow)),
    );
  }

  private sort(key: Column): void {
    this.descending = this.by === key ? !this.descending : key === "probability";
    this.by = key;
    this.draw();
    this.element.querySelector<HTMLElement>(`[data-sort=${key}]`)?.focus();
  }

  private row(a: Answer): HTMLElement {
    const mark = markOf(a);
    const bar = h("span", { class: `bar ${mark}` });
    bar.style.width = `${Math.max(3, a.probability * 100)}%`;
    const why = h(
      "button",
      { type: "button", class: "entity", title: `Why ${a.entity}?`, onclick: () => this.events.explain(a) },
      a.entity,
    );
    if (a.entities) why.style.setProperty("-webkit-line-clamp", String(3 * a.entities.length)); // a name has three lines, and here are several
    return h(
      "tr",
      { "data-entity": idOf(a), class: idOf(a) === this.chosen ? "chosen" : "" },
      h("th", { scope: "row", class: "entity" }, why, a.id ? h("span", { class: "id" }, a.id) : null, this.difference(a)),
      h("td", { class: `state ${mark}` }, badge(mark), h("span", {}, short[mark])),
      h("td", { class: "probability" }, h("span", { class: "rail", "aria-hidden": "true" }, bar), h("span", { class: "value" }, fixed(a.probability))),
    );
  }

  /** difference says how an answer changed with the facts. */
  private difference(a: Answer): HTMLElement | null {
    if (this.before.size === 0) return null;
    const was = this.before.get(idOf(a));
    if (!was) return h("span", { class: "difference" }, "new");
    const by = a.probability - was.probability;
    if (Math.abs(by) < 0.005) return a.known && !was.known ? h("span", { class: "difference" }, "now known") : null;
    return h("span", { class: "difference" }, `${by > 0 ? "+" : "−"}${Math.abs(by).toFixed(2)}`);
  }

  /** whole is the result with all answers, where only the first are listed. */
  private async whole(result: Result): Promise<Result> {
    return hasMore(result) ? this.events.all() : result;
  }

  private foot(result: Result): HTMLElement {
    const button = (label: string, onclick: () => void): HTMLElement => h("button", { type: "button", class: "quiet", onclick }, label);
    const more = hasMore(result) ? button(result.more ? "Show more" : `Show more of ${result.total.toLocaleString("en")}`, () => this.events.more()) : null;
    return h(
      "div",
      { class: "foot" },
      more,
      h("span", { class: "spring" }),
      button("Save CSV", () => void this.whole(result).then((r) => save("answers.csv", "text/csv", csv(shown(r))))),
      button("Save JSON", () => void this.whole(result).then((r) => save("answers.json", "application/json", JSON.stringify(r, null, 2) + "\n"))),
    );
  }
}
