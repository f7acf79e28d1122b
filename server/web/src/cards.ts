// Prepared questions, each interesting for a reason of its own.

import type { Prepared } from "./api.ts";
import { h } from "./dom.ts";

export function cards(element: HTMLElement, questions: Prepared[], chosen: (question: string) => void): (current: string) => void {
  const buttons = questions.map((q) =>
    h(
      "button",
      { type: "button", class: "card", "data-question": q.question, onclick: () => chosen(q.question) },
      h("strong", {}, q.title),
      h("span", { class: "formula" }, q.question),
      h("span", {}, q.why),
    ),
  );
  element.hidden = buttons.length === 0;
  element.replaceChildren(...buttons.map((b) => h("li", {}, b)));
  return (current) => {
    for (const b of buttons) {
      if (b.dataset.question === current) b.setAttribute("aria-current", "true");
      else b.removeAttribute("aria-current");
    }
  };
}
