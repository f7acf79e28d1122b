// Making elements without a framework.

type Value = string | number | boolean | null | undefined | ((event: never) => void);
export type Props = Record<string, Value>;
export type Child = Node | string | null | undefined | false;

function assign(element: Element, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** h makes an HTML element; a property that begins with "on" is a listener. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  assign(element, props);
  element.append(...children.filter((c): c is Node | string => !!c));
  return element;
}

/** s makes an SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  assign(element, props);
  element.append(...children.filter((c): c is Node | string => !!c));
  return element;
}

export function find<T extends Element = HTMLElement>(selector: string): T {
  const element = document.querySelector<T>(selector);
  if (!element) throw new Error(`the page lacks ${selector}`);
  return element;
}

let counter = 0;
export const unique = (prefix: string): string => `${prefix}-${++counter}`;

/** fixed is a probability as people read it, in four characters, as the terminal has it: only what is certain is 1.00. */
export const fixed = (p: number): string => (p >= 0.995 && p < 1 ? ">.99" : p > 0 && p < 0.01 ? "<.01" : p.toFixed(2));

/** counted is how many there are of something: 1 fact, 2,518 facts. */
export const counted = (n: number, one: string, many = one + "s"): string => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

/** about is a count that need not be whole. */
export const about = (n: number): string =>
  n >= 100 || Number.isInteger(n) ? Math.round(n).toLocaleString("en") : n.toFixed(1);

export const reducedMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function show(element: Element): void {
  element.scrollIntoView({ behavior: reducedMotion() ? "auto" : "smooth", block: "nearest" });
}

/** debounce waits for a pause in the calls. */
export function debounce<A extends unknown[]>(ms: number, action: (...args: A) => void): ((...args: A) => void) & { cancel(): void } {
  let timer = 0;
  const later = (...args: A): void => {
    clearTimeout(timer);
    timer = window.setTimeout(() => action(...args), ms);
  };
  return Object.assign(later, { cancel: () => clearTimeout(timer) });
}
