// The page of SPARQL: a query as text, its results as a table, CSV or JSON, and what was asked before.

import * as api from "./api.ts";
import { leftOut, type Cut } from "./cut.ts";
import { counted, debounce, find, h } from "./dom.ts";
import * as history from "./history.ts";
import { defaults, toHash } from "./link.ts";
import { fragmentAt, offsetOf, pieces, type Prefix, sought, variables, words, written } from "./sparql_text.ts";
import * as theme from "./theme.ts";
import { authorized, token } from "./token.ts";

theme.apply();

interface Term {
  type: string;
  value: string;
  "xml:lang"?: string;
}
interface Solutions {
  head: { vars?: string[]; cut?: Cut };
  warnings?: string[];
  boolean?: boolean;
  results?: { bindings: Record<string, Term>[] };
}
type Form = "table" | "csv" | "json";

const accepts: Record<Form, string> = {
  table: "application/sparql-results+json, text/turtle;q=0.9",
  csv: "text/csv, text/turtle;q=0.9",
  json: "application/sparql-results+json, application/ld+json;q=0.9",
};
const listed = 30; // of what was asked before

class Page {
  private readonly query = find<HTMLTextAreaElement>("#query");
  private readonly message = find("#message");
  private readonly matches = find("#matches");
  private readonly output = find("#output");
  private readonly history = find<HTMLSelectElement>("#history");
  private prefixes: Prefix[] = [];
  private form: Form = "table";
  private chosen = -1;
  private graph = "";
  private readonly colours = h("pre", { class: "colours", "aria-hidden": "true" });

  async start(): Promise<void> {
    const info = (await api.info()) as api.Info & { prefixes?: Prefix[] };
    this.prefixes = info.prefixes ?? [];
    this.graph = info.graph.name;
    find("#graph").textContent = `${info.graph.name}: ${counted(info.graph.triples, "fact")}`;
    find("#prefixes").append(...this.prefixes.map((p) => h("li", {}, `${p.name}: <${p.iri}>`)));
    const given = this.fromAddress();
    const before = given ?? this.past().find((a) => a.language)?.question;
    this.query.before(this.colours);
    this.set(before ?? "SELECT * { ?s ?p ?o } LIMIT 20");
    this.listen();
    this.showHistory();
    if (given || !before) await this.run();
  }

  /** fromAddress takes the query and the way to answer it from the address. */
  private fromAddress(): string | null {
    const params = new URLSearchParams(location.hash.slice(1));
    if (params.has("q")) find<HTMLSelectElement>("#mode").value = params.get("mode") === "predict" ? "predict" : "exact";
    return params.get("q");
  }

  /** setAddress makes the query a step that the browser can go back to. */
  private setAddress(text: string): void {
    const params = new URLSearchParams({ q: text });
    if (find<HTMLSelectElement>("#mode").value === "predict") params.set("mode", "predict");
    const hash = "#" + params.toString();
    if (hash === location.hash) return;
    if (location.hash === "") window.history.replaceState(null, "", hash);
    else window.history.pushState(null, "", hash);
  }

  private set(text: string): void {
    this.query.value = text;
    this.paint();
  }

  /** paint copies the text under the field in colours; it ends in a space that gives an empty last line its height. */
  private paint(): void {
    this.colours.replaceChildren(...pieces(this.query.value).map((p) => (p.kind ? h("span", { class: p.kind }, p.text) : p.text)), " ");
  }

  /** past are the questions on this graph, in either language. */
  private past(): history.Asked[] {
    return history.load().filter((a) => a.graph === this.graph);
  }

