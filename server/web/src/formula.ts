// From the picture to text: a tree of set operations written in first-order logic.
// Every projection is an atom, every set between two of them a variable.

import { inverse, isInverse, type Expr } from "./expression.ts";

/** Formula is a conjunction under quantifiers: ∃vars : parts[0] ∧ parts[1] ∧ … */
interface Formula {
  vars: string[];
  parts: string[];
}

const letters = "abcdefghijklmnopqrstvwyz"; // u and x are for answers

class Writer {
  private used = 0;
  constructor(
    private readonly answer: string,
    private readonly nameOf: (entity: Expr) => string,
  ) {}

  private fresh(): string {
    const letter = letters[this.used % letters.length]!;
    const round = Math.floor(this.used++ / letters.length);
    const name = letter + (round > 0 ? String(round) : "");
    return name === this.answer ? this.fresh() : name;
  }

  /** formula says that the value of variable v is in the set e. */
  formula(e: Expr, v: string): Formula {
    switch (e.op) {
      case "entity":
        return { vars: [], parts: [`${v} = ${quote(this.nameOf(e))}`] };
      case "everything":
        return { vars: [], parts: [] };
      case "project":
        return this.projection(e.name, e.of[0]!, v);
      case "and":
        return merge(e.of.map((operand) => this.formula(operand, v)));
      case "or":
        return { vars: [], parts: [`(${e.of.map((operand) => this.closed(operand, v)).join(" ∨ ")})`] };
      case "not":
        return { vars: [], parts: ["¬" + this.closed(e.of[0]!, v)] };
    }
  }

  /** R from a set e to v: some a in e with R(a, v). What is known of a comes first, as people say it. */
  private projection(relation: string, e: Expr, v: string): Formula {
    if (e.op === "entity") return { vars: [], parts: [atom(relation, quote(this.nameOf(e)), v)] };
    const a = this.fresh();
    const inner = this.formula(e, a);
    return { vars: [a, ...inner.vars], parts: [...inner.parts, atom(relation, a, v)] };
  }

  /** closed is one operand of ∨ or ¬: its quantifiers stay inside of it. */
  private closed(e: Expr, v: string): string {
    const f = this.formula(e, v);
    const body = f.parts.join(" ∧ ") || "⊤";
    if (f.vars.length > 0) return `(∃${f.vars.join(", ")} : ${body})`;
    return f.parts.length > 1 || body.includes(" = ") || body.startsWith("¬") ? `(${body})` : body;
  }
}

function merge(all: Formula[]): Formula {
  return { vars: all.flatMap((f) => f.vars), parts: all.flatMap((f) => f.parts) };
}

/** A relation read backwards is written forwards with its arguments exchanged. */
function atom(relation: string, from: string, to: string): string {
  return isInverse(relation) ? `${quote(inverse(relation))}(${to}, ${from})` : `${quote(relation)}(${from}, ${to})`;
}

/** quote protects names that would be read as something else: signs, commas, keywords, what looks like a variable. */
export function quote(name: string): string {
  const plain = /^[\p{L}\p{N}_][\p{L}\p{N}_\-./ '’+]*$/u.test(name) && !name.includes("->") && !/\s\s|\s$/.test(name);
  const isWord = /(^|\s)(and|or|not|exists|forall|true|false)(\s|$)/i.test(name);
  const isVariable = /^[\p{Ll}]\d*$/u.test(name);
  if (plain && !isWord && !isVariable) return name;
  return `"${name.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n").replace(/\t/g, "\\t").replace(/\r/g, "\\r")}"`;
}

/** toText writes the question "which x are in the set e?". Entities go by their names, or by what nameOf says. */
export function toText(e: Expr, answer = "x", nameOf = (entity: Expr): string => entity.name): string {
  const f = new Writer(answer, nameOf).formula(e, answer);
  const quantifier = f.vars.length > 0 ? `∃${f.vars.join(", ")} : ` : "";
  return `?${answer} : ${quantifier}${f.parts.join(" ∧ ") || "⊤"}`;
}
