// What the pickers and the editor suggest: entities by name, and the relations that lead on from a set.

import * as api from "./api.ts";
import { counted } from "./dom.ts";
import { isInverse, pretty } from "./expression.ts";
import type { Option } from "./listbox.ts";

const facts = (n: number | undefined): string => (n === undefined ? "" : counted(n, "fact"));

export async function entities(typed: string): Promise<Option[]> {
  const found = await api.complete("entity", typed);
  // A label that several entities bear does not say which is meant; the identifier does.
  const isShared = (m: api.Match): boolean => found.some((other) => other !== m && other.name === m.name);
  return found.map((m) => ({ value: m.id && isShared(m) ? m.id : m.name, label: m.name, detail: [m.id !== m.name && m.id, facts(m.facts)].filter(Boolean).join(" · ") }));
}

export async function relations(typed: string): Promise<Option[]> {
  const found = await api.complete("relation", typed);
  return found.map((m) => ({ value: m.name, label: pretty(m.name), detail: facts(m.facts) }));
}

interface Way {
  relation: string;
  count: number;
  examples: string[];
}

/** ways merges the relations of some entities, those with most facts first. */
export function ways(from: { relations: { relation: string; count: number; examples: string[] | null }[] | null }[]): Way[] {
  const all = new Map<string, Way>();
  for (const { relation, count, examples } of from.flatMap((n) => n.relations ?? [])) {
    const way = all.get(relation) ?? { relation, count: 0, examples: [] };
    all.set(relation, { relation, count: way.count + count, examples: [...new Set([...way.examples, ...(examples ?? [])])] });
  }
  return [...all.values()].sort((a, b) => b.count - a.count || a.relation.localeCompare(b.relation));
}

/** leadingFrom suggests the relations of the first few entities of a set, with where they lead; then any other. */
export function leadingFrom(names: string[]): (typed: string) => Promise<Option[]> {
  const near = Promise.all(names.slice(0, 3).map((name) => api.entity(name).catch(() => null))).then((all) =>
    ways(all.filter((n) => n !== null)),
  );
  return async (typed) => {
    const wanted = typed.toLowerCase();
    const options = (await near)
      .filter((way) => way.relation.toLowerCase().includes(wanted))
      .map((way) => ({ value: way.relation, label: pretty(way.relation), detail: "to " + way.examples.slice(0, 2).join(", ") + (way.examples.length > 2 ? ", …" : "") }));
    if (options.length > 0 || typed === "") return options;
    const both = (m: Option): Option[] => (isInverse(m.value) ? [m] : [m, { ...m, value: m.value + "^-1", label: pretty(m.value + "^-1") }]);
    return (await relations(typed)).flatMap(both);
  };
}
