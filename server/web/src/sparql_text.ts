// What the page of SPARQL knows of the text of a query, without the page.

export interface Prefix {
  name: string;
  iri: string;
}

export const words = [
  "SELECT", "ASK", "CONSTRUCT", "DESCRIBE", "WHERE", "DISTINCT", "OPTIONAL", "UNION", "MINUS", "FILTER", "BIND", "VALUES", "GROUP BY",
  "HAVING", "ORDER BY", "DESC", "LIMIT", "OFFSET", "COUNT", "SUM", "MIN", "MAX", "AVG", "NOT EXISTS", "PREFIX", "REGEX", "LANG", "STR", "BOUND",
];

/** Fragment is what stands before the cursor and may be completed. */
export interface Fragment {
  from: number;
  text: string;
  kind: "variable" | "name" | "word";
}

/** fragmentAt finds it; null where nothing is begun. */
export function fragmentAt(text: string, cursor: number): Fragment | null {
  const found = /(?:[?$]\w*|<[^<>\s]*|[\p{L}_][\w.-]*:[^\s;,.(){}<>"]*|:[^\s;,.(){}<>"]+|[\p{L}]\w*)$/u.exec(text.slice(0, cursor));
  if (!found || !found[0]) return null;
  const begun = found[0];
  const kind = /^[?$]/.test(begun) ? "variable" : begun.includes(":") || begun.startsWith("<") ? "name" : "word";
  return { from: cursor - begun.length, text: begun, kind };
}

/** Piece is a part of a query that has a colour. */
export interface Piece {
  text: string;
  kind: "comment" | "literal" | "entity" | "variable" | "quantifier" | "";
}

const piece = new RegExp(
  [
    /(?<comment>#[^\n]*)/,
    /(?<literal>"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|\b\d+(?:\.\d+)?\b|\b(?:true|false)\b)/,
    /(?<entity><[^<>"{}|^`\s]*>|_:\w+|[\p{L}_][\p{L}\d_.-]*:[^\s;,(){}<>"'#]*|:[^\s;,(){}<>"'#]+)/u,
    /(?<variable>[?$][\p{L}\d_]+)/u,
    /(?<quantifier>\b[A-Za-z]{1,20}\b)/,
  ]
    .map((r) => r.source)
    .join("|"),
  "gu",
);

/** pieces parts a query into what has a colour and what has none; together they are the text. */
export function pieces(text: string): Piece[] {
  const list: Piece[] = [];
  let at = 0;
  for (const found of text.matchAll(piece)) {
    if (found.index > at) list.push({ text: text.slice(at, found.index), kind: "" });
    const kind = Object.entries(found.groups ?? {}).find(([, value]) => value !== undefined)![0] as Piece["kind"];
    list.push({ text: found[0], kind: kind === "quantifier" && !isWord(found[0]) ? "" : kind });
    at = found.index + found[0].length;
  }
  if (at < text.length) list.push({ text: text.slice(at), kind: "" });
  return list;
}

const further = ["A", "AS", "ASC", "FROM", "NAMED", "GRAPH", "IN", "EXISTS", "BASE", "SAMPLE", "IF", "CONTAINS", "DATATYPE", "INSERT", "DELETE", "DATA", "SERVICE"];
const single = new Set([...words.flatMap((w) => w.split(" ")), ...further]);
const isWord = (text: string): boolean => single.has(text.toUpperCase());

/** variables are those of a text, the one at hand left out. */
export function variables(text: string, except: string): string[] {
  return [...new Set(text.match(/[?$]\w+/g) ?? [])].filter((v) => v !== except && v.startsWith(except));
}

/** written is how a query names what the graph calls by an identifier. */
export function written(id: string, prefixes: readonly Prefix[]): string {
  for (const { name, iri } of prefixes) {
    const local = id.slice(iri.length);
    if (id.startsWith(iri) && /^[\p{L}\d_][\p{L}\d_-]*$/u.test(local)) return `${name}:${local}`;
  }
  if (/^[a-z][a-z0-9+.-]*:\S*$/i.test(id)) return `<${id}>`;
  // A name that is no IRI has the prefix ":", unless the graph's file means something else by it.
  if (/^[\p{L}_][\p{L}\d_-]*$/u.test(id) && !prefixes.some((p) => p.name === "")) return `:${id}`;
  return `<${encodeURIComponent(id).replaceAll("%2F", "/")}>`;
}

/** sought is what of a fragment names are looked up by: what follows the prefix or the last slash. */
export const sought = (fragment: string): string => decodeURIComponentSafely(fragment.replace(/^<?.*[:/#<]/u, ""));

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** offsetOf is where a line and a column, both from 1, stand in a text. */
export function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0);
  return Math.min(text.length, before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length);
}
