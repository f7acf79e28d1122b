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

const system = (): Theme => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

/** early runs before the page is drawn, so that it does not flash in the wrong colours. */
export function early(): void {
  const theme = stored();
  if (theme) document.documentElement.dataset.theme = theme;
}

export function wire(): void {
  const button = find<HTMLButtonElement>("#theme");
  const current = (): Theme => stored() ?? system();
  const label = (): void => button.setAttribute("aria-pressed", String(current() === "dark"));
  label();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
  button.addEventListener("click", () => {
    const next: Theme = current() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem(key, next);
    } catch {
      // not remembered, then
    }
    button.setAttribute("aria-pressed", String(next === "dark"));
  });
}
