// The workbench: one question at a time, as text, as a picture and as answers. The text is
// the truth: the picture is drawn from what the server answered, an edit of the picture
// writes the text anew, and the address holds it for sharing and for going back.

import * as api from "./api.ts";
import { AnswerTable } from "./answers.ts";
import { AroundPanel } from "./around.ts";
import { Builder, type Named } from "./builder.ts";
import { cards } from "./cards.ts";
import { counted, debounce, find, show } from "./dom.ts";
import { Editor } from "./editor.ts";
import type { Expr, Place } from "./expression.ts";
import { FactForm, Note } from "./facts.ts";
import { GraphBench } from "./graph_builder.ts";
import { toText } from "./formula.ts";
import { QuestionHistory } from "./history.ts";
import { defaults, fromHash, toHash } from "./link.ts";
import { markOf } from "./marks.ts";
import { TreePicture } from "./picture.ts";
import { fromTree } from "./question_graph.ts";
import { SettingsForm } from "./settings.ts";
import * as theme from "./theme.ts";
import { FileDialog } from "./upload.ts";
import { WhyPanel } from "./why.ts";
import { trail } from "./why_graph.ts";

theme.apply();

class Workbench {
  private readonly editor = new Editor(find("#question"), find("#message"), {
    changed: () => {
      this.running?.abort(); // it would answer what is no longer asked
      this.live();
    },
    submit: (text) => void this.ask(text, { remember: true }),
  });
  private readonly picture = new TreePicture(find("#picture"), {
    select: (place) => this.edit(place),
    explain: (place, id) => void this.explain(id, place),
  });
  private readonly builder = new Builder(find("#builder"), (e) => this.topOf(e), {
    build: (e) => void this.build(e),
    leave: () => {
      this.picture.select(null);
      this.picture.refocus();
    },
    around: (id) => this.around.open(id),
  });
  private readonly graph = new GraphBench(find("#picture"), { ask: (question) => this.ask(question, { remember: true }) });
  private readonly answers = new AnswerTable(find("#summary"), find("#answers"), {
    explain: (answer) => void (this.result?.steps.length === 0 ? this.explainTuple(answer) : this.explain(api.idOf(answer), [])),
    more: () => {
      this.settings = { ...this.settings, limit: this.settings.limit * 5 };
      void this.ask(this.editor.text, {});
    },
    all: () => api.ask(this.result?.query ?? "", { ...this.settings, limit: -1 }),
  });
  private readonly why = new WhyPanel(find("#why"), {
    add: (fact) => void this.change([fact], []),
    around: (id) => this.around.open(id),
    close: () => this.closeWhy(),
  });
  private readonly around = new AroundPanel(find("#around"), {
    ask: (question) => void this.ask(question, { remember: true }),
    explain: (question, id) => void this.askWhy(question, id),
    canPredict: () => this.info?.model != null,
    moved: () => this.setAddress(true),
  });
  private readonly history = new QuestionHistory(find("#history"), (question) => void this.ask(question, { remember: true }));
  private readonly file = new FileDialog(() => this.info?.durable ?? false, { opened: () => void this.opened() });
  private readonly form = new SettingsForm((settings) => {
    this.settings = { ...this.settings, ...settings };
    void this.ask(this.editor.text, { remember: true });
  });
  private readonly note = new Note(find("#note"));
  private settings: api.Settings = defaults;
  private info: api.Info | null = null;
  private result: api.Result | null = null;
  private asked = ""; // the question that it answers
  private running: AbortController | null = null;
  private opener: Element | null = null;
  private markCard: (current: string) => void = () => {};
  // While typing, a question is asked at each pause, as long as answering is quick.
  private readonly live = debounce(450, () => {
    if (this.quick && !this.editor.isCompleting) void this.ask(this.editor.text, {});
  });
  private quick = true;

  async start(): Promise<void> {
    theme.wire();
    new FactForm(find("#fact-form"), (fact) => void this.change([fact], []));
    find("#ask").addEventListener("click", () => void this.ask(this.editor.text, { remember: true }));
    find("#new").addEventListener("click", () => (this.graph.close(), this.builder.start()));
    find("#new-graph").addEventListener("click", () => this.asGraph());
    find("#look").addEventListener("click", () => this.around.search());
    find("#open").addEventListener("click", () => this.file.open());
    this.file.acceptDrops(() => this.info?.upload ?? false);
    find("#link").addEventListener("click", () => void this.copyLink());
    for (const b of document.querySelectorAll<HTMLElement>("#signs button")) b.addEventListener("click", () => this.editor.insert(b.dataset.sign!));
    addEventListener("popstate", () => this.open(""));
    await this.introduce();
    this.open(this.info?.questions?.[0]?.question ?? "");
  }

