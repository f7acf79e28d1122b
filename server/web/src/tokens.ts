// What each part of a question's text is, for colouring, for completion and for error marks.
// The server alone decides what is right; this reader accepts anything and never fails.

export type Kind = "variable" | "relation" | "entity" | "operator" | "quantifier" | "punctuation";

export interface Token {
  kind: Kind;
  start: number; // in UTF-16 units, as a text field counts
  end: number;
}

const keyword = /^(and|or|not|exists|forall)(?![\p{L}\p{N}_'])/iu;
const sign = /^(!=|->|&&|\|\||[∧∨¬→≠=&|!~:])/u;
const word = /^\??[\p{L}_][\p{L}\p{N}_']*/u;
const operatorForm = /^\s*(?:[PCDN]\s*[[(]|\{)/;

/** tokenize reads first-order logic, or the paper's operator form. */
export function tokenize(text: string): Token[] {
  return new Reader(text).read(operatorForm.test(text));
}

class Reader {
  private readonly tokens: Token[] = [];
  private readonly open: ("arguments" | "group")[] = [];
  private readonly variables = new Set<string>();
  private at = 0;

  constructor(private readonly text: string) {}

  read(operators: boolean): Token[] {
    while (this.at < this.text.length) {
      this.space();
      const before = this.at;
      if (this.at >= this.text.length) break;
      if (operators) this.operator();
      else if (this.open.at(-1) === "arguments") this.argument();
      else this.formula();
      // What stands where nothing is expected is passed over.
      if (this.at === before) this.take("punctuation", 1);
    }
    return this.tokens;
  }

  private get rest(): string {
    return this.text.slice(this.at);
  }

  private take(kind: Kind, length: number): string {
    const start = this.at;
    this.at += length;
    if (length > 0) this.tokens.push({ kind, start, end: this.at });
    return this.text.slice(start, this.at);
  }

  private space(): void {
    this.at += /^\s*/.exec(this.rest)![0].length;
  }

  private formula(): void {
    const rest = this.rest;
    const first = rest[0]!;
    const quantifier = /^(?:[∃∀]|(?:exists|forall)(?![\p{L}\p{N}_']))/iu.exec(rest);
    const connective = keyword.exec(rest) ?? sign.exec(rest);
    if (quantifier) this.quantifier(quantifier[0].length);
    else if (first === "(" || first === ")") this.parenthesis(first);
    else if (connective) this.connective(connective[0]);
    else if (first === "?") this.variables.add(this.take("variable", word.exec(rest)?.[0].length ?? 1).slice(1));
    else this.relation();
  }

  /** ∃a, b : binds variables up to the colon. */
  private quantifier(length: number): void {
    this.take("quantifier", length);
    for (;;) {
      this.space();
      const variable = word.exec(this.rest);
      if (!variable || keyword.test(this.rest)) return;
      this.variables.add(this.take("variable", variable[0].length).replace("?", ""));
      this.space();
      const next = this.rest[0];
      if (next !== "," && next !== ":" && next !== ".") return;
      this.take("punctuation", 1);
      if (next !== ",") return;
    }
  }

  private parenthesis(sign: string): void {
    if (sign === ")") this.open.pop();
    else this.open.push("group");
    this.take("punctuation", 1);
  }

  private connective(text: string): void {
    this.take(text === ":" ? "punctuation" : "operator", text.length);
    if (!["=", "≠", "!="].includes(text)) return;
    this.space();
    const value = this.nameLength((rest) => /^(?:[∧∨→&|)]|->|\s(?:and|or)\s)/i.test(rest));
    if (value > 0) this.take("entity", value);
  }

  /** A name before its arguments, or a variable before "=". */
  private relation(): void {
    const length = this.nameLength((rest) => /^(?:[(∧∨→≠=&|):,]|!=|->|\s(?:and|or)\s)/i.test(rest));
    const after = this.text.slice(this.at + length).trimStart();
    if (/^(?:=|≠|!=)/.test(after)) this.take("variable", length);
    else this.take("relation", length);
    this.space();
    if (this.rest[0] !== "(") return;
    this.take("punctuation", 1);
    this.open.push("arguments");
  }

  private argument(): void {
    const first = this.rest[0]!;
    if (first === "," || first === ")") {
      if (first === ")") this.open.pop();
      this.take("punctuation", 1);
      return;
    }
    const length = this.argumentLength();
    const name = this.text.slice(this.at, this.at + length);
    this.take(name.startsWith("?") || this.variables.has(name) ? "variable" : "entity", length);
  }

  /** An argument may hold balanced parentheses: Mercury (planet). */
  private argumentLength(): number {
    let depth = 0;
    return this.nameLength((rest) => {
      if (rest[0] === "(") depth++;
      if (rest[0] === ")" && depth-- === 0) return true;
      return rest[0] === "," && depth === 0;
    });
  }

  private operator(): void {
    const rest = this.rest;
    if (/^[PCDN](?=\s*[[(])/.test(rest)) this.take("operator", 1);
    else if (rest[0] === "[") this.bracketed("relation", "]");
    else if (rest[0] === "{") this.bracketed("entity", "}");
    else this.take("punctuation", 1);
  }

  private bracketed(kind: Kind, close: string): void {
    this.take("punctuation", 1);
    const length = this.nameLength((rest) => rest[0] === close);
    if (length > 0) this.take(kind, length);
  }

  /** nameLength measures a quoted name, or one up to where ends says so, white space at its end left out. */
  private nameLength(ends: (rest: string) => boolean): number {
    const quoted = /^(?:"(?:\\.|[^"\\])*"?|“[^”]*”?)(?:\^-1|⁻¹)?/.exec(this.rest);
    if (quoted) return quoted[0].length;
    let length = 0;
    while (this.at + length < this.text.length && !ends(this.text.slice(this.at + length))) length++;
    return this.text.slice(this.at, this.at + length).trimEnd().length;
  }
}

/** What is being typed at the caret: a name of an entity or a relation, from start up to the caret and on to end. */
export interface Fragment {
  kind: "entity" | "relation";
  start: number;
  end: number;
  typed: string;
}

export function fragmentAt(text: string, caret: number): Fragment | null {
  const token = tokenize(text).find((t) => t.start <= caret && caret <= t.end && (t.kind === "entity" || t.kind === "relation"));
  if (!token) return null;
  const typed = text.slice(token.start, caret).replace(/^["“]/, "");
  return { kind: token.kind as "entity" | "relation", start: token.start, end: token.end, typed };
}

/** offsetOf turns the line and column of an error, columns in code points, into an index of the text. */
export function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0);
  const here = Array.from(lines[line - 1] ?? "").slice(0, column - 1).join("");
  return Math.min(before + here.length, text.length);
}

/** spanOf is what an error at an offset is about: the token there, or one character. */
export function spanOf(text: string, offset: number): { start: number; end: number } {
  const token = tokenize(text).find((t) => t.start <= offset && offset < t.end);
  if (token) return { start: token.start, end: token.end };
  return { start: Math.min(offset, Math.max(0, text.length - 1)), end: Math.min(offset + 1, text.length) };
}
