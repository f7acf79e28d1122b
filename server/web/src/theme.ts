// Dark and light: the system's choice until the switch is used.

import { find } from "./dom.ts";

const key = "lacuna-theme";
type Theme = "dark" | "light";

function stored(): Theme | null {
  try {
    const theme = localStorage.getItem(key);
    return theme === "dark" || theme === "light" ? theme : null;
  } catch {
    return null; // storage may be forbidden
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // not remembered, then
  }
}

const system = matchMedia("(prefers-color-scheme: dark)");
const current = (): Theme => stored() ?? (system.matches ? "dark" : "light");

/** apply is called before the page is drawn, too, so that it does not flash in the wrong colours. */
export function apply(theme = current()): void {
  document.documentElement.dataset.theme = theme;
  document.querySelector("#theme")?.setAttribute("aria-pressed", String(theme === "dark"));
}

export function wire(): void {
  apply();
  system.addEventListener("change", () => apply());
  find("#theme").addEventListener("click", () => {
    const next: Theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    store(next);
    apply(next);
  });
}
