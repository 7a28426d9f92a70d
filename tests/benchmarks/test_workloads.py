"""The paper's workloads: counts as in its table, and pairs that are what they are said to be."""

from __future__ import annotations

import re
from collections import Counter

import jsonschema
import pytest
import yaml

from benchmarks.support.tpcds import catalog
from benchmarks.workloads import HERE, WORKLOADS, Pair, Workload, generate, load_version
from benchmarks.workloads.data import FUNCTIONS
from benchmarks.workloads.definitions import files
from veer.interpreter import run_dataflow, same_result
from veer.ir.dag import Dataflow
from veer.ir.expr import Call, Expr
from veer.ir.ops import Aggregate, Join, JoinKind, Project, RowUdf, Source, Union, Unnest
from veer.ir.walk import parts
from veer.read.workflow.reader import SCHEMA
from veer.refute import Refutation, first_difference
from veer.refute.instances import constraints_hold
from veer.verdict import TableSemantics
from veer.verification.versions import VersionPair

SEEDS = range(5)
INSTANCES = 40
PATHS = sorted(str(path.relative_to(HERE)) for path in HERE.glob("w*/*.yaml"))
by_name = {w.name: w for w in WORKLOADS}
EQUIVALENT = [(w.name, pair) for w in WORKLOADS for pair in w.pairs if pair.equivalent]
INEQUIVALENT = [(w.name, pair) for w in WORKLOADS for pair in w.pairs if not pair.equivalent]


def shown(value: object) -> str:
    return value.version if isinstance(value, Pair) else str(value)


def _is_python(expr: Expr) -> bool:
    return any(isinstance(p, Call) and p.function.startswith("python.") for p in parts(expr))


def kinds(dataflow: Dataflow) -> Counter[str]:
    """How many operators there are of each kind the paper's table names."""
    found: Counter[str] = Counter()
    for id_, operator in dataflow.operators.items():
        match operator:
            case Join(kind):
                found["join"] += 1
                found["outer join"] += kind in (JoinKind.LEFT, JoinKind.FULL)
            case Aggregate():
                found["aggregate"] += 1
            case Union():
                found["union"] += 1
            case Unnest():
                found["unnest"] += 1
            case RowUdf():
                found["classifier" if operator.kind == "Classifier" else "udf"] += 1
            case Project(columns) if any(_is_python(c.expr) for c in columns):
                found["udf"] += 1  # its code is read
        found["replicate"] += len(dataflow.outputs[id_]) > 1
    return found


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: w.name)
def test_counts_are_those_of_the_table(workload: Workload) -> None:
    base = load_version(workload.base).dataflow
    assert (len(base.operators), len(base.links)) == (workload.operators, workload.links)
    found = kinds(base)
    assert {kind: found[kind] for kind in workload.kinds} == workload.kinds
    versions = [p for p in PATHS if re.fullmatch(rf"{workload.name.lower()}/v\d+\.yaml", p)]
    assert len(versions) == workload.versions
    assert len(workload.equivalent) == workload.versions - 2


def test_the_files_are_those_of_the_definitions() -> None:
    made = files()
    assert sorted(made) == PATHS
    stale = [path for path in PATHS if (HERE / path).read_text(encoding="utf-8") != made[path]]
    assert not stale, "run python -m benchmarks.workloads"


@pytest.mark.parametrize("path", PATHS)
def test_every_file_is_read_and_keeps_to_the_schema(path: str) -> None:
    load_version(path)
    text = (HERE / path).read_text(encoding="utf-8")
    jsonschema.validate(yaml.safe_load(re.sub(r"\bon:", '"on":', text)), SCHEMA)


def test_every_file_is_in_some_pair() -> None:
    named = {path for w in WORKLOADS for pair in w.pairs for path in (pair.base, pair.version)}
    assert sorted(named) == PATHS


