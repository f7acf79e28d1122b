"""A client of Lacuna, which answers logical questions on knowledge graphs that have gaps.

It needs the standard library alone, Python 3.9 or newer. Either connect to a server,

    graph = Lacuna("http://127.0.0.1:8420")

or let it start one on a free port, which ends with the block:

    with Lacuna.start("films.csv") as graph:
        print(graph.ask("?f : director(f, Fellini)"))
        for fact in graph.predict("country", lacking=True, top=1):
            print(fact.probability, fact.head, fact.tail)

Entities are their names. Numbers, dates and truth values of the graph are those of Python.
Lists of answers and facts are Table values: lists that a notebook shows as tables, and that
become pandas frames by .frame() where pandas is installed.
"""

from __future__ import annotations

import dataclasses
import datetime
import html
import json
import os
import re
import shutil
import subprocess
import sysconfig
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import warnings
from typing import Any, Dict, Generic, Iterable, Iterator, List, Mapping, Optional, Tuple, TypeVar, Union

__all__ = ["Answer", "Fact", "Lacuna", "LacunaError", "Result", "Table"]

T = TypeVar("T")
Triple = Tuple[str, str, str]
Value = Union[str, int, float, bool, datetime.date, datetime.datetime]


class LacunaError(Exception):
    """What the server refuses. kind is invalid, not_found, too_large, busy, cancelled, unauthorized, forbidden, unavailable or failure."""

    def __init__(self, message: str, kind: str = "failure", status: int = 0, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.kind, self.status, self.line, self.column = kind, status, line, column


@dataclasses.dataclass(frozen=True)
class Answer:
    """What answers a question: a value for each of its variables, as in answer["f"]."""

    values: Mapping[str, Value]
    probability: float
    known: bool  # the graph states or implies it; else it is predicted
    ids: Mapping[str, str] = dataclasses.field(default_factory=dict)  # the identifiers of those whose name is a label
    implied: str = ""  # by which rules, where the graph does not state it

    @property
    def entity(self) -> Value:
        """The value of the only variable; of several, the first."""
        return next(iter(self.values.values()))

    @property
    def id(self) -> str:
        """The identifier of entity, "" where its name is one."""
        return self.ids.get(next(iter(self.values)), "")

    def __getitem__(self, variable: str) -> Value:
        return self.values[variable.lstrip("?")]

    def row(self) -> Dict[str, Any]:
        """The columns of a table: entity, or a column for each of several variables."""
        if len(self.values) == 1:
            return {"entity": self.entity, "probability": self.probability, "known": self.known, "id": self.id}
        return {**self.values, "probability": self.probability, "known": self.known}


@dataclasses.dataclass(frozen=True)
class Fact:
    """A possible fact with its probability."""

    head: Value
    relation: str
    tail: Value
    probability: float
    stated: bool
    why: str = ""  # stated facts that speak for it, where they were asked for
    head_id: str = ""
    tail_id: str = ""


class Table(List[T], Generic[T]):
    """A list of records of one kind, shown as a table by notebooks."""

    def rows(self) -> List[Dict[str, Any]]:
        """The records as dictionaries, without the columns that are empty throughout."""
        rows = [_row(r) for r in self]
        used = {k for row in rows for k, v in row.items() if v != ""}
        return [{k: v for k, v in row.items() if k in used} for row in rows]

    def frame(self) -> Any:
        """The records as a pandas.DataFrame; pandas has to be installed."""
        import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore]

        return pandas.DataFrame(self.rows())

    def _repr_html_(self) -> str:
        rows = self.rows()
        if not rows:
            return "<p>nothing</p>"
        head = "".join(f"<th>{html.escape(k)}</th>" for k in rows[0])
        body = "".join("<tr>" + "".join(f"<td>{_cell(v)}</td>" for v in row.values()) + "</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _row(record: Any) -> Dict[str, Any]:
    if isinstance(record, Answer):
        return record.row()
    return dict(record) if isinstance(record, dict) else dataclasses.asdict(record)


def _cell(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else html.escape(str(value))


@dataclasses.dataclass(frozen=True)
class Result:
    """An answered question."""

    question: str
    answers: Table[Answer]
    total: int  # answers, listed or not
    raw: Dict[str, Any] = dataclasses.field(repr=False)  # all that the server says, with every step

    @property
    def less_likely(self) -> Table[Answer]:
        """The likeliest answers below the threshold."""
        return _answers(self.raw, "less_likely")

    @property
    def probability(self) -> Optional[float]:
        """That the answer is yes, of a question without variables; else None."""
        return self.raw.get("probability")

    @property
    def hints(self) -> List[str]:
        """What to look at where the question may not be what was meant."""
        return list(self.raw.get("hints") or [])

    def frame(self) -> Any:
        """The answers as a pandas.DataFrame; pandas has to be installed."""
        return self.answers.frame()

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.answers)

    def __len__(self) -> int:
        return len(self.answers)

    def __bool__(self) -> bool:
        return len(self.answers) > 0 if self.probability is None else self.probability >= 0.5

    def _repr_html_(self) -> str:
        parts = [f"<p><code>{html.escape(self.question)}</code></p>"]
        parts += [f"<p>{html.escape(hint)}</p>" for hint in self.hints]
        if self.probability is not None:
            parts.append(f"<p>{'yes' if self else 'no'}, {self.probability:.3g}</p>")
        elif self.answers:
            parts.append(self.answers._repr_html_())
        else:
            parts.append("<p>no answers</p>")
        if self.less_likely:
            parts.append(f"<details><summary>below the threshold</summary>{self.less_likely._repr_html_()}</details>")
        return "".join(parts)


class Lacuna:
    """A graph that a server of Lacuna serves."""

    def __init__(self, url: str = "http://127.0.0.1:8420", token: Optional[str] = None, timeout: float = 300) -> None:
        self.url, self.timeout = url.rstrip("/"), timeout
        self._token = token if token is not None else os.environ.get("LACUNA_TOKEN", "")
        self._process: Optional["subprocess.Popen[str]"] = None
        self._version = 0  # of the graph, as it was seen last: servers that share their facts answer on it or a later one

    @classmethod
    def start(cls, graph: Optional[str] = None, *flags: str, binary: str = "", timeout: float = 300) -> "Lacuna":
        """Serves a graph (None: the one that comes with Lacuna) on a free port until close. Flags are those of lacuna serve."""
        command = [binary or _program(), "serve", "-q", "--addr", "127.0.0.1:0", *(["-g", graph] if graph is not None else []), *flags]
        environment = {k: v for k, v in os.environ.items() if k != "LACUNA_TOKEN"}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        assert process.stdout is not None and process.stderr is not None
        for line in process.stdout:
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            if found:
                client = cls(found.group(0), token="", timeout=timeout)
                client._process = process
                # What the server goes on to say is read, or it would wait for a reader one day.
                for stream in (process.stdout, process.stderr):
                    threading.Thread(target=_drain, args=(stream,), daemon=True).start()
                return client
        said = process.stderr.read().strip()
        process.stdout.close()
        process.stderr.close()
        process.wait()
        raise LacunaError((said[8:] if said.startswith("lacuna: ") else said) or "the server did not start")

    def close(self) -> None:
        """Ends the server that start started; others go on."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None

    def __enter__(self) -> "Lacuna":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # the interpreter may be on its way out
            pass

    def info(self) -> Dict[str, Any]:
        """What is served: the graph, the model, the limits, questions to begin with."""
        return dict(self._get("/api/info"))

    def relations(self) -> "Table[Dict[str, Any]]":
        """All relations, the most frequent first."""
        return Table(self._get("/api/relations"))

    def find(self, text: str, kind: str = "entity", limit: int = 10) -> "Table[Dict[str, Any]]":
        """Entities, or relations, by the beginning of a word in their names."""
        query = urllib.parse.urlencode({"kind": kind, "q": text, "limit": limit})
        return Table(self._get("/api/complete?" + query)["matches"])

    def entity(self, name: str) -> Dict[str, Any]:
        """An entity and the relations that lead on from it."""
        found = dict(self._get("/api/entity?" + urllib.parse.urlencode({"name": name})))
        for relation in found["relations"]:
            ids = relation.get("example_ids") or relation["examples"]
            relation["examples"] = [_typed(i, name) for i, name in zip(ids, relation["examples"])]
        return found

    def ask(self, question: str, *, threshold: Optional[float] = None, limit: int = -1, exact: bool = False, **more: Any) -> Result:
        """Answers a question, such as ?f : exists p: Directed(p, f) & BornIn(p, Rome), or of several variables ?p, ?f : Directed(p, f)."""
        body = {"question": question, "limit": limit, **more}
        if threshold is not None:
            body["threshold"] = threshold
        if exact:
            body["mode"] = "exact"
        raw = self._post("/api/ask", body)
        self._saw(raw)
        return Result(raw["query"], _answers(raw, "answers"), raw["total"], raw)

    def explain(self, question: str, entity: str = "", **more: Any) -> Dict[str, Any]:
        """Why an entity answers a question: the links that lead to it ("derivation", "links"), and the facts behind every predicted one."""
        return dict(self._post("/api/explain", {"question": question, **({"entity": entity} if entity else {}), **more}))

    def sparql(self, query: str, *, predict: bool = False, threshold: Optional[float] = None, names: bool = True) -> "Table[Dict[str, Any]]":
        """The solutions of a SELECT in SPARQL, or of an ASK one row, exact or with predictions.

        Entities are their names, as in ask; names=False gives their addresses. None stands for what is not bound.
        """
        form = {"query": query, **({"mode": "predict"} if predict else {}), **({"threshold": str(threshold)} if threshold is not None else {})}
        results = self._select(form)
        for text in results.get("warnings", []):  # what the query names and the graph lacks
            warnings.warn(text, stacklevel=2)
        if "boolean" in results:
            return Table([{"boolean": results["boolean"]}])
        variables, bindings = results["head"]["vars"], results["results"]["bindings"]
        labels = self._labels({t["value"] for b in bindings for t in b.values() if t["type"] == "uri"}) if names else {}
        return Table({v: _term(b[v], labels, names) if v in b else None for v in variables} for b in bindings)

    def _select(self, form: Dict[str, str]) -> Dict[str, Any]:
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/sparql-results+json"}
        with self._open("/sparql", urllib.parse.urlencode(form).encode(), headers) as response:
            text = response.read().decode()
        try:
            return dict(json.loads(text))
        except ValueError:  # a stream that an error stopped ends with it, and is no whole document
            kind, message = re.search(r'"error":(\{.*\})\s*$', text), "the results broke off"
            problem = json.loads(kind.group(1)) if kind else {}
            raise LacunaError(problem.get("message", message), problem.get("kind", "failure"), 200) from None

    def _labels(self, addresses: "set[str]") -> Dict[str, str]:
        """The labels of entities; those without one are left out."""
        labels: Dict[str, str] = {}
        ordered = sorted(a for a in addresses if not re.search(r'[<>"{}|^`\\\s]', a))
        for start in range(0, len(ordered), 400):
            some = " ".join(f"<{a}>" for a in ordered[start : start + 400])
            query = "SELECT ?e ?l { VALUES ?e { %s } ?e <http://www.w3.org/2000/01/rdf-schema#label> ?l }" % some
            for b in self._select({"query": query})["results"]["bindings"]:
                labels.setdefault(b["e"]["value"], b["l"]["value"])
        return labels

    def predict(
        self, relation: str = "", entities: Optional[Iterable[str]] = None, *, top: int = 10, least: float = 0.01,
        lacking: bool = False, missing: int = 0, why: bool = False, literals: bool = False,
    ) -> "Table[Fact]":
        """Fills a relation, for entities or for all that it is stated of and those like them; or lists the likeliest missing facts."""
        return Table(self.predictions(relation, entities, top=top, least=least, lacking=lacking, missing=missing, why=why, literals=literals))

    def predictions(self, relation: str = "", entities: Optional[Iterable[str]] = None, **how: Any) -> Iterator[Fact]:
        """predict, fact by fact as they are found."""
        body = {"relation": relation, **({"entities": list(entities)} if entities is not None else {}), **how}
        return self._facts({k: v for k, v in body.items() if v})

    def score(self, facts: Iterable[Triple], *, why: bool = False) -> "Table[Fact]":
        """A probability for each triple of head, relation and tail."""
        return Table(self._facts({"score": _triples(facts), **({"why": True} if why else {})}))

    def audit(self, relation: str = "", *, facts: int = 300, limit: int = 20) -> Dict[str, Any]:
        """Stated facts that the rest of the graph speaks against ("list"), and how far that is to be trusted ("trial")."""
        answer = dict(self._post("/api/audit", {"facts": facts, "limit": limit, **({"relation": relation} if relation else {})}))
        answer["list"] = Table(answer["list"])
        return answer

    def facts(self, add: Iterable[Triple] = (), remove: Iterable[Triple] = ()) -> Dict[str, Any]:
        """Adds and removes facts; later questions see them, also where another server answers that shares its facts.

        While the database that servers share cannot be reached it tries again for a few seconds, under one key, so that the change is made once.
        """
        body = {"add": _triples(add), "remove": _triples(remove), "key": uuid.uuid4().hex}
        for pause in (1, 2, 4, 0):
            try:
                answer = dict(self._post("/api/facts", body))
                break
            except LacunaError as refused:
                if refused.kind != "unavailable" or not pause:
                    raise
                time.sleep(pause)
        self._saw(answer)
        return answer

    def _facts(self, body: Dict[str, Any]) -> Iterator[Fact]:
        known = {f.name for f in dataclasses.fields(Fact)}
        with self._open("/api/predict", json.dumps(body).encode(), {"Content-Type": "application/json"}) as response:
            for line in response:
                record = json.loads(line)
                if "error" in record:
                    raise _error(record["error"], 200)
                for end in ("head", "tail"):
                    record[end] = _typed(record.get(end + "_id", ""), record[end])
                yield Fact(**{k: v for k, v in record.items() if k in known})

    def _saw(self, answer: Dict[str, Any]) -> None:
        self._version = max(self._version, int(answer.get("version", 0)))

    def _get(self, path: str) -> Any:
        with self._open(path, None, {}) as response:
            return json.load(response)

    def _post(self, path: str, body: Dict[str, Any]) -> Any:
        with self._open(path, json.dumps(body).encode(), {"Content-Type": "application/json"}) as response:
            return json.load(response)

    def _open(self, path: str, data: Optional[bytes], headers: Dict[str, str]) -> Any:
        if self._token:
            headers = {**headers, "Authorization": "Bearer " + self._token}
        if self._version and path != "/api/facts":
            path += ("&" if "?" in path else "?") + f"min_version={self._version}"
        request = urllib.request.Request(self.url + path, data=data, headers=headers)
        try:
            return urllib.request.urlopen(request, timeout=self.timeout)
        except urllib.error.HTTPError as failure:
            with failure:
                text = failure.read().decode("utf-8", "replace")
            if failure.code == 412:  # the database was put back to an earlier state: said once
                self._version = 0
            try:
                raise _error(json.loads(text)["error"], failure.code) from None
            except (ValueError, KeyError, TypeError):
                raise LacunaError(text.strip() or str(failure), status=failure.code) from None
        except urllib.error.URLError as failure:
            raise LacunaError(f"no server answers at {self.url}: {failure.reason}") from None


def _program() -> str:
    """The program that came with this client, or else the one on the path."""
    beside = shutil.which("lacuna", path=sysconfig.get_path("scripts"))
    return beside or "lacuna"


def _answers(raw: Dict[str, Any], part: str) -> Table[Answer]:
    """The answers of a response, each with the names of the question's variables."""
    head = re.match(r"\s*((?:\?\w+\s*,?\s*)+):", raw["query"])
    variables = re.findall(r"\?(\w+)", head.group(1)) if head else []
    table: Table[Answer] = Table()
    for a in raw.get(part) or []:
        names = a.get("entities") or [a["entity"]]
        ids = a.get("ids") or ([a["id"]] if a.get("id") else [""] * len(names))
        keys = variables if len(variables) == len(names) else [f"x{i}" for i in range(len(names))]
        values = {k: _typed(i, n) for k, i, n in zip(keys, ids, names)}
        table.append(Answer(values, a["probability"], a["known"], {k: i for k, i, n in zip(keys, ids, names) if i and i != n and values[k] == n}, a.get("implied", "")))
    return table


_LITERAL = re.compile(r'"(.*)"\^\^<http://www\.w3\.org/2001/XMLSchema#(\w+)>', re.DOTALL)
_WHOLE = {"integer", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger", "unsignedInt", "unsignedLong", "gYear"}


def _typed(identifier: str, name: Any) -> Value:
    """An entity by its name, or a value by what its identifier says that it is."""
    found = _LITERAL.fullmatch(identifier or str(name))
    return _value(found.group(1), found.group(2), str(name)) if found else str(name)


def _value(text: str, datatype: str, otherwise: str) -> Value:
    try:
        if datatype in _WHOLE:
            return int(text)
        if datatype in ("decimal", "double", "float"):
            return float(text)
        if datatype == "boolean":
            return text in ("true", "1")
        if datatype == "date":
            return datetime.date.fromisoformat(text)
        if datatype == "dateTime":
            return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        pass  # not as its type says: it stays a text
    return otherwise


def _term(term: Dict[str, str], labels: Dict[str, str], names: bool) -> Value:
    """A term of SPARQL's results."""
    text = term["value"]
    if term["type"] == "uri" and names:
        return labels.get(text) or (urllib.parse.unquote(text[len("urn:lacuna:") :]) if text.startswith("urn:lacuna:") else text)
    return _value(text, term.get("datatype", "").rpartition("#")[2], text)


def _triples(facts: Iterable[Triple]) -> List[Dict[str, str]]:
    return [{"head": h, "relation": r, "tail": t} for h, r, t in facts]


def _error(told: Dict[str, Any], status: int) -> LacunaError:
    return LacunaError(told["message"], told["kind"], status, told.get("line", 0), told.get("column", 0))


def _drain(stream: Any) -> None:
    with stream:
        for _ in stream:
            pass
