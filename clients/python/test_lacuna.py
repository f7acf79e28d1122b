"""Tests of the client against a real server. LACUNA names the binary; go test ./clients runs them."""

import datetime
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

# Rows that have numbers for keys, titles for labels, and values of several types.
SHOWN = """id,title,by,year,rating,first_night,colour
1,Amarcord,Fellini,1973,7.9,1973-12-18,true
2,Roma,Fellini,1972,7.3,1972-03-16,true
3,La Strada,Fellini,1954,8.0,1954-09-06,false
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

    def test_several_variables(self) -> None:
        result = self.graph.ask("?d, ?c : exists f: director(f, d) & country(f, c)", exact=True)
        self.assertEqual(sorted((a["d"], a["?c"]) for a in result), [("Fellini", "Italy"), ("Godard", "France"), ("Pasolini", "Italy")])
        self.assertEqual(sorted(result.answers.rows()[0]), ["c", "d", "known", "probability"])
        self.assertIn("<th>d</th><th>c</th>", result._repr_html_())

    def test_yes_or_no(self) -> None:
        yes, no = self.graph.ask("director(Roma, Fellini)", exact=True), self.graph.ask("director(Roma, Godard)", exact=True)
        self.assertTrue(yes and not no)
        self.assertEqual((yes.probability, no.probability), (1, 0))
        self.assertIn("yes, 1", yes._repr_html_())

    def test_less_likely(self) -> None:
        result = self.graph.ask("?c : country(Paisan, c)", threshold=0.999)
        self.assertFalse(result)
        self.assertIn("Italy", [a.entity for a in result.less_likely])
        self.assertIn("below the threshold", result._repr_html_())

    def test_values(self) -> None:
        """Names and typed values come from ask, SPARQL, predictions and neighbourhoods alike."""
        path = os.path.join(self.folder.name, "shown.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SHOWN)
        with Lacuna.start(path, binary=BINARY) as graph:
            (roma,) = graph.ask("?f, ?y : year(f, y) & by(f, Fellini) & rating(f, 7.3)", exact=True)
            self.assertEqual((roma["f"], roma["y"], roma.ids), ("Roma", 1972, {"f": "shown/2"}))
            self.assertEqual(graph.ask("?d : first_night(Roma, d)", exact=True).answers[0].entity, datetime.date(1972, 3, 16))
            rows = graph.sparql("SELECT ?f ?r ?n ?c ?z { ?f :rating ?r ; :first_night ?n ; :colour ?c } ORDER BY ?r")
            self.assertEqual(rows[0], {"f": "Roma", "r": 7.3, "n": datetime.date(1972, 3, 16), "c": True, "z": None})
            years = [r for r in graph.entity("Roma")["relations"] if r["relation"] == "year"]
            self.assertEqual(years[0]["examples"], [1972])
            self.assertEqual(graph.score([("Roma", "year", "1972")])[0].tail, 1972)

    def test_explain(self) -> None:
        why = self.graph.explain("?c : country(Paisan, c)", "Italy")
        self.assertEqual(why["answer"]["entity"], "Italy")
        self.assertFalse(why["answer"]["known"])
        self.assertEqual([n["entity"] for n in why["derivation"]["nodes"]], ["Italy", "Paisan"])
        self.assertTrue(why["links"][0]["paths"])

    def test_sparql(self) -> None:
        rows = self.graph.sparql("SELECT ?f { ?f :director :Godard } ORDER BY ?f")
        self.assertEqual([r["f"] for r in rows], ["Alphaville", "Breathless"])
        self.assertEqual(self.graph.sparql("SELECT ?f { ?f :director :Godard } ORDER BY ?f", names=False)[0]["f"], "urn:lacuna:Alphaville")
        self.assertEqual(self.graph.sparql("ASK { :Roma :director :Godard }"), [{"boolean": False}])
        with self.assertWarnsRegex(UserWarning, "no entity <urn:lacuna:Gödard>.*did you mean <urn:lacuna:Godard>"):
            self.assertEqual(self.graph.sparql("SELECT ?f { ?f :director :Gödard }"), [])

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
        right, wrong = ("Roma", "country", "Italy"), ("Roma", "country", "France")
        self.graph.facts(add=[wrong], remove=[right])
        try:
            report = self.graph.audit("country", limit=1)
        finally:
            self.graph.facts(add=[right], remove=[wrong])
        self.assertEqual((report["facts"], [(d["head"], d["tail"]) for d in report["list"]]), (7, [("Roma", "France")]))

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
