"""Running versions with a store: what is reused, and that nothing stale or wrong ever is."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from veer.errors import InputError
from veer.execution.results import read_result
from veer.execution.run import Request, Running, RunOutcome
from veer.execution.session import Session
from veer.execution.sources import Sources
from veer.execution.start import Compiled
from veer.execution.store import Store
from veer.execution.store.gc import collect
from veer.ir.ops import RowUdf
from veer.options import Keep, Reuse
from veer.read.function_bodies import Bodies
from veer.read.workflow.reader import build_workflow
from veer.settings import current, under

pytestmark = pytest.mark.spark
Spec = dict[str, Any]


class Lab:
    """A store, a folder of data, and one way to run workflows."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.data = spark, folder / "data"
        self.data.mkdir()
        self.store = Store(str(folder / "store"))
        self.session = Session(given=spark)
        self.content = False
        self.bodies = Bodies(self.data / "models")
        self.write("t", "k,g,v", [(1, "a", 10), (2, "a", 20), (3, "b", 30), (4, "b", 5)])
        self.write("u", "k,w", [(1, 100), (3, 300)])

    def write(self, table: str, header: str, rows: list[tuple[Any, ...]]) -> None:
        lines = [header, *(",".join("" if v is None else str(v) for v in row) for row in rows)]
        (self.data / f"{table}.csv").write_text("\n".join(lines) + "\n")

    def running(
        self, flow: Spec, before: Callable[[str], None] | None = None, **asked: Any
    ) -> Running:
        environment = {**self.session.environment(), **asked.pop("environment", {})}
        sources = Sources(self.data, self.content, self.session)
        computation = Compiled(build_workflow(flow), sources, self.bodies, self.session)
        asked = {"keep": "cuts", "share": 1e6, **asked}
        request = Request("flow", environment=environment, **asked)
        return Running(request, computation, self.store, self.session, before or (lambda _: None))

    def run(self, flow: Spec, **asked: Any) -> RunOutcome:
        return self.running(flow, **asked).run()

    def rows(self, outcome: RunOutcome, sink: str = "out") -> list[tuple[Any, ...]]:
        result = outcome.results[sink]
        assert outcome.version is not None
        frame = read_result(self.spark, self.store, result, outcome.version.dataflow.schemas[sink])
        return sorted((tuple(row) for row in frame.collect()), key=repr)


@pytest.fixture
def lab(spark: SparkSession, tmp_path: Path) -> Iterator[Lab]:
    made = Lab(spark, tmp_path)
    yield made
    made.store.close()


def source(table: str, columns: Mapping[str, str], **more: Any) -> Spec:
    return {
        "type": "source",
        "table": table,
        "format": "csv",
        "location": f"{table}.csv",
        "options": {"header": "true"},
        "columns": dict(columns),
        **more,
    }


T, U = {"k": "int", "g": "string", "v": "int"}, {"k": "int", "w": "int"}


def flow(*operators: Spec, t: Spec | None = None, **more: Spec) -> Spec:
    """Operators one after the other, from t to the sink out."""
    named = {"t": t or source("t", T), **{f"o{i}": o for i, o in enumerate(operators)}}
    chain = [*named, "out"]
    links = [[a, b] for a, b in itertools.pairwise(chain)]
    return {"operators": {**named, "out": {"type": "sink"}, **more}, "links": links}


BIG: Spec = {"type": "filter", "predicate": "v > 5"}
SUM: Spec = {"type": "aggregate", "by": ["g"], "calls": {"s": "sum(v)", "n": "count(*)"}}


def test_a_version_proven_equal_is_not_run(lab: Lab) -> None:
    first = lab.run(flow(BIG, SUM))
    assert [s.how for s in first.sinks] == ["computed"]
    second = lab.run(flow({"type": "filter", "predicate": "NOT (v <= 5)"}, SUM))
    assert [s.how for s in second.sinks] == ["reused"]
    assert second.results["out"].id == first.results["out"].id, "it is stored once"
    assert lab.rows(second) == [("a", 30, 2), ("b", 30, 1)]
    assert [v.number for v in lab.store.versions("flow")] == [1, 2]
    assert [e["kind"] for e in lab.store.versions("flow")[1].edits] == ["modify operator"]


