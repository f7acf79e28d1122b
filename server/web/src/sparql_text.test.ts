import assert from "node:assert/strict";
import { test } from "node:test";
import { fragmentAt, offsetOf, sought, variables, written, pieces } from "./sparql_text.ts";

test("what is begun before the cursor", () => {
  const at = (text: string) => fragmentAt(text, text.length);
  assert.deepEqual(at("SELECT ?fi"), { from: 7, text: "?fi", kind: "variable" });
  assert.deepEqual(at("{ ?f ex:dir"), { from: 5, text: "ex:dir", kind: "name" });
  assert.deepEqual(at("{ ?f :dir"), { from: 5, text: ":dir", kind: "name" });
  assert.deepEqual(at("SEL"), { from: 0, text: "SEL", kind: "word" });
  assert.deepEqual(at("{ ?f <Tur"), { from: 5, text: "<Tur", kind: "name" });
  assert.equal(at("{ ?f "), null);
});

test("names as a query writes them", () => {
  const prefixes = [{ name: "ex", iri: "http://example.org/" }];
  assert.equal(written("http://example.org/director", prefixes), "ex:director");
  assert.equal(written("http://example.org/a/b", prefixes), "<http://example.org/a/b>");
  assert.equal(written("Turing Award", prefixes), "<Turing%20Award>");
  assert.equal(written("/m/027rn", prefixes), "</m/027rn>");
});

test("what is looked up, variables, places", () => {
  assert.equal(sought("ex:dir"), "dir");
  assert.equal(sought("<http://example.org/dir"), "dir");
  assert.equal(sought("<Turing%20A"), "Turing A");
  assert.deepEqual(variables("SELECT ?film { ?film ?p ?f", "?f"), ["?film"]);
  assert.equal(offsetOf("ab\ncd", 2, 2), 4);
});

test("the pieces of a query are its text, each in its colour", () => {
  const text = `# who\nPREFIX f: <http://x/f#>\nSELECT ?p (COUNT(*) AS ?n) { ?p f:by "a # \\" b"@en ; :in <urn:x> ; a f:Film . FILTER(?n > 1.5 && ?p < ?q) }`;
  const list = pieces(text);
  assert.equal(list.map((p) => p.text).join(""), text);
  const of = (kind: string): string[] => list.filter((p) => p.kind === kind).map((p) => p.text);
  assert.deepEqual(of("comment"), ["# who"]);
  assert.deepEqual(of("literal"), ['"a # \\" b"', "1.5"]);
  assert.deepEqual(of("variable"), ["?p", "?n", "?p", "?n", "?p", "?q"]);
  assert.deepEqual(of("quantifier"), ["PREFIX", "SELECT", "COUNT", "AS", "a", "FILTER"]);
  assert.deepEqual(of("entity"), ["f:", "<http://x/f#>", "f:by", ":in", "<urn:x>", "f:Film"]);
  for (const broken of ['SELECT "', "'''x", "<", "?", "{ ?x :a'b }", "\u{1F600} :é"]) assert.equal(pieces(broken).map((p) => p.text).join(""), broken);
});