  /** opened begins anew on the graph of a file, or on the same with more facts. */
  private async opened(): Promise<void> {
    this.result = null;
    this.asked = "";
    this.why.close();
    this.around.close();
    history.replaceState(null, "", location.pathname);
    await this.introduce();
    this.open(this.info?.questions?.[0]?.question ?? "");
  }

  /** introduce says what is served. */
  private async introduce(): Promise<void> {
    const info = (this.info = await api.info().catch((error: unknown) => {
      this.note.say(error instanceof Error ? error.message : String(error));
      return null;
    }));
    if (info) this.describe(info);
  }

  private describe(info: api.Info): void {
    const { name, entities, relations, triples } = info.graph;
    find("#graph").textContent = `${name.split("/").at(-1)}: ${counted(triples, "fact")}, ${counted(entities, "entity", "entities")}, ${counted(relations, "relation")}`;
    this.form.hasModel(info.model !== null);
    document.body.classList.toggle("truth", info.truth);
    find("#open").hidden = !info.upload;
    this.history.of(name);
    this.markCard = cards(find("#cards"), info.questions ?? [], (question) => void this.ask(question, { remember: true }));
  }

  /** open asks what the address says, or else the given question. */
  private open(otherwise: string): void {
    const { question, settings, view } = fromHash(location.hash);
    const text = question ?? otherwise;
    const same = this.result !== null && toHash(text, settings) === toHash(this.asked, this.settings);
    this.settings = settings;
    this.form.set(settings);
    this.editor.set(text);
    this.around.follow(view);
    if (same) return;
    if (text) void this.ask(text, {});
    else this.builder.start();
  }

  /** ask runs a question and shows what came of it; a newer one stops it. */
  private async ask(text: string, opts: { remember?: boolean; before?: api.Answer[] }): Promise<boolean> {
    this.live.cancel();
    this.running?.abort();
    if (text.trim() === "") return false;
    const running = (this.running = new AbortController());
    if (opts.remember || text !== this.editor.text) this.editor.set(text);
    find("#stage").setAttribute("aria-busy", "true");
    try {
      const started = performance.now();
      const result = await api.ask(text, this.settings, running.signal);
      this.quick = performance.now() - started < 1500;
      if (running === this.running) this.answered(text, result, opts);
    } catch (error) {
      if (running === this.running && !running.signal.aborted) this.refused(error);
      return false;
    } finally {
      if (running === this.running) find("#stage").setAttribute("aria-busy", "false");
    }
    return true;
  }

  private answered(text: string, result: api.Result, opts: { remember?: boolean; before?: api.Answer[] }): void {
    this.result = result;
    this.asked = text;
    document.body.classList.remove("stale");
    this.builder.close();
    this.why.close();
    if (this.graph.expects(text)) this.graph.asked(result);
    this.picture.show(this.graph.show(result) ? null : result);
    this.answers.show(result, opts.before);
    this.markCard(text);
    if (opts.remember) this.history.add(text, result.total);
    this.setAddress(opts.remember ?? false);
  }

  /** setAddress says in the address what is on the screen; a step that can be taken back is one of the browser's history. */
  private setAddress(isStep: boolean): void {
    const hash = toHash(this.asked, this.settings, this.around.view);
    if (hash === location.hash) return;
    if (isStep && location.hash !== "") history.pushState(null, "", hash);
    else history.replaceState(null, "", hash);
  }

  /** refused keeps the last answers on the screen, marked as those of an earlier question. */
  private refused(error: unknown): void {
    const refusal = error instanceof api.Refusal ? error : new api.Refusal(String(error), "failed");
    document.body.classList.toggle("stale", this.result !== null);
    this.editor.fail(refusal);
  }

  private topOf(e: Expr): Named[] {
    if (e.op === "entity") return [{ entity: e.name, id: e.id }];
    return this.result?.steps[e.step ?? -1]?.top ?? [];
  }

  /** memberOf finds an entity among those of a node: there it is known whether it is right. */
  private memberOf(node: Expr, id: string): api.Answer | undefined {
    const all = [...(this.result?.steps[node.step ?? -1]?.top ?? []), ...api.shown(this.result)];
    return all.find((a) => api.idOf(a) === id);
  }