def test_another_result_is_computed(lab: Lab) -> None:
    lab.run(flow(BIG, SUM))
    second = lab.run(flow({"type": "filter", "predicate": "v >= 5"}, SUM))
    assert [s.how for s in second.sinks] == ["computed"]
    assert lab.rows(second) == [("a", 30, 2), ("b", 35, 2)]


def test_every_run_is_recorded(lab: Lab) -> None:
    stages: list[str] = []

    def look(_: str) -> None:
        record = lab.store.runs.all()[0]
        assert record.state == "running"
        stages.append(record.stage)

    made = flow(BIG, SUM)
    first = lab.running(made, look).run()
    again = lab.run(made)
    assert any(stage.startswith("computing") for stage in stages)
    latest, before = lab.store.runs.all()
    assert (before.state, latest.state) == ("done", "done")
    assert first.version and again.version
    assert (before.number, latest.number) == (first.version.number, again.version.number)
    assert before.work["computed_bytes"] == first.results["out"].bytes
    assert before.work["reused"] == 0 and before.work["saved_seconds"] == 0
    assert latest.work["computed_bytes"] == 0 and latest.work["reused"] == 1
    assert latest.work["saved_bytes"] == first.results["out"].bytes
    assert latest.work["saved_seconds"] == first.results["out"].seconds


def test_a_run_that_fails_is_recorded_without_its_message(lab: Lab) -> None:
    running = lab.running(flow(BIG, SUM))
    shutil.rmtree(lab.data)
    with pytest.raises(InputError):
        running.run()
    (record,) = lab.store.runs.all()
    assert record.state == "failed" and record.stage == "InputError"


def test_layout_makes_no_version(lab: Lab) -> None:
    lab.run(flow(BIG, SUM))
    moved = flow({**BIG, "position": [1, 2], "description": "only the large"}, SUM)
    again = lab.run(moved)
    assert again.version is not None and again.version.number == 1 and not again.is_new
    assert len(lab.store.versions("flow")) == 1


def test_parts_below_the_edits_are_kept_and_read(lab: Lab) -> None:
    def version(least: int) -> Spec:
        return flow(BIG, SUM, {"type": "filter", "predicate": f"s > {least}"})

    lab.run(version(1))
    second = lab.run(version(29))
    assert second.plan.keep == ["o1"]
    third = lab.run(version(40))
    assert list(third.plan.cuts) == ["o1"] and lab.rows(third) == []
    assert lab.rows(second) == [("a", 30, 2), ("b", 30, 1)]
    assert lab.run(version(2), keep=Keep.SINKS).plan.cuts, "read whatever is kept now"


def test_no_reuse_and_keep_none(lab: Lab) -> None:
    lab.run(flow(BIG, SUM), keep=Keep.NONE)
    assert [s.how for s in lab.run(flow(BIG, SUM)).sinks] == ["computed"], (
        "nothing was kept for others"
    )
    assert [s.how for s in lab.run(flow(BIG, SUM), reuse=Reuse.NONE).sinks] == ["computed"]
    assert [s.how for s in lab.run(flow(BIG, SUM)).sinks] == ["reused"]


def test_exact_reuse_proves_nothing(lab: Lab) -> None:
    lab.run(flow(BIG, SUM))
    other = flow({"type": "filter", "predicate": "5 < v"}, SUM)
    assert [s.how for s in lab.run(other, reuse=Reuse.EXACT).sinks] == ["computed"]
    assert [s.how for s in lab.run(flow(BIG, SUM), reuse=Reuse.EXACT).sinks] == ["reused"]


