"""Tests of the client against a real server. LACUNA names the binary; go test ./clients runs them."""

import os
import tempfile
import unittest

from lacuna import Fact, Lacuna, LacunaError, Table

BINARY = os.environ.get("LACUNA", "lacuna")

FILMS = """name,director,country
Amarcord,Fellini,Italy
Roma,Fellini,Italy
La Strada,Fellini,Italy
Teorema,Pasolini,Italy
Accattone,Pasolini,Italy
Paisan,Pasolini,
Breathless,Godard,France
Alphaville,Godard,France
"""


class ClientTest(unittest.TestCase):
    graph: Lacuna

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        path = os.path.join(cls.folder.name, "films.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(FILMS)
        cls.graph = Lacuna.start(path, binary=BINARY)

    @classmethod
    def tearDownClass(cls) -> None:
        process = cls.graph._process
        cls.graph.close()
        assert process is not None and process.returncode is not None, "the server goes on"
        cls.folder.cleanup()

    def test_ask(self) -> None:
        result = self.graph.ask("?f : director(f, Fellini)", exact=True)
        self.assertEqual(sorted(a.entity for a in result), ["Amarcord", "La Strada", "Roma"])
        self.assertTrue(all(a.known and a.probability == 1 for a in result))
        self.assertIn("<table>", result._repr_html_())
        self.assertEqual(len(result), result.total)

    def test_explain(self) -> None:
        why = self.graph.explain("?c : country(Paisan, c)", "Italy")
        self.assertEqual(why["answer"]["entity"], "Italy")
        self.assertFalse(why["answer"]["known"])
        self.assertEqual([n["entity"] for n in why["derivation"]["nodes"]], ["Italy", "Paisan"])
        self.assertTrue(why["links"][0]["paths"])

    def test_sparql(self) -> None:
        rows = self.graph.sparql("SELECT ?f { ?f :director :Godard } ORDER BY ?f")
        self.assertEqual([r["f"].rsplit(":")[-1] for r in rows], ["Alphaville", "Breathless"])
        self.assertEqual(self.graph.sparql("ASK { :Roma :director :Godard }"), [{"boolean": False}])

    def test_predict(self) -> None:
        facts = self.graph.predict("country", lacking=True, top=1, why=True)
        self.assertEqual([(f.head, f.tail, f.stated) for f in facts], [("Paisan", "Italy", False)])
        self.assertIn("Pasolini", facts[0].why)
        self.assertEqual([f.head for f in self.graph.predict("country", ["Roma"], top=1)], ["Roma"])
        self.assertEqual(len(self.graph.predict(missing=2)), 2)

    def test_score(self) -> None:
        stated, other = self.graph.score([("Roma", "country", "Italy"), ("Paisan", "country", "France")])
        self.assertTrue(stated.stated and stated.probability == 1)
        self.assertTrue(not other.stated and 0 < other.probability < 1)

    def test_audit(self) -> None:
        report = self.graph.audit("country", facts=5, limit=2)
        self.assertEqual((report["facts"], len(report["list"])), (5, 2))

    def test_facts(self) -> None:
        self.assertEqual(self.graph.facts(add=[("Ginger e Fred", "director", "Fellini")])["added"], 1)
        self.assertIn("Ginger e Fred", [a.entity for a in self.graph.ask("?f : director(f, Fellini)", exact=True)])
        self.assertEqual(self.graph.facts(remove=[("Ginger e Fred", "director", "Fellini")])["removed"], 1)

    def test_names(self) -> None:
        self.assertEqual(self.graph.find("felli")[0]["name"], "Fellini")
        self.assertEqual({r["name"] for r in self.graph.relations()}, {"director", "country"})
        self.assertEqual(self.graph.entity("Fellini")["facts"], 3)
        self.assertEqual(self.graph.info()["graph"]["relations"], 2)

    def test_errors(self) -> None:
        with self.assertRaises(LacunaError) as caught:
            self.graph.ask("?f : directr(f, Fellini)")
        self.assertEqual((caught.exception.kind, caught.exception.status, caught.exception.column), ("not_found", 404, 6))
        with self.assertRaisesRegex(LacunaError, "did you mean"):
            self.graph.predict("countri")
        with self.assertRaisesRegex(LacunaError, "no server answers"):
            Lacuna("http://127.0.0.1:1").info()
        with self.assertRaisesRegex(LacunaError, "nothing.csv"):
            Lacuna.start("nothing.csv", binary=BINARY)

    def test_tables(self) -> None:
        table = Table([Fact("a<b", "R", "c", 0.25, False)])
        self.assertEqual(table.rows(), [{"head": "a<b", "relation": "R", "tail": "c", "probability": 0.25, "stated": False}])
        self.assertIn("<td>a&lt;b</td>", table._repr_html_())
        try:
            import pandas  # noqa: F401
        except ImportError:
            return
        self.assertEqual(list(table.frame().columns), ["head", "relation", "tail", "probability", "stated"])


if __name__ == "__main__":
    unittest.main()