  private edit(place: Place): void {
    const root = this.picture.expression;
    if (!root) return;
    this.picture.select(place);
    this.builder.edit(root, place);
  }

  /** build asks an edited picture. The answer variable keeps its name. */
  private async build(e: Expr): Promise<void> {
    const variable = /^\s*\?([\p{L}_][\p{L}\p{N}_]*)/u.exec(this.editor.text)?.[1];
    if (await this.ask(toText(e, variable, (entity) => this.nameOf(entity)), { remember: true })) this.picture.refocus();
  }

  /** nameOf keeps the identifiers that the text has: the label behind one may be that of several entities. */
  private nameOf({ id, name }: Expr): string {
    return id && this.editor.text.includes(id) ? id : name;
  }

  /** explain asks why an entity is in a set: in the answer, or in that of a part of the question. */
  private async explain(id: string, place: Place): Promise<void> {
    const node = this.picture.at(place);
    const result = this.result;
    if (!node || !result) return;
    this.opener = document.activeElement;
    this.builder.close();
    this.picture.select(null);
    if (place.length === 0) this.answers.choose(id);
    const question = place.length === 0 ? result.query : toText(node, "x", (e) => this.nameOf(e));
    const explanation = await this.reasons(question, [id], this.memberOf(node, id), id);
    if (explanation) this.picture.mark(trail(node, explanation.derivation, explanation.links ?? []));
  }

  /** explainTuple asks why an answer to a question that is no tree answers it. */
  private async explainTuple(answer: api.Answer): Promise<void> {
    const result = this.result;
    if (!result) return;
    this.opener = document.activeElement;
    this.answers.choose(api.idOf(answer));
    await this.reasons(result.query, api.entitiesOf(answer, result.probability !== undefined), answer, answer.entity);
  }

  /** reasons shows why entities answer a question, unless another was asked meanwhile. */
  private async reasons(question: string, entities: string[], member: api.Answer | undefined, otherwise: string): Promise<api.Explanation | null> {
    const result = this.result;
    const name = member?.entity ?? otherwise;
    this.why.wait(name);
    show(find("#why"));
    let explanation: api.Explanation | null = null;
    try {
      explanation = await api.explain(question, entities, this.settings);
      if (result !== this.result) return null;
      this.why.show(explanation, markOf(member ?? explanation.answer));
    } catch (error) {
      this.why.fail(name, error instanceof Error ? error.message : String(error));
    }
    show(find("#why"));
    this.why.focus();
    return explanation;
  }

  /** asGraph puts the question on the stage as a graph, to go on from there, or begins a new one. */
  private asGraph(): void {
    this.builder.close();
    const root = this.picture.expression;
    const graph = root && fromTree(root, /^\s*\?([\p{L}_][\p{L}\p{N}_]*)/u.exec(this.editor.text)?.[1]);
    this.picture.show(null);
    if (graph && this.result) this.graph.take(graph, this.result);
    else this.graph.start();
  }

  /** askWhy asks a question and at once why one entity is among its answers. */
  private async askWhy(question: string, id: string): Promise<void> {
    if (await this.ask(question, { remember: true })) await this.explain(id, []);
  }

  private closeWhy(): void {
    this.why.close();
    this.answers.choose("");
    this.picture.mark(new Map());
    if (this.opener instanceof SVGElement) this.picture.refocus();
    else if (this.opener instanceof HTMLElement) this.opener.focus();
  }

  /** change adds or removes facts, asks again and shows how the answers changed. */
  private async change(add: api.Fact[], remove: api.Fact[]): Promise<void> {
    const before = api.shown(this.result);
    try {
      await api.change(add, remove);
    } catch (error) {
      return this.note.say(error instanceof Error ? error.message : String(error));
    }
    const fact = [...add, ...remove][0]!;
    const text = `${fact.relation}(${fact.head}, ${fact.tail})`;
    await this.ask(this.editor.text, { before });
    if (add.length > 0) this.note.say(`Added ${text}. The answers are new.`, () => void this.change(remove, add));
    else this.note.say(`Took ${text} back.`);
  }

  private async copyLink(): Promise<void> {
    try {
      await navigator.clipboard.writeText(location.href);
      this.note.say("The link to this question is copied.");
    } catch {
      this.note.say("The address of this page is the link to this question.");
    }
  }
}

document.addEventListener("DOMContentLoaded", () => void new Workbench().start());