def test_a_part_that_is_read_keeps_its_order(lab: Lab) -> None:
    """Rows read back come in any order; a limit above still takes the first ones."""
    lab.write("t", "k,g,v", [(i, "ab"[i % 2], i * 37 % 101) for i in range(100)])
    lab.run(flow(*(sums := ({**SUM, "by": ["k"]}, {"type": "sort", "by": ["s desc", "k"]}))))
    least = lab.run(flow(*sums, {"type": "limit", "count": 3}))
    assert list(least.plan.cuts) == ["o1"]
    assert lab.rows(least) == sorted(
        lab.rows(lab.run(flow(*sums, {"type": "limit", "count": 3}), reuse=Reuse.NONE)), key=repr
    )


def test_several_sinks_one_of_them_reused(lab: Lab) -> None:
    def version(predicate: str) -> Spec:
        made = flow(BIG, SUM)
        made["operators"] |= {
            "few": {"type": "filter", "predicate": predicate},
            "all": {"type": "sink"},
        }
        made["links"] += [["o0", "few"], ["few", "all"]]
        return made

    lab.run(version("g = 'a'"))
    second = lab.run(version("g = 'b'"))
    assert {s.sink: s.how for s in second.sinks} == {"out": "reused", "all": "computed"}
    assert lab.rows(second, "all") == [(3, "b", 30)]


# -- stale or wrong data is never served ---------------------------------------------------------


def reruns(lab: Lab, made: Spec, **asked: Any) -> RunOutcome:
    """The outcome of a run that must not take what an earlier one left."""
    found = lab.run(made, **asked)
    assert all(s.how != "reused" for s in found.sinks), found.sinks
    return found


def test_a_changed_source_is_read_again(lab: Lab) -> None:
    lab.run(flow(BIG, SUM))
    lab.write("t", "k,g,v", [(1, "z", 10)])
    assert lab.rows(reruns(lab, flow(BIG, SUM))) == [("z", 10, 1)]
    assert len(lab.store.versions("flow")) == 2


def test_a_source_that_changes_while_it_is_read(lab: Lab) -> None:
    def change(text: str) -> None:
        if text.startswith("computing"):
            lab.write("t", "k,g,v", [(1, "changed", 10)])

    found = lab.running(flow(BIG, SUM), change).run()
    assert [s.how for s in found.sinks] == ["not kept"]
    assert "changed" in found.notes[0]
    assert not lab.store.with_signature(""), "nothing of it is registered"
    assert lab.rows(reruns(lab, flow(BIG, SUM))) == [("changed", 10, 1)]


def test_files_added_to_a_folder(lab: Lab) -> None:
    folder = lab.data / "t.csv"
    text = folder.read_text()
    folder.unlink()
    folder.mkdir()
    (folder / "one.csv").write_text(text)
    lab.run(flow(BIG, SUM))
    (folder / "two.csv").write_text("k,g,v\n9,c,90\n")
    assert ("c", 90, 1) in lab.rows(reruns(lab, flow(BIG, SUM)))


