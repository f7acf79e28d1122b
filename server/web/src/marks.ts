// How an answer is marked: a shape that can be told without colour, a class for the colour, and words.

import type { Answer } from "./api.ts";
import { s } from "./dom.ts";

export type Mark = "known" | "implied" | "predicted" | "right" | "wrong" | "contested";

export const words: Record<Mark, string> = {
  known: "known",
  implied: "implied by the graph",
  predicted: "predicted",
  right: "predicted, right by held-out facts",
  wrong: "predicted, not confirmed",
  contested: "known, but held-out facts contradict",
};

export const short: Record<Mark, string> = {
  known: "known",
  implied: "implied",
  predicted: "predicted",
  right: "right",
  wrong: "unconfirmed",
  contested: "contested",
};

export function markOf(a: Answer): Mark {
  if (a.known && a.right === false) return "contested";
  if (a.known) return a.implied ? "implied" : "known";
  if (a.right === undefined) return "predicted";
  return a.right ? "right" : "wrong";
}

/** icon draws a mark in a square of 12: a disc is known, a ring predicted; a tick or a dash is what held-out facts say. */
export function icon(mark: Mark, x = 0, y = 0): SVGGElement {
  const at = { class: `mark ${mark}`, transform: `translate(${x} ${y})` };
  const ring = s("circle", { cx: 6, cy: 6, r: 4.6, class: "ring" });
  switch (mark) {
    case "known":
      return s("g", at, s("circle", { cx: 6, cy: 6, r: 4.6, class: "disc" }));
    case "implied":
      return s("g", at, ring, s("circle", { cx: 6, cy: 6, r: 3, class: "disc" }));
    case "predicted":
      return s("g", at, ring);
    case "right":
      return s("g", at, s("path", { d: "M1.5 6.5l3 3.2L10.5 2.5", class: "stroke" }));
    case "wrong":
      return s("g", at, s("path", { d: "M2 6h8", class: "stroke" }));
    case "contested":
      return s("g", at, ring, s("circle", { cx: 6, cy: 6, r: 2, class: "disc" }));
  }
}

/** badge is the icon for use in text. */
export function badge(mark: Mark): SVGSVGElement {
  return s("svg", { class: "badge", viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" }, icon(mark));
}
