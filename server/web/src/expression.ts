// A question in operator form, as the picture shows and edits it: a tree of the paper's
// four operations over sets of entities. Trees are values; an edit makes a new one.

import type { Op, Step } from "./api.ts";

export interface Expr {
  op: Op;
  name: string; // the entity of "entity", the relation of "project", else empty
  id?: string; // of an entity whose name is a label
  of: Expr[];
  step?: number; // in the result that the tree was read from
}

/** Where a node stands: the number of the operand at every level, from the root. */
export type Place = readonly number[];

export const anchor = (name: string): Expr => ({ op: "entity", name, of: [] });
export const project = (relation: string, of: Expr): Expr => ({ op: "project", name: relation, of: [of] });
export const not = (of: Expr): Expr => (of.op === "not" ? of.of[0]! : { op: "not", name: "", of: [of] });

/** combine joins two sets; operands of the same operation become one list. */
export function combine(op: "and" | "or", a: Expr, b: Expr): Expr {
  const operands = [a, b].flatMap((e) => (e.op === op ? e.of : [e]));
  return { op, name: "", of: operands };
}

/** fromSteps reads the tree from a result. The program's ∧ and ∨ take two sets each; here they take any number. */
export function fromSteps(steps: Step[]): Expr | null {
  const read = (i: number): Expr => {
    const s = steps[i]!;
    let of = s.inputs.map(read);
    if (s.op === "and" || s.op === "or") of = of.flatMap((e) => (e.op === s.op ? e.of : [e]));
    return { op: s.op, name: s.entity ?? s.relation ?? "", id: s.op === "entity" ? s.top?.[0]?.id : undefined, of, step: i };
  };
  return steps.length > 0 ? read(steps.length - 1) : null;
}

export function at(root: Expr, place: Place): Expr | null {
  return place.reduce<Expr | null>((e, i) => e?.of[i] ?? null, root);
}

/** replace puts another expression at a place; null takes the operand away, and what cannot stand without it. */
export function replace(root: Expr, place: Place, next: Expr | null): Expr | null {
  const [first, ...rest] = place;
  if (first === undefined) return next;
  const child = root.of[first];
  const changed = child ? replace(child, rest, next) : null;
  const of = root.of.flatMap((e, i) => (i === first ? (changed ? [changed] : []) : [e]));
  if (of.length === 0) return null;
  if ((root.op === "and" || root.op === "or") && of.length === 1) return of[0]!;
  if (root.op === "not" && of[0]!.op === "not") return of[0]!.of[0]!;
  const flat = root.op === "and" || root.op === "or" ? of.flatMap((e) => (e.op === root.op ? e.of : [e])) : of;
  return { op: root.op, name: root.name, of: flat };
}

/** inverse of a relation's name. */
export const inverse = (relation: string): string => (isInverse(relation) ? relation.slice(0, -3) : relation + "^-1");

export const isInverse = (relation: string): boolean => relation.endsWith("^-1");

/** pretty says in words that a relation is read from its end to its beginning. */
export const pretty = (relation: string): string => (isInverse(relation) ? relation.slice(0, -3) + ", backwards" : relation);

/** describe says in a few words what a node is, for labels and screen readers. */
export function describe(e: Expr): string {
  switch (e.op) {
    case "entity":
      return e.name;
    case "everything":
      return "every entity";
    case "project":
      return pretty(e.name);
    case "and":
      return e.of.length > 2 ? "all of these" : "both";
    case "or":
      return "any of these";
    case "not":
      return "all others";
  }
}
