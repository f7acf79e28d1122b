// The reading plan: what each table and column of a file becomes, as the server proposes it, and the changes
// that clicks make to it. Every function gives a new plan of a table; none changes the one it is given.

export interface Plan {
  tables: TablePlan[];
}

export interface TablePlan {
  table: string;
  file: string;
  format: string;
  rows: "entities" | "triples" | "facts" | "ignored";
  subject?: string;
  per?: "row" | "key";
  label?: string;
  columns?: ColumnPlan[];
  seen: number;
  sample?: boolean;
  found?: string;
  doubts?: string[];
  [other: string]: unknown; // what only the server needs
}

export type Role = "head" | "relation" | "tail" | "annotation" | "reference" | "value" | "ignore";

export interface ColumnPlan {
  name: string;
  role: Role;
  property?: string;
  table?: string;
  datatype?: string;
  separator?: string;
  filled: number;
  different: number;
  examples?: string[];
  doubt?: string;
  [other: string]: unknown;
}

const cell = (name: string): string => `{${name}}`;

/** among tells whether a template, such as films/{id}, is made of a column. */
export const among = (template: string | undefined, name: string): boolean => (template ?? "").includes(cell(name));

/** keysOf are the columns that name the entity of a row. */
export const keysOf = (t: TablePlan): string[] => (t.columns ?? []).map((c) => c.name).filter((name) => among(t.subject, name));

const change = (t: TablePlan, name: string, to: (c: ColumnPlan) => ColumnPlan): TablePlan => ({
  ...t,
  columns: (t.columns ?? []).map((c) => (c.name === name ? to(c) : c)),
});

/** stated gives a column that says nothing yet a fact to say: a value of its type, or a name. */
const stated = (c: ColumnPlan): ColumnPlan =>
  c.role === "ignore" ? { ...c, role: c.datatype ? "value" : "reference", property: c.property || c.name } : c;

/** become changes what the cells of a column are: "names", "table:films", "value", "nothing", or a part of a triple. */
export function become(t: TablePlan, name: string, what: string): TablePlan {
  return change(t, name, (c) => {
    const [kind, table] = what.startsWith("table:") ? ["reference" as Role, what.slice(6)] : [({ names: "reference", nothing: "ignore" }[what] ?? what) as Role, undefined];
    const property = (t.rows === "entities" && kind !== "ignore") || kind === "annotation" ? c.property || c.name : c.property;
    return { ...c, role: kind, table, property, datatype: kind === "value" ? c.datatype || "string" : c.datatype };
  });
}

/** becomes is the word for what a column is now, as become takes it. */
export const becomes = (c: ColumnPlan): string =>
  c.role === "reference" ? (c.table ? "table:" + c.table : "names") : c.role === "ignore" ? "nothing" : c.role;

export const part = (t: TablePlan, name: string, separator: string): TablePlan =>
  change(t, name, (c) => ({ ...c, separator: separator || undefined }));

export const rename = (t: TablePlan, name: string, property: string): TablePlan =>
  change(t, name, (c) => ({ ...c, property: property.trim() || c.name }));

/** setKey makes a column part of what names a row, or not; without any, each row is named by its number. */
export function setKey(t: TablePlan, name: string, isKey: boolean): TablePlan {
  const keys = (t.columns ?? []).map((c) => c.name).filter((n) => (n === name ? isKey : among(t.subject, n)));
  const subject = (prefixed(t, keys) ? t.table + "/" : "") + (keys.length > 0 ? keys.map(cell).join("/") : "{_row}");
  const next = { ...t, subject, per: keys.length > 0 ? t.per : ("row" as const) };
  if (!isKey) return change(next, name, stated);
  // A column that is the whole name has nothing more to say of its row.
  return keys.length === 1 ? change(next, name, (c) => ({ ...c, role: "ignore", property: undefined, table: undefined })) : next;
}

/** prefixed tells of names that would mean nothing without that of their table: numbers, and those of several cells. */
function prefixed(t: TablePlan, keys: string[]): boolean {
  const examples = t.columns?.find((c) => c.name === keys[0])?.examples ?? [];
  return keys.length !== 1 || examples.every((e) => /^-?\d+$/.test(e));
}

export function setLabel(t: TablePlan, name: string, isLabel: boolean): TablePlan {
  const columns = (t.columns ?? []).map((c) => c.name).filter((n) => (n === name ? isLabel : among(t.label, n)));
  return { ...t, label: columns.length > 0 ? columns.map(cell).join(" ") : undefined };
}

export const setPer = (t: TablePlan, per: "row" | "key"): TablePlan => ({ ...t, per });

/** setRows changes what a row is. The first columns take the parts of a triple; of a triple's columns each becomes names. */
export function setRows(t: TablePlan, rows: TablePlan["rows"]): TablePlan {
  const columns = t.columns ?? [];
  if (rows === "triples") {
    const parts: Role[] = columns.length > 2 ? ["head", "relation", "tail"] : ["head", "tail"];
    const edge = (role: Role): string | undefined => (role === "tail" && parts.length === 2 ? "edge" : undefined);
    return { ...t, rows, columns: columns.map((c, i) => ({ ...c, role: parts[i] ?? "ignore", table: undefined, property: edge(parts[i] ?? "ignore") })) };
  }
  if (rows !== "entities" || t.subject) return { ...t, rows, columns: columns.map((c) => (isPart(c) ? stated({ ...c, role: "ignore" }) : c)) };
  const named = columns.map((c) => ({ ...stated({ ...c, role: "ignore" as Role, property: undefined }) }));
  return { ...t, rows, per: "row", subject: `${t.table}/{_row}`, columns: named };
}

const isPart = (c: ColumnPlan): boolean => ["head", "relation", "tail", "annotation"].includes(c.role);

/** problemOf says why a plan of a table cannot be followed, "" where it can. */
export function problemOf(t: TablePlan): string {
  if (t.rows !== "triples") return "";
  const number = (role: Role): number => (t.columns ?? []).filter((c) => c.role === role).length;
  if (number("head") !== 1 || number("tail") !== 1) return `${t.file}: choose one column for the first entity of a fact and one for the second.`;
  return number("relation") > 1 ? `${t.file}: choose one column for the relation.` : "";
}

const forPeople = ["found", "doubts", "doubt", "examples", "seen", "sample", "filled", "different"];

/** compact is a plan as it is sent: short, without what is only there to be read. */
export const compact = (plan: Plan): string => JSON.stringify(plan, (key, value: unknown) => (forPeople.includes(key) ? undefined : value));