@pytest.mark.parametrize("name", ["W1", "W2", "W3", "W4"])
def test_tables_are_those_of_tpcds(name: str) -> None:
    dataflow = load_version(by_name[name].base).dataflow
    for source in dataflow.operators.values():
        if isinstance(source, Source):
            real = {f.name: f.type for f in catalog()[source.table].fields}
            assert {f.name: real[f.name] for f in source.fields} == {
                f.name: f.type for f in source.fields
            }


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: w.name)
def test_generated_tables_keep_the_constraints(workload: Workload) -> None:
    dataflow = load_version(workload.base).dataflow
    sources = {s.table: s for s in dataflow.operators.values() if isinstance(s, Source)}
    for seed in SEEDS:
        tables = generate(workload.name, 30, seed)
        assert constraints_hold(sources, tables)
        assert tables == generate(workload.name, 30, seed)


def test_functions_are_known_by_the_names_the_files_use() -> None:
    dataflows = [load_version(path).dataflow for path in PATHS if path[:2] == "w7"]
    operators = [op for dataflow in dataflows for op in dataflow.operators.values()]
    assert {op.identity for op in operators if isinstance(op, RowUdf)} == set(FUNCTIONS)


def differences(name: str, pair: Pair) -> list[bool]:
    """For each instance of generated data and each compared sink, whether the versions differ."""
    p, q = (version.dataflow for version in pair.load())
    functions = by_name[name].functions
    found = []
    rows = 0
    for seed in SEEDS:
        tables = generate(pair.base, 60, seed)
        ours, theirs = run_dataflow(p, tables, functions), run_dataflow(q, tables, functions)
        for sink in pair.sinks or p.sinks:
            one, two = ours[sink], theirs[sink]
            same = one.names == two.names and same_result(one, two, TableSemantics.BAG)
            found.append(not same)
            rows += len(one.rows)
    assert rows >= len(found), "hardly any rows: the data does not try the versions"
    return found


@pytest.mark.parametrize(("name", "pair"), EQUIVALENT, ids=shown)
def test_equivalent_versions_agree(name: str, pair: Pair) -> None:
    assert not any(differences(name, pair))


@pytest.mark.parametrize(("name", "pair"), EQUIVALENT, ids=shown)
def test_equivalent_versions_agree_on_small_instances(name: str, pair: Pair) -> None:
    p, q = (version.dataflow for version in pair.load())
    for sink in pair.sinks or p.sinks:
        names = q.schemas[sink].names
        assert sorted(names) == sorted(p.schemas[sink].names)
        columns = tuple((i, names.index(n)) for i, n in enumerate(p.schemas[sink].names))
        refutation = Refutation.of(p, q, sink, sink, columns, TableSemantics.BAG)
        assert first_difference(refutation, INSTANCES) is None


@pytest.mark.parametrize(("name", "pair"), INEQUIVALENT, ids=shown)
def test_inequivalent_versions_differ(name: str, pair: Pair) -> None:
    assert any(differences(name, pair))


@pytest.mark.parametrize(("name", "pair"), INEQUIVALENT, ids=shown)
def test_only_real_dataflows_show_other_columns(name: str, pair: Pair) -> None:
    """W1 to W4 keep their final columns, W5 to W8 do not: what the paper's quick check sees."""
    p, q = (version.dataflow for version in pair.load())
    (sink,) = p.sinks
    assert (p.schemas[sink] == q.schemas[sink]) == (name <= "W4")


@pytest.mark.parametrize(("name", "pair"), EQUIVALENT + INEQUIVALENT, ids=shown)
def test_ids_map_what_was_kept(name: str, pair: Pair) -> None:
    p, q = pair.load()
    edits = VersionPair.of(p.dataflow, q.dataflow, stable_ids=True)
    kept = set(p.dataflow.operators) & set(q.dataflow.operators)
    assert set(edits.mapping.to_q) == kept
    assert len(kept) >= len(p.dataflow.operators) - 2
    assert edits.edits