  private listen(): void {
    const complete = debounce(120, () => void this.complete());
    this.query.addEventListener("input", () => (this.paint(), complete()));
    addEventListener("popstate", () => {
      const text = this.fromAddress();
      if (text === null) return;
      this.set(text);
      void this.run();
    });
    this.query.addEventListener("keydown", (e) => this.key(e));
    this.query.addEventListener("blur", () => setTimeout(() => this.close(), 150));
    find("#run").addEventListener("click", () => void this.run());
    this.history.addEventListener("change", () => this.again(this.past()[Number(this.history.value)]));
    for (const button of document.querySelectorAll<HTMLButtonElement>("[data-form]"))
      button.addEventListener("click", () => {
        this.form = button.dataset["form"] as Form;
        for (const other of document.querySelectorAll("[data-form]")) other.setAttribute("aria-pressed", String(other === button));
        void this.run();
      });
  }

  /** again takes up what was asked before; a formula is asked where formulas are. */
  private again(a?: history.Asked): void {
    if (!a) return;
    if (!a.language) return location.assign("./" + toHash(a.question, defaults));
    this.set(a.question);
    this.query.focus();
  }

  private key(e: KeyboardEvent): void {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
      e.preventDefault();
      void this.run();
      return;
    }
    const list = [...this.matches.children];
    if (this.matches.hidden || list.length === 0) return;
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      if (e.key === "ArrowDown") this.chosen = (this.chosen + 1) % list.length;
      else this.chosen = (Math.max(this.chosen, 0) + list.length - 1) % list.length;
      list.forEach((li, i) => li.setAttribute("aria-selected", String(i === this.chosen)));
    } else if ((e.key === "Enter" || e.key === "Tab") && this.chosen >= 0) {
      e.preventDefault();
      (list[this.chosen] as HTMLElement).click();
    } else if (e.key === "Escape") this.close();
  }

  /** complete offers what the fragment before the cursor may become. */
  private async complete(): Promise<void> {
    const fragment = fragmentAt(this.query.value, this.query.selectionStart);
    if (!fragment || fragment.text.length < 2) return this.close();
    const begun = fragment.text;
    let offers: string[];
    if (fragment.kind === "variable") offers = variables(this.query.value, begun);
    else if (fragment.kind === "word") offers = await this.wordsOrNames(begun);
    else offers = await this.names(sought(begun));
    if (fragmentAt(this.query.value, this.query.selectionStart)?.text !== begun) return; // typed on meanwhile
    this.offer(fragment.from, begun.length, offers.slice(0, 12));
  }

  /** wordsOrNames are words of SPARQL, or else names of the graph: who types one need not know its prefix. */
  private async wordsOrNames(begun: string): Promise<string[]> {
    const found = words.filter((w) => w.startsWith(begun.toUpperCase()) && w !== begun);
    return found.length > 0 || begun.length < 3 || words.includes(begun) ? found : this.names(begun);
  }

  private async names(text: string): Promise<string[]> {
    const found = await Promise.all([api.complete("relation", text), api.complete("entity", text)]);
    return [...new Set(found.flat().map((m) => written(m.id ?? m.name, this.prefixes)))];
  }

  private offer(from: number, length: number, offers: string[]): void {
    this.chosen = -1;
    this.matches.hidden = offers.length === 0;
    this.matches.replaceChildren(
      ...offers.map((text) =>
        h("li", { role: "option", "aria-selected": "false", onclick: () => {
          this.query.setRangeText(text + " ", from, from + length, "end");
          this.paint();
          this.close();
          this.query.focus();
        } }, text),
      ),
    );
  }

  private close(): void {
    this.matches.hidden = true;
    this.chosen = -1;
  }

  async run(): Promise<void> {
    const text = this.query.value;
    const results = find("#results");
    this.close();
    this.message.hidden = true;
    results.setAttribute("aria-busy", "true");
    try {
      const body = new URLSearchParams({ query: text, mode: find<HTMLSelectElement>("#mode").value });
      const send = (): Promise<Response> => {
        const headers: Record<string, string> = { Accept: accepts[this.form] + ", application/json;q=0.1" };
        if (token()) headers["Authorization"] = `Bearer ${token()}`;
        return fetch("sparql", { method: "POST", headers, body });
      };
      const response = await authorized(send);
      if (!response.ok) return this.fail(await response.text());
      const rows = this.show(await response.text(), response.headers.get("Content-Type") ?? "");
      this.remember(text, rows);
      this.setAddress(text);
    } catch (error) {
      this.fail(String(error));
    } finally {
      results.setAttribute("aria-busy", "false");
    }
  }

  /** fail shows an error and marks its place in the query. */
  private fail(text: string): void {
    let problem: { message: string; line?: number; column?: number } = { message: text };
    try {
      problem = JSON.parse(text).error;
    } catch {
      // a line of text, then
    }
    this.message.textContent = problem.message;
    this.message.hidden = false;
    if (!problem.line || !problem.column) return;
    const at = offsetOf(this.query.value, problem.line, problem.column);
    const rest = this.query.value.slice(at).match(/^\S+/)?.[0].length ?? 1;
    this.query.focus();
    this.query.setSelectionRange(at, at + rest);
  }

  /** show writes results and says how many there are. */
  private show(text: string, type: string): number {
    const count = find("#count");
    count.textContent = "";
    if (this.form !== "table" || !type.includes("sparql-results+json")) {
      this.output.replaceChildren(h("p", {}, this.download(text, type)), h("pre", {}, text));
      return Math.max(0, text.trim().split("\n").length - 1);
    }
    const found = JSON.parse(text) as Solutions;
    if (found.boolean !== undefined) {
      count.textContent = [leftOut(found.head.cut), ...(found.warnings ?? [])].filter(Boolean).join("; ");
      this.output.replaceChildren(h("p", {}, found.boolean ? "yes" : "no"));
      return 1;
    }
    const rows = found.results?.bindings ?? [];
    const vars = found.head.vars ?? [];
    const most = 1000;
    count.textContent = counted(rows.length, "solution") + (rows.length > most ? `, the first ${most} shown` : "") + (found.head.cut ? `; ${leftOut(found.head.cut)}` : "") + (found.warnings ?? []).map((w) => `; ${w}`).join("");
    const cell = (t?: Term) => h("td", { title: t ? (t["xml:lang"] ? `in ${t["xml:lang"]}` : t.value) : "" }, t ? this.cell(t) : "");
    this.output.replaceChildren(
      h("table", {}, h("thead", {}, h("tr", {}, ...vars.map((v) => h("th", { scope: "col" }, v)))),
        h("tbody", {}, ...rows.slice(0, most).map((row) => h("tr", {}, ...vars.map((v) => cell(row[v])))))),
    );
    return rows.length;
  }

  /** cell is a value, or a link to what the graph says of an entity. */
  private cell(t: Term): Node | string {
    if (t.type !== "uri") return this.short(t);
    const id = t.value.startsWith("urn:lacuna:") ? this.short(t) : t.value;
    return h("a", { href: "./" + toHash("", defaults, { entity: id, network: false }) }, this.short(t));
  }

  private short(t: Term): string {
    if (t.type !== "uri") return t.type === "bnode" ? `_:${t.value}` : t.value;
    if (t.value.startsWith("urn:lacuna:")) return decodeURIComponent(t.value.slice("urn:lacuna:".length));
    return written(t.value, this.prefixes).replace(/^<(.*)>$/, "$1");
  }

  private download(text: string, type: string): HTMLAnchorElement {
    const name = type.includes("csv") ? "results.csv" : type.includes("json") ? "results.json" : "results.ttl";
    return h("a", { href: `data:${type.split(";")[0]};charset=utf-8,${encodeURIComponent(text)}`, download: name }, `Save ${name}`);
  }

  private remember(text: string, total: number): void {
    history.store(history.remember(history.load(), { graph: this.graph, question: text, total, at: Date.now(), language: "sparql" }));
    this.showHistory();
  }

  private showHistory(): void {
    const option = (a: history.Asked, i: number) => h("option", { value: String(i) }, a.question.replaceAll(/\s+/g, " ").slice(0, 60));
    this.history.replaceChildren(h("option", { value: "" }, "choose …"), ...this.past().slice(0, listed).map(option));
  }
}

void new Page().start();
