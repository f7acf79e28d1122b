import assert from "node:assert/strict";
import { test } from "node:test";
import { anchor, combine, not, project } from "./expression.ts";
import { quote, toText } from "./formula.ts";

const laureates = project("Win^-1", anchor("Turing Award"));
const deep = project("Field^-1", anchor("Deep Learning"));

test("the paper's question is written as the paper writes it", () => {
  const e = project("University", combine("and", laureates, deep));
  assert.equal(toText(e, "u"), "?u : ∃a : Win(a, Turing Award) ∧ Field(a, Deep Learning) ∧ University(a, u)");
});

test("every operation has its formula", () => {
  assert.equal(toText(anchor("Rome")), "?x : x = Rome");
  assert.equal(toText(laureates), "?x : Win(x, Turing Award)");
  assert.equal(toText(project("Win", anchor("Ada"))), "?x : Win(Ada, x)");
  assert.equal(toText(combine("or", laureates, deep)), "?x : (Win(x, Turing Award) ∨ Field(x, Deep Learning))");
  assert.equal(toText(combine("and", laureates, not(deep))), "?x : Win(x, Turing Award) ∧ ¬Field(x, Deep Learning)");
  assert.equal(toText(project("R", { op: "everything", name: "", of: [] })), "?x : ∃a : R(a, x)");
});

test("quantifiers stay inside of ∨ and ¬", () => {
  const chain = project("Advisor", deep);
  assert.equal(
    toText(combine("and", laureates, not(chain))),
    "?x : Win(x, Turing Award) ∧ ¬(∃a : Field(a, Deep Learning) ∧ Advisor(a, x))",
  );
  assert.equal(
    toText(combine("or", chain, project("Student", deep))),
    "?x : ((∃a : Field(a, Deep Learning) ∧ Advisor(a, x)) ∨ (∃b : Field(b, Deep Learning) ∧ Student(b, x)))",
  );
});

test("every variable has a name of its own, and never that of the answer", () => {
  let e = anchor("start");
  for (let i = 0; i < 60; i++) e = project("R", e);
  const vars = /∃([^:]*) :/.exec(toText(e, "b"))![1]!.split(", ");
  assert.equal(vars.length, 59);
  assert.equal(new Set(vars).size, 59);
  assert.ok(!vars.includes("b"));
});

test("an entity may go by its identifier", () => {
  const london = { ...anchor("London"), id: "Q84" };
  assert.equal(toText(project("In^-1", london), "x", (e) => e.id ?? e.name), "?x : In(x, Q84)");
});

test("names are quoted where they would be read as something else", () => {
  for (const name of ["Turing Award", "New York University", "1966", "C++", "Saint-Étienne", "O'Neill"]) assert.equal(quote(name), name);
  assert.equal(quote("Washington, D.C."), '"Washington, D.C."');
  assert.equal(quote("Mercury (planet)"), '"Mercury (planet)"');
  assert.equal(quote('6" gun'), '"6\\" gun"');
  assert.equal(quote("Crime and Punishment"), '"Crime and Punishment"');
  assert.equal(quote("a"), '"a"');
  assert.equal(quote("R&D"), '"R&D"');
  assert.equal(quote("two  spaces"), '"two  spaces"');
});
