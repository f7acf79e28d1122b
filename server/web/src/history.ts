// The questions that were asked in this browser, graph by graph: kept here alone, the newest first.

import { counted, h } from "./dom.ts";

export interface Asked {
  graph: string;
  question: string;
  total: number; // of its answers
  at: number; // milliseconds since 1970
  language?: "sparql"; // a formula where there is none
}

const key = "lacuna-history";
const kept = 200;
const listed = 12;

/** remember puts a question first; asked again, it moves there. */
export function remember(all: Asked[], next: Asked): Asked[] {
  const others = all.filter((a) => a.graph !== next.graph || a.question !== next.question);
  return [next, ...others].slice(0, kept);
}

/** load gives all that was asked, in either language. */
export function load(): Asked[] {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(all) ? all.filter((a: Partial<Asked> | null): a is Asked => typeof a?.question === "string" && typeof a.graph === "string") : [];
  } catch {
    return []; // storage may be forbidden, or hold what another version wrote
  }
}

export function store(all: Asked[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(all));
  } catch {
    // then it lasts as long as the page
  }
}

/** sparqlHash is the part of the address behind # that opens the page of SPARQL with a query. */
export function sparqlHash(query: string): string {
  return "#" + new URLSearchParams({ q: query }).toString();
}

export class QuestionHistory {
  private all = load();
  private graph = "";

  constructor(
    private readonly element: HTMLElement,
    private readonly ask: (question: string) => void,
  ) {}

  /** of shows the questions on another graph. */
  of(graph: string): void {
    this.graph = graph;
    this.draw();
  }

  add(question: string, total: number): void {
    this.all = remember(load(), { graph: this.graph, question, total, at: Date.now() });
    store(this.all);
    this.draw();
  }

  private forget(): void {
    this.all = this.all.filter((a) => a.graph !== this.graph);
    store(this.all);
    this.draw();
  }

  private draw(): void {
    const mine = this.all.filter((a) => a.graph === this.graph);
    this.element.hidden = mine.length === 0;
    const rows = mine.slice(0, listed).map((a) => h("li", {}, this.row(a)));
    this.element.replaceChildren(
      h("summary", {}, "Earlier questions"),
      h("ol", { class: "asked" }, ...rows),
      h("button", { type: "button", class: "quiet", onclick: () => this.forget() }, "Forget them"),
    );
  }

  private row(a: Asked): HTMLElement {
    return h(
      "button",
      { type: "button", onclick: () => (a.language ? location.assign("query" + sparqlHash(a.question)) : this.ask(a.question)) },
      h("span", { class: "formula" }, a.question),
      h("span", { class: "count" }, counted(a.total ?? 0, "answer")),
    );
  }
}
