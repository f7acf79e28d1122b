import assert from "node:assert/strict";
import { test } from "node:test";
import { fragmentAt, offsetOf, spanOf, tokenize } from "./tokens.ts";

const kinds = (text: string): string =>
  tokenize(text)
    .filter((t) => t.kind !== "punctuation")
    .map((t) => `${t.kind[0]}:${text.slice(t.start, t.end)}`)
    .join(" ");

test("first-order logic is told apart by place", () => {
  assert.equal(
    kinds("?u : ∃a : Win(a, Turing Award) ∧ ¬Field^-1(Deep Learning, a) ∨ University(a, u)"),
    "v:?u q:∃ v:a r:Win v:a e:Turing Award o:∧ o:¬ r:Field^-1 e:Deep Learning v:a o:∨ r:University v:a v:u",
  );
  assert.equal(kinds("?p : exists a, b: Win(a, X) and not R(b, p)"), "v:?p q:exists v:a v:b r:Win v:a e:X o:and o:not r:R v:b v:p");
  assert.equal(kinds("?x : x = New York | x != Rome"), "v:?x v:x o:= e:New York o:| v:x o:!= e:Rome");
});

test("names with parentheses, quotes and keywords stay whole", () => {
  assert.equal(kinds('?x : R(x, Mercury (planet)) & S("Washington, D.C.", x)'), 'v:?x r:R v:x e:Mercury (planet) o:& r:S e:"Washington, D.C." v:x');
  assert.equal(kinds("?x : Orbits(x, Andromeda)"), "v:?x r:Orbits v:x e:Andromeda");
});

test("the operator form", () => {
  assert.equal(kinds("P[University](C(P[Win^-1]({Turing Award}), N({X})))"), "o:P r:University o:C o:P r:Win^-1 e:Turing Award o:N e:X");
});

test("any text is read to its end, without overlap", () => {
  const alphabet = ["?", "x", "∃", "(", ")", ",", "{", "}", "[", "P", '"', "“", " ", "\n", "and", "=", "->", "^-1", "é", "𝔸", ":", "!"];
  let seed = 7;
  const random = (): number => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: 1 + Math.floor(random() * 14) }, () => alphabet[Math.floor(random() * alphabet.length)]!).join("");
    let at = 0;
    for (const t of tokenize(text)) {
      assert.ok(t.start >= at && t.end > t.start && t.end <= text.length, JSON.stringify({ text, t }));
      assert.equal(text.slice(at, t.start).trim(), "", JSON.stringify(text));
      at = t.end;
    }
    assert.equal(text.slice(at).trim(), "", JSON.stringify(text));
  }
});

test("what is typed at the caret", () => {
  const text = "?p : Win(p, Turing Aw) ∧ Fie";
  assert.deepEqual(fragmentAt(text, 21), { kind: "entity", start: 12, end: 21, typed: "Turing Aw" });
  assert.deepEqual(fragmentAt(text, 18), { kind: "entity", start: 12, end: 21, typed: "Turing" });
  assert.deepEqual(fragmentAt(text, text.length), { kind: "relation", start: 25, end: 28, typed: "Fie" });
  assert.equal(fragmentAt(text, 10), null, "a variable is no name");
  assert.equal(fragmentAt('?p : R(p, "Wash', 15)?.typed, "Wash");
});

test("errors are found by line and column, columns in code points", () => {
  assert.equal(offsetOf("?x : R(x, y)", 1, 6), 5);
  assert.equal(offsetOf("?x :\n 𝔸 R(x, y)", 2, 4), 9);
  assert.equal(offsetOf("ab", 1, 99), 2);
  const text = "?p : Win(p, Turing Awrd)";
  assert.deepEqual(spanOf(text, 12), { start: 12, end: 23 });
  assert.deepEqual(spanOf("?p : Win", 8), { start: 7, end: 8 });
});
