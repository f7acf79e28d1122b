// What the graph holds: its relations and the kinds of its entities, with how many there are of each.

import * as api from "./api.ts";
import { counted, h } from "./dom.ts";
import { quote } from "./formula.ts";

export interface CatalogueEvents {
  ask(question: string): void;
  open(id: string): void;
}

const shown = 12; // of a list, before the rest is offered

/** catalogue is filled when the server has answered. */
export function catalogue(events: CatalogueEvents): HTMLElement {
  const element = h("div", { class: "catalogue" }, h("p", { class: "waiting", role: "status" }, "Counting …"));
  void Promise.all([api.relations(), api.kinds()]).then(
    ([relations, kinds]) => element.replaceChildren(relationList(relations, events), kindList(kinds, events)),
    (error: unknown) => element.replaceChildren(h("p", { class: "problem", role: "alert" }, error instanceof Error ? error.message : String(error))),
  );
  return element;
}

function relationList(relations: api.Counted[], events: CatalogueEvents): HTMLElement {
  const most = Math.max(1, ...relations.map((r) => r.facts));
  const items = relations.map((r) =>
    h("li", {}, h("button", { type: "button", "data-relation": r.name, onclick: () => events.ask(`?x, ?y : ${quote(r.id ?? r.name)}(x, y)`) }, h("span", { class: "label" }, r.name), h("span", { class: "number" }, r.facts.toLocaleString("en"))), bar(r.facts / most)),
  );
  return section(`Relations (${relations.length.toLocaleString("en")})`, "How many facts each has. Choose one to ask for them.", items);
}

function kindList(kinds: api.Kind[], events: CatalogueEvents): HTMLElement {
  const items = kinds.map((k) => {
    const name = k.relation ? h("button", { type: "button", "data-kind": k.name, onclick: () => events.ask(`?x : ${quote(k.relation!)}(x, ${quote(k.id ?? k.name)})`) }, k.name) : h("b", {}, k.name);
    const examples = k.examples.map((e) => h("button", { type: "button", class: "example", onclick: () => events.open(e.id) }, e.name));
    return h("li", {}, h("span", { class: "kind" }, name, " ", h("span", { class: "number" }, counted(k.entities, "entity", "entities"))), h("span", { class: "examples" }, ...examples));
  });
  const none = "The facts of this graph do not say what kinds of entities there are.";
  return section(`Kinds of entities (${kinds.length.toLocaleString("en")})`, items.length > 0 ? "How many there are, and some of each." : none, items);
}

function section(title: string, hint: string, items: HTMLElement[]): HTMLElement {
  const rest = items.slice(shown);
  rest.forEach((item) => (item.hidden = true));
  const more = h("button", { type: "button", class: "quiet" }, `${rest.length} more`);
  more.addEventListener("click", () => {
    rest.forEach((item) => (item.hidden = false));
    more.remove();
    rest[0]?.querySelector("button")?.focus();
  });
  return h("section", {}, h("h3", {}, title), h("p", { class: "hint" }, hint), h("ul", {}, ...items), rest.length > 0 ? more : null);
}

/** bar is drawn, as the policy of the page allows no styles in elements. */
function bar(share: number): HTMLElement {
  const meter = h("meter", { min: 0, max: 1, value: share, "aria-hidden": "true" });
  return meter;
}