@pytest.mark.parametrize("content", [False, True])
def test_the_same_size_and_time_but_other_content(lab: Lab, content: bool) -> None:
    lab.content = content
    path = lab.data / "t.csv"
    lab.run(flow(BIG, SUM))
    before = path.stat()
    path.write_text(path.read_text().replace("30", "40"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert ("b", 40, 1) in lab.rows(reruns(lab, flow(BIG, SUM)))


def test_by_content_a_touched_file_is_the_same(lab: Lab) -> None:
    lab.content = True
    lab.run(flow(BIG, SUM))
    os.utime(lab.data / "t.csv", (1, 1))
    assert [s.how for s in lab.run(flow(BIG, SUM)).sinks] == ["reused"]


@pytest.mark.parametrize(
    "other", [{"settings": {"spark.sql.x": "1"}}, {"zone": "Asia/Tokyo"}, {"spark": "4.2"}]
)
def test_other_surroundings(lab: Lab, other: Mapping[str, Any]) -> None:
    lab.run(flow(BIG, SUM))
    reruns(lab, flow(BIG, SUM), environment=other)


def test_settings_of_a_session_are_part_of_the_key(lab: Lab) -> None:
    before = lab.session.environment()
    lab.spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        assert lab.session.environment() != before
    finally:
        lab.spark.conf.set("spark.sql.session.timeZone", "UTC")


def _model(lab: Lab, words: list[str]) -> None:
    (lab.data / "models").mkdir(exist_ok=True)
    weights = {"yes": {"words": dict.fromkeys(words, 1.0)}, "no": {"words": {}, "bias": 0.5}}
    (lab.data / "models" / "m.json").write_text(json.dumps({"classes": weights}))


def test_another_model_under_the_same_name(lab: Lab) -> None:
    classify = {"type": "classifier", "column": "g", "model": "m"}
    _model(lab, ["a"])
    one = lab.rows(lab.run(flow(classify)))
    _model(lab, ["b"])
    assert lab.rows(reruns(lab, flow(classify))) != one


def test_another_function_under_the_same_name(lab: Lab) -> None:
    udf = {"type": "udf", "function": "f", "reads": ["v"], "adds": {"y": "int"}}
    lab.bodies = Bodies(own={"f": lambda v: v + 1})
    lab.run(flow(udf))
    assert [s.how for s in lab.run(flow(udf)).sinks] == ["reused"]
    lab.bodies = Bodies(own={"f": lambda v: v + 2})
    assert (1, "a", 10, 12) in lab.rows(reruns(lab, flow(udf)))


def test_another_version_of_a_package_under_a_function(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy

    from veer.read.python import identity, origins

    udf = {"type": "udf", "function": "f", "reads": ["v"], "adds": {"y": "int"}}
    lab.bodies = Bodies(own={"f": lambda v: int(numpy.abs(v))})
    lab.run(flow(udf))
    assert [s.how for s in lab.run(flow(udf)).sinks] == ["reused"]
    known = origins.package_version
    monkeypatch.setattr(identity, "package_version", lambda m: "0.0" if "numpy" in m else known(m))
    reruns(lab, flow(udf))


KEYED = source("t", {**T, "k": "int not null"}, keys=["k"])
# The same for a table in which k is a key; else not.
DISTINCT: Spec = {"type": "aggregate", "by": ["k", "g", "v"], "calls": {}}


def test_declared_keys_are_looked_at_before_they_are_relied_on(lab: Lab) -> None:
    lab.run(flow(t=KEYED))
    second = lab.run(flow(DISTINCT, t=KEYED))
    assert [s.how for s in second.sinks] == ["reused"], second.notes
    lab.write("t", "k,g,v", [(1, "a", 10), (1, "a", 10), (2, "b", 1)])
    third = lab.run(flow(t=KEYED))
    assert len(lab.rows(third)) == 3
    fourth = reruns(lab, flow(DISTINCT, t=KEYED))
    assert len(lab.rows(fourth)) == 2
    assert "declared a key" in " ".join(fourth.notes)


def test_declared_keys_can_be_trusted(lab: Lab) -> None:
    lab.write("t", "k,g,v", [(1, "a", 10), (1, "a", 10)])
    lab.run(flow(t=KEYED), trust=True)
    assert [s.how for s in lab.run(flow(DISTINCT, t=KEYED), trust=True).sinks] == ["reused"]


def test_not_null_that_does_not_hold(lab: Lab) -> None:
    lab.write("t", "k,g,v", [(1, "a", None), (2, "b", 3)])
    declared = source("t", {**T, "v": "int not null"})
    lab.run(flow(t=declared))
    other = flow({"type": "filter", "predicate": "v IS NOT NULL"}, t=declared)
    assert len(lab.rows(reruns(lab, other))) == 1


@pytest.mark.parametrize(
    "choice",
    [
        {"type": "limit", "count": 1},
        {"type": "deduplicate", "columns": ["g"]},
        {"type": "sample", "fraction": 0.5},
        {"type": "compute", "columns": {"r": "rand()"}},
        {"type": "compute", "columns": {"r": "current_timestamp()"}},
        {"type": "aggregate", "by": ["g"], "calls": {"f": "first(v)"}},
        {"type": "aggregate", "by": ["g"], "calls": {"f": "sum(CAST(v AS DOUBLE))"}},
        {"type": "aggregate", "by": ["g"], "calls": {"f": "avg(v)"}},
        {"type": "compute", "columns": {"r": "CAST(' Now' AS TIMESTAMP)"}},
        {"type": "compute", "columns": {"r": "to_date('today')"}},
    ],
    ids=lambda c: str(c.get("columns") or c.get("calls") or c["type"]),
)
def test_what_is_another_each_time(lab: Lab, choice: Spec) -> None:
    lab.run(flow(choice))
    reruns(lab, flow(choice))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (["g", "v"], ["v", "g"]),
        ({"x": "v"}, {"y": "v"}),
        ({"x": "v"}, {"x": "CAST(v AS BIGINT)"}),
        ({"x": "CAST(v AS DECIMAL(10,2))"}, {"x": "CAST(v AS DECIMAL(10,3))"}),
    ],
)
def test_other_columns(lab: Lab, one: Any, two: Any) -> None:
    lab.run(flow({"type": "project", "columns": one}))
    second = reruns(lab, flow({"type": "project", "columns": two}))
    assert lab.rows(second)


def test_a_version_that_fails_is_not_served_an_older_result(lab: Lab) -> None:
    lab.run(flow({"type": "filter", "predicate": "v > 5"}))
    failing = flow({"type": "filter", "predicate": "v > 5 AND 1 / (v - 10) IS NOT NULL"})
    with pytest.raises(InputError, match="zero"):
        lab.run(failing)
    assert len(lab.store.versions("flow")) == 1


def test_what_was_computed_on_trust_serves_only_those_who_trust(lab: Lab) -> None:
    lab.write("t", "k,g,v", [(1, "a", 10), (1, "a", 10), (2, "b", 1)])
    count: Spec = {"type": "aggregate", "by": ["g"], "calls": {"n": "count(*)"}}
    lab.run(flow(BIG, count, t=KEYED), trust=True)
    lab.run(flow(DISTINCT, BIG, count, t=KEYED), trust=True)
    assert lab.rows(reruns(lab, flow(DISTINCT, BIG, count, t=KEYED))) == [("a", 1)]


def test_a_change_during_a_run_that_reuses_nothing(lab: Lab) -> None:
    def change(text: str) -> None:
        if text.startswith("computing"):
            lab.write("t", "k,g,v", [(1, "changed", 10)])

    assert [s.how for s in lab.running(flow(BIG, SUM), change, reuse=Reuse.NONE).run().sinks] == [
        "not kept"
    ]
    assert lab.rows(reruns(lab, flow(BIG, SUM))) == [("changed", 10, 1)]


def test_a_model_that_changes_while_it_is_used(lab: Lab) -> None:
    classify = {"type": "classifier", "column": "g", "model": "m"}
    _model(lab, ["a"])

    def change(text: str) -> None:
        if text.startswith("computing"):
            _model(lab, ["b"])

    assert [s.how for s in lab.running(flow(classify), change).run().sinks] == ["not kept"]


@pytest.mark.parametrize("name", ["[^a]*.csv", "{a,b}.csv"])
def test_patterns_that_only_hadoop_reads_are_not_fingerprinted(lab: Lab, name: str) -> None:
    lab.write("b", "k,g,v", [(1, "a", 10)])
    made = flow(SUM, t={**source("t", T), "location": name})
    lab.run(made)
    reruns(lab, made)


def test_files_that_are_found_by_patterns_though_hidden(lab: Lab) -> None:
    (lab.data / "parts" / ".p2").mkdir(parents=True)
    (lab.data / "parts" / ".p2" / "b.csv").write_text("k,g,v\n1,a,10\n")
    made = flow(SUM, t={**source("t", T), "location": "parts/*"})
    lab.run(made)
    (lab.data / "parts" / ".p2" / "b.csv").write_text("k,g,v\n1,a,70\n")
    assert lab.rows(reruns(lab, made)) == [("a", 70, 1)]


def test_a_folder_that_looks_like_a_pattern(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "[x]").mkdir()
    (tmp_path / "x" / "data").mkdir(parents=True)
    made = Lab(spark, tmp_path / "[x]")
    (tmp_path / "x" / "data" / "t.csv").write_text("k,g,v\n1,wrong,10\n")
    with made.store:
        assert made.rows(made.run(flow(BIG, SUM))) == [("a", 30, 2), ("b", 30, 1)]
        assert [s.how for s in made.run(flow(BIG, SUM)).sinks] == ["reused"]


@pytest.mark.parametrize(
    "reader",
    [
        {"options": {"header": "true", "Mode": "DROPMALFORMED"}},
        {"columns": {**T, "_corrupt_record": "string"}},
    ],
)
def test_readers_that_judge_records_by_what_is_read(lab: Lab, reader: Spec) -> None:
    (lab.data / "t.csv").write_text("k,g,v\n1,a,1\n2,b,x\n3,c,3\n")
    table = {**source("t", T), **reader}
    lab.run(flow({"type": "project", "columns": ["k"]}, t=table))
    other = flow(
        {"type": "filter", "predicate": "v IS NULL OR v IS NOT NULL"},
        {"type": "project", "columns": ["k"]},
        t=table,
    )
    reruns(lab, other)


def test_texts_that_look_like_variables(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VEER_DAY", "monday")
    made = flow({"type": "project", "columns": {"d": "concat('${env:VEER_DAY}', g, '$')"}})
    assert lab.rows(lab.run(made))[0] == ("${env:VEER_DAY}a$",)


def test_times_are_stored_as_they_are(lab: Lab) -> None:
    name = "spark.sql.parquet.outputTimestampType"
    lab.spark.conf.set(name, "TIMESTAMP_MILLIS")
    try:
        made = {"type": "project", "columns": {"x": "TIMESTAMP '2020-01-01 00:00:00.123456'"}}
        assert lab.rows(lab.run(flow(made)))[0][0].microsecond == 123456
        assert lab.spark.conf.get(name) == "TIMESTAMP_MILLIS"
    finally:
        lab.spark.conf.unset(name)


def test_functions_of_chance_and_files(lab: Lab) -> None:
    udf = {"type": "udf", "function": "f", "reads": ["v"], "adds": {"y": "int"}}
    lab.bodies = Bodies(own={"f": lambda v: time.time_ns() % 1000})
    lab.run(flow(udf))
    reruns(lab, flow(udf))
    code = "import random\ndef f(v):\n    return [random.randrange(9)][0]\n"
    spec = {**udf, "code": code}
    (known,) = (o for o in build_workflow(flow(spec)).operators.values() if isinstance(o, RowUdf))
    lab.bodies = Bodies(code={known.identity: code}, trust_code=True)
    lab.run(flow(spec))
    reruns(lab, flow(spec))


def test_functions_of_groups_give_columns_by_name(lab: Lab) -> None:
    def version(first: str, second: str) -> Spec:
        pair: Spec = {
            "type": "udf",
            "function": "pair",
            "scope": "group",
            "by": ["g"],
            "adds": {first: "bigint", second: "bigint"},
        }
        return flow(pair, {"type": "project", "columns": {"x": first, "y": second}})

    def pair(group: Any) -> Any:
        return group.agg({"k": "sum", "v": "sum"}).to_frame().T.rename(columns={"k": "a", "v": "b"})

    lab.bodies = Bodies(own={"pair": pair})
    one = lab.rows(lab.run(version("a", "b")))
    two = lab.rows(reruns(lab, version("b", "a")))
    assert two == sorted(((y, x) for x, y in one), key=repr) != one


def test_order_above_something_random_is_not_lost(lab: Lab) -> None:
    """Spark spreads a common table expression anew if it is random and used twice."""
    lab.write("t", "k,g,v", [(i, "a", i) for i in range(500)])
    made = flow({"type": "compute", "columns": {"r": "rand()"}}, {"type": "sort", "by": ["k desc"]})
    made["operators"] |= {
        "three": {"type": "limit", "count": 3}, "two": {"type": "limit", "count": 2},
        "both": {"type": "union"},
    }  # fmt: skip
    made["links"] = [["t", "o0"], ["o0", "o1"], ["o1", "three"], ["o1", "two"], ["three", "both"],
                     ["two", "both"], ["both", "out"]]  # fmt: skip
    assert sorted(row[0] for row in lab.rows(lab.run(made))) == [497, 498, 498, 499, 499]


def test_other_zones_than_utc(lab: Lab) -> None:
    """Expressions say in which zone they are, and a session of another one is refused."""
    lab.write("t", "k,at", [(1, "2024-03-31 01:30:00"), (2, "2024-10-27 02:30:00"), (3, None)])
    texts = {
        "h": "hour(at + INTERVAL 1 HOUR)", "d": "CAST(date_trunc('DAY', at) AS BIGINT)",
        "n": "CAST(at + INTERVAL 1 DAY AS BIGINT)", "s": "CAST(at AS STRING)",
        "c": "at > '2024-06-01'", "m": "date_format(at, 'HH:mm')", "b": "at < TIMESTAMP '2024-05-01'",
        "e": "CAST(CAST(at AS DATE) AS TIMESTAMP) = date_trunc('DAY', at)",
    }  # fmt: skip
    times = flow(
        {"type": "compute", "columns": texts}, t=source("t", {"k": "int", "at": "timestamp"})
    )
    expected = [
        (1, 3, 1711839600, 1711927800, "2024-03-31 01:30:00", False, "01:30", True, True),
        (2, 2, 1729980000, 1730079000, "2024-10-27 02:30:00", True, "02:30", False, True),
    ]  # fmt: skip
    lab.spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        large = flow({"type": "filter", "predicate": "w > 100"}, t=source("u", U))
        assert lab.rows(lab.run(large)) == [(3, 300)]
        with pytest.raises(InputError, match="in the time zone Europe/Berlin, in which"):
            lab.run(times)
        with under(replace(current(), zone="Europe/Berlin")):
            rows = lab.rows(lab.run(times))
    finally:
        lab.spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert [(row[0], *row[2:]) for row in rows[:2]] == expected
    there = under(replace(current(), zone="Europe/Berlin"))
    with there, pytest.raises(InputError, match="in the time zone UTC, in which zoned"):
        lab.run(times)


# -- results behind the store's back -------------------------------------------------------------


def files_of(lab: Lab, outcome: RunOutcome) -> list[Path]:
    folder = Path(lab.store.files.path(outcome.results["out"].id))
    return sorted(folder.glob("part-*"))


@pytest.mark.parametrize("how", ["cut short", "deleted", "altered", "added to"])
def test_damaged_results_are_noticed_and_computed_again(lab: Lab, how: str) -> None:
    first = lab.run(flow(BIG, SUM))
    rows = lab.rows(first)
    file = files_of(lab, first)[0]
    data = file.read_bytes()
    match how:
        case "cut short":
            file.write_bytes(data[:-20])
        case "deleted":
            file.unlink()
        case "altered":
            file.write_bytes(data[:8] + bytes([data[8] ^ 255]) + data[9:])
        case _:
            (file.parent / "part-99.parquet").write_bytes(data)
    second = reruns(lab, flow(BIG, SUM))
    assert lab.rows(second) == rows
    assert any("not used" in note for note in second.notes)
    collect(lab.store)
    assert not Path(lab.store.files.path(first.results["out"].id)).exists()
    assert [s.how for s in lab.run(flow(BIG, SUM)).sinks] == ["reused"]


def test_damage_that_shows_only_when_spark_reads(lab: Lab) -> None:
    """A part altered under its old time: Spark stumbles over it, Veer finds why and goes on."""

    def version(least: int) -> Spec:
        return flow(BIG, SUM, {"type": "filter", "predicate": f"s > {least}"})

    lab.run(version(1))
    kept = lab.run(version(2)).kept[0]
    file = next(Path(lab.store.files.path(kept.id)).glob("part-*"))
    stat, data = file.stat(), file.read_bytes()
    file.write_bytes(b"\0" * len(data))
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    found = lab.run(version(3))
    assert lab.rows(found) == [("a", 30, 2), ("b", 30, 1)]
    assert any("another content" in note for note in found.notes)


def test_a_part_that_goes_after_it_was_looked_at(lab: Lab) -> None:
    """Its folder is deleted between the plan and Spark: it is computed, and no rows are missing."""

    def version(least: int) -> Spec:
        return flow(BIG, SUM, {"type": "filter", "predicate": f"s > {least}"})

    def delete(progress: str) -> None:
        if progress == "starting Spark":
            shutil.rmtree(lab.store.files.path(kept.id), ignore_errors=True)

    lab.run(version(1))
    kept = lab.run(version(2)).kept[0]
    found = lab.running(version(3), delete).run()
    assert lab.rows(found) == [("a", 30, 2), ("b", 30, 1)]
    assert any(f"{kept.id} is missing" in note for note in found.notes)


# -- collecting ----------------------------------------------------------------------------------


def test_a_result_stays_as_long_as_a_version_shows_it(lab: Lab) -> None:
    first = lab.run(flow(BIG, SUM))
    lab.run(flow({"type": "filter", "predicate": "5 < v"}, SUM))
    lab.store.close()
    assert not collect(lab.store).removed
    done = collect(lab.store, max_bytes=0)
    assert not done.removed, "the latest version shows it"
    lab.run(flow({"type": "filter", "predicate": "v > 1"}, SUM))
    lab.store.close()
    done = collect(lab.store, max_bytes=0)
    assert done.removed == [first.results["out"].id]
    gone = lab.store.version("flow", 1)
    assert gone is not None and "make room" in gone.sinks[0].note
    assert [s.how for s in lab.run(flow(BIG, SUM)).sinks] == ["computed"]


def test_a_held_result_is_not_collected(lab: Lab, tmp_path: Path) -> None:
    lab.run(flow(BIG, SUM))
    lab.run(flow({"type": "filter", "predicate": "v > 1"}, SUM))
    with Store(str(tmp_path / "store")) as other:
        assert not collect(other, max_bytes=0).removed, "this process still holds them"
    lab.store.close()
    with Store(str(tmp_path / "store")) as other:
        assert len(collect(other, max_bytes=0).removed) == 1


def test_a_store_anywhere_hadoop_reaches(lab: Lab, tmp_path: Path) -> None:
    lab.store.close()
    where = f"file://{tmp_path}/elsewhere"
    lab.store = Store(str(tmp_path / "other"), results=where, spark=lab.session)
    first = lab.run(flow(BIG, SUM))
    second = lab.run(flow({"type": "filter", "predicate": "5 < v"}, SUM))
    assert [s.how for s in second.sinks] == ["reused"]
    assert lab.rows(second) == lab.rows(first)
    next((tmp_path / "elsewhere").rglob("part-*.parquet")).unlink()
    assert [s.how for s in lab.run(flow(BIG, SUM)).sinks] == ["computed"]
    lab.store.release(first.results["out"].id)
    collect(lab.store)
    assert len(list((tmp_path / "elsewhere").iterdir())) == 1


def test_an_opaque_row_function_keeps_its_identity(lab: Lab) -> None:
    """A function with code that is not read runs, and its result is reused."""
    code = "def f(v):\n    return [x for x in range(v)][-1]\n"
    spec = {"type": "udf", "function": "f", "code": code, "reads": ["v"], "adds": {"y": "int"}}
    made = flow(spec)
    (udf,) = (op for op in build_workflow(made).operators.values() if isinstance(op, RowUdf))
    lab.bodies = replace(lab.bodies, code={udf.identity: code}, trust_code=True)
    first = lab.run(made)
    assert (1, "a", 10, 9) in lab.rows(first)
    assert [s.how for s in lab.run(made).sinks] == ["reused"]
