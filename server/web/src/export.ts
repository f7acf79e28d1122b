// Answers as files.

import type { Answer } from "./api.ts";
import { h } from "./dom.ts";

/** csv writes answers by RFC 4180. A cell that a spreadsheet would run as a formula gets a leading apostrophe. */
export function csv(answers: Answer[]): string {
  const hasTruth = answers.some((a) => a.right !== undefined);
  const head = ["entity", "id", "probability", "known", ...(hasTruth ? ["right"] : [])];
  const rows = answers.map((a) => [a.entity, a.id ?? "", String(a.probability), String(a.known), ...(hasTruth ? [String(a.right ?? "")] : [])]);
  return [head, ...rows].map((row) => row.map(cell).join(",") + "\r\n").join("");
}

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? "'" + text : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** save offers a text as a download. */
export function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
