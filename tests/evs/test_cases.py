"""AnswerCache on the case files of the prover; nothing is believed that can be tried.

An EQUIVALENT is attacked with random instances, and a second solver is asked its questions; a
witness is replayed, and what differs is handed to every verifier again: the refuter answers first
and would hide a wrong proof.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import CASES, Case, load_cases
from veer.api import Comparison, Version, verify
from veer.functions.arithmetic import fit_decimal
from veer.ir.dag import Dataflow
from veer.ir.query_pair import QueryPair
from veer.ir.sources import tables_read
from veer.ir.types import INTEGER_BITS, DecimalType, IntegralType
from veer.options import SecondSolver
from veer.prove import algebra as prover
from veer.prove.verifiers import registry
from veer.read.sql import read_sql
from veer.refute import Refutation, first_difference
from veer.refute.instances import Tables, constraints_hold
from veer.show.wording import assumption_text, reason_text
from veer.verdict import SinkReport, TableSemantics, Verdict, Witness, WitnessKind

SCHEMA = """
CREATE TABLE t (a INT, b INT, s STRING, d DOUBLE);
CREATE TABLE u (k INT NOT NULL, a INT, c INT, PRIMARY KEY (k));
CREATE TABLE v (k INT NOT NULL, a INT, b INT NOT NULL);
CREATE TABLE w (i INT NOT NULL, j INT NOT NULL, x INT, PRIMARY KEY (i, j));
CREATE TABLE f (
  id INT NOT NULL, k INT NOT NULL, m INT, x INT, PRIMARY KEY (id),
  FOREIGN KEY (k) REFERENCES u (k), FOREIGN KEY (m) REFERENCES u (k)
);
CREATE TABLE y (i INT NOT NULL, q INT, c INT, UNIQUE (i), UNIQUE (q));
CREATE TABLE n (p DECIMAL(8, 2), q DECIMAL(5, 1), o BIGINT, h SMALLINT, g DOUBLE NOT NULL, e FLOAT);
CREATE TABLE z (
  id INT NOT NULL, ok BOOLEAN, sure BOOLEAN NOT NULL, s STRING NOT NULL, r STRING,
  d DATE, e DATE NOT NULL, ts TIMESTAMP, xs ARRAY<INT>, PRIMARY KEY (id)
)
"""
INSTANCES, SEEDS = 30, (11, 12)
FILES = sorted(path.stem for path in (CASES / "algebra").glob("*.cases"))
ALL = [(name, case) for name in FILES for case in load_cases(f"algebra/{name}.cases")]


@pytest.mark.parametrize("case", [pytest.param(c, id=f"{name}: {c.title}") for name, c in ALL])
def test_case(case: Case) -> None:
    p, q = (read_sql(text, SCHEMA) for text in case.texts)
    semantics = TableSemantics(case.options.get("semantics", "bag"))
    asked = tuple(name.strip() for name in case.options.get("ev", "").split(",") if name)
    comparison = Comparison(semantics, evs=asked, recheck=SecondSolver.CVC5)
    report = verify(Version("P", p, False), Version("Q", q, False), comparison)
    (sink,) = report.sinks
    assert not report.disagreements
    assert report.verdict in EXPECTED[case.options["expect"]], reason_text(sink.reason)
    assert case.options.get("assume", "") in " ".join(assumption_text(a) for a in sink.assumptions)
    if report.verdict is Verdict.EQUIVALENT:
        assert_not_refuted(compared(p, q, semantics))
    if report.verdict is Verdict.INEQUIVALENT:
        assert_differ(p, q, sink, semantics)


EXPECTED = {
    "equivalent": {Verdict.EQUIVALENT},
    "inequivalent": {Verdict.INEQUIVALENT},
    "unknown": {Verdict.UNKNOWN},  # Spark gives either, as its plan wills
    "unproven": {Verdict.UNKNOWN, Verdict.INEQUIVALENT},
}


def compared(p: Dataflow, q: Dataflow, semantics: TableSemantics) -> Refutation:
    """Both results, columns paired by name."""
    (a,), (b,) = p.sinks, q.sinks
    names, others = ([n.lower() for n in s.names] for s in (p.result_schema, q.result_schema))
    columns = tuple((i, others.index(name)) for i, name in enumerate(names))
    return Refutation.of(p, q, a, b, columns, semantics)


def assert_not_refuted(refutation: Refutation) -> None:
    for seed in SEEDS:
        assert first_difference(refutation, INSTANCES, seed) is None


def assert_differ(p: Dataflow, q: Dataflow, sink: SinkReport, semantics: TableSemantics) -> None:
    """The witness is one, and no verifier claims the opposite."""
    assert sink.witness is not None
    if sink.witness.kind is WitnessKind.SCHEMA:
        assert (p.result_schema.names, p.result_schema.types) != (
            q.result_schema.names,
            q.result_schema.types,
        )
        return
    refutation = compared(p, q, semantics)
    tables = tables_of(sink.witness)
    assert refutation.differ(tables)
    assert_lawful(refutation, tables)
    pair = QueryPair(p, q, semantics, refutation.columns)
    for name in registry.names():
        assert registry.get(name).verify(pair).verdict is Verdict.UNKNOWN, name


def tables_of(witness: Witness) -> Tables:
    return {name: [tuple(r) for r in table["rows"]] for name, table in witness.tables.items()}


def assert_lawful(refutation: Refutation, tables: Tables) -> None:
    """The instance keeps the declared constraints, and every number is one of its type."""
    sources = tables_read((refutation.p, refutation.q))
    assert constraints_hold(sources, tables)
    for name, source in sources.items():
        for row in tables[name]:
            for value, field in zip(row, source.fields, strict=True):
                if value is not None and isinstance(field.type, IntegralType):
                    limit = 2 ** (INTEGER_BITS[field.type] - 1)
                    assert -limit <= value < limit, field
                if value is not None and isinstance(field.type, DecimalType):
                    assert fit_decimal(value, field.type) == value, field


def test_there_are_near_misses_for_what_is_proven() -> None:
    for name in FILES:
        expected = [c.options["expect"] for file, c in ALL if file == name]
        assert expected.count("inequivalent") * 2 >= expected.count("equivalent") > 0, name


@pytest.mark.parametrize("name", FILES)
def test_titles_are_unique_and_options_known(name: str) -> None:
    cases = [c for file, c in ALL if file == name]
    assert len({c.title for c in cases}) == len(cases)
    for case in cases:
        assert set(case.options) <= {"semantics", "ev", "rule", "assume", "expect"}, case.title
        assert len(case.texts) == 2, case.title


def test_rules_are_functions_of_the_prover() -> None:
    files = Path(prover.__file__).parent.rglob("*.py")
    code = "".join(p.read_text(encoding="utf-8") for p in files)
    for rule in sorted({c.options["rule"] for _, c in ALL if "rule" in c.options}):
        assert re.search(rf"def _?{rule}\(", code), rule
