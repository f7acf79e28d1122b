// Building a question as a graph by clicking: what can be done with a node or a link. Every action makes another graph, which
// is written as text and asked; the graph stays on the stage, also where its variables form a tree.

import { idOf, type Answer, type Result } from "./api.ts";
import { h, show } from "./dom.ts";
import { drawGraph, type Part } from "./graph_picture.ts";
import { Picker } from "./picker.ts";
import { askFor, begin, cut, drop, give, graphText, isPlain, lead, negate, relate, tie, type QuestionGraph } from "./question_graph.ts";
import * as suggest from "./suggest.ts";

export interface GraphEvents {
  ask(question: string): Promise<boolean>;
}

export class GraphBench {
  private graph: QuestionGraph | null = null;
  private text = ""; // of the question that the graph is of
  private result: Result | null = null;
  private selected: Part | null = null;
  private readonly frame = h("div", { class: "picture graph", hidden: true });
  private readonly panel = h("div", { class: "builder graph-builder", hidden: true });

  /** The picture stands after that of trees. */
  constructor(
    after: HTMLElement,
    private readonly events: GraphEvents,
  ) {
    after.after(this.frame, this.panel);
    this.panel.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.leave();
    });
  }

  /** start asks for the entity of a new question. */
  start(): void {
    this.graph = null;
    this.frame.hidden = true;
    this.fill("Start from an entity, then add links: any two of them may be linked, also in a circle.", []);
    this.pickEntity("Entity", (entity) => this.pickRelation(`From ${entity}, follow`, [entity], (relation) => this.put(begin(entity, relation))));
  }

  /** take shows a graph that was made elsewhere, without asking it anew. */
  take(graph: QuestionGraph, result: Result): void {
    this.graph = graph;
    this.text = result.query;
    this.show(result);
  }

  /** show draws the result of a question, if it is one that the bench has a graph of; it tells whether it is. */
  show(result: Result | null): boolean {
    this.result = result;
    if (result?.graph) {
      this.graph = result.graph;
      this.text = result.query;
    } else if (result?.query !== this.text) this.graph = null;
    this.selected = null;
    this.panel.hidden = true;
    this.draw();
    return this.graph !== null;
  }

  /** close takes the graph off the stage. */
  close(): void {
    this.graph = null;
    this.frame.hidden = this.panel.hidden = true;
  }

  private draw(): void {
    this.frame.hidden = !this.graph;
    if (!this.graph) return this.frame.replaceChildren();
    const choose = isPlain(this.graph) ? (part: Part): void => this.choose(part) : undefined;
    this.frame.replaceChildren(drawGraph({ graph: this.graph, top: (v) => this.topOf(v), selected: this.selected, choose }));
  }

  /** topOf are the likeliest values of a variable: of a tree those of its answer alone are at hand. */
  private topOf(variable: string): Answer[] {
    const found = this.result?.variables?.find((v) => v.variable === variable)?.top;
    if (found) return found;
    const answers = this.graph?.nodes.filter((n) => n.kind === "answer") ?? [];
    return answers.length === 1 && answers[0]!.variable === variable ? (this.result?.answers ?? []) : [];
  }

  private choose(part: Part): void {
    this.selected = part;
    this.draw();
    if ("node" in part) this.offerNode(part.node);
    else this.offerEdge(part.edge);
    this.panel.querySelector<HTMLElement>(".actions button")?.focus({ preventScroll: true });
  }

  private offerNode(i: number): void {
    const g = this.graph!;
    const n = g.nodes[i]!;
    const names = n.kind === "given" ? [n.id ?? n.entity ?? ""] : this.topOf(n.variable!).map(idOf);
    const all = [this.button("→", "Follow a relation to a new variable", () => this.pickRelation("Follow the relation", names, (r) => this.put(lead(g, i, r))))];
    g.nodes.forEach((other, j) => {
      if (j !== i && !(n.kind === "given" && other.kind === "given"))
        all.push(this.button("⤳", `Link with ${other.variable ?? other.entity}`, () => this.pickRelation(`From ${n.variable ?? n.entity} to ${other.variable ?? other.entity}, by`, names, (r) => this.put(tie(g, i, r, j)))));
    });
    if (n.kind !== "given") {
      all.push(this.button("◦", "Link with an entity", () => this.pickEntity("Entity", (e) => this.pickRelation(`From ${e} to ${n.variable}, by`, [e], (r) => this.put(give(g, e, r, i))))));
      all.push(this.button("?", n.kind === "answer" ? "Do not ask for it" : "Ask for it too", () => this.put(askFor(g, i))));
    }
    if (g.nodes.length > 2) all.push(this.button("✕", "Remove", () => this.put(drop(g, i))));
    this.fill(n.kind === "given" ? n.entity! : `The variable ${n.variable}`, all);
  }

  private offerEdge(i: number): void {
    const g = this.graph!;
    const e = g.edges[i]!;
    const from = g.nodes[e.from]!;
    const names = from.kind === "given" ? [from.id ?? from.entity ?? ""] : this.topOf(from.variable!).map(idOf);
    const all = [this.button("¬", e.negated ? "Do not negate" : "Negate", () => this.put(negate(g, i)))];
    if (e.relation !== "=") all.push(this.button("⇄", "Another relation", () => this.pickRelation("By the relation", names, (r) => this.put(relate(g, i, r)))));
    if (g.edges.length > 1) all.push(this.button("✕", "Remove", () => this.put(cut(g, i))));
    this.fill(`The link ${e.relation}`, all);
  }

  private button(sign: string, label: string, onclick: () => void): HTMLButtonElement {
    return h("button", { type: "button", onclick }, h("span", { class: "sign", "aria-hidden": "true" }, sign), label);
  }

  /** put asks an edited graph. */
  private async put(graph: QuestionGraph): Promise<void> {
    const before = this.graph;
    this.graph = graph;
    this.text = graphText(graph);
    this.panel.hidden = true;
    const text = this.text;
    if (!(await this.events.ask(text))) {
      this.graph = before ?? graph;
      this.draw();
      return;
    }
    this.frame.querySelector<SVGGElement>(".graph-node")?.focus({ preventScroll: true });
  }

  /** expects tells whether a question is the one that the graph was written as. */
  expects(text: string): boolean {
    return this.graph !== null && text === this.text;
  }

  /** asked keeps the graph for a result of its own text, as the server writes a question in its own way. */
  asked(result: Result): void {
    this.text = result.query;
  }

  private leave(): void {
    this.panel.hidden = true;
    this.selected = null;
    this.draw();
    this.frame.querySelector<SVGGElement>(".graph-node")?.focus({ preventScroll: true });
  }

  private pickEntity(label: string, chosen: (name: string) => void): void {
    this.pick(new Picker(label, "Type a name …", suggest.entities, chosen));
  }

  private pickRelation(label: string, names: string[], chosen: (name: string) => void): void {
    this.pick(new Picker(label, "Choose a relation …", suggest.leadingFrom(names), chosen));
  }

  private pick(picker: Picker): void {
    this.panel.querySelector(".picker")?.remove();
    this.panel.append(picker.element);
    show(this.panel);
    picker.field.focus({ preventScroll: true });
  }

  private fill(title: string, buttons: HTMLElement[]): void {
    const close = h("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => this.leave() }, "✕");
    this.panel.hidden = false;
    this.panel.replaceChildren(
      h("div", { class: "head" }, h("p", {}, title), close),
      buttons.length > 0 ? h("div", { class: "actions", role: "group", "aria-label": "Change the question here" }, ...buttons) : "",
    );
  }
}
