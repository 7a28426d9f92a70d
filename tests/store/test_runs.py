"""Runs whose sources, caches and stored parts change behind their back: never a wrong row."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import veer
from veer.errors import InputError
from veer.execution import live
from veer.execution.results import Results
from veer.execution.session import Session
from veer.execution.start import RunOptions, export, start
from veer.execution.store import Store
from veer.execution.store.files import LocalFiles, StoredFile
from veer.options import Reuse

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore:.*:UserWarning")]

FLOW = """
veer: 1
name: small
operators:
  t: {type: source, table: t, format: csv, location: t.csv, options: {header: true}, columns: {v: int}}
  g: {type: aggregate, by: [v], calls: {n: count(1)}}
  out: {type: sink, name: out}
links: [[t, g], [g, out]]
"""


class Lab:
    """A table of numbers, a store, and two ways to count the numbers."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder, self.place = spark, folder, str(folder / "a [store]")
        self.file = folder / "t.csv"
        (folder / "flow.yaml").write_text(FLOW)

    def write(self, *values: int) -> None:
        self.file.write_text("\n".join(map(str, ("v", *values))) + "\n")

    def frame(self) -> DataFrame:
        read = self.spark.read.schema("v int").option("header", True).csv(str(self.file))
        return read.groupBy("v").count()

    def through_store(self, frame: DataFrame) -> list[int]:
        return values(veer.run(frame, name="frame", store=self.place))

    def run(self, reuse: str = "proven", out: str = "") -> tuple[str, list[int]]:
        """How the sink of the workflow came about, and its rows."""
        options = RunOptions(store=self.place, data=str(self.folder), reuse=Reuse(reuse))
        flow = str(self.folder / "flow.yaml")
        with start(flow, options, Session(given=self.spark)) as started:
            outcome = started.running.run()
            export(outcome, started, out)
            (sink,) = outcome.sinks
            if not sink.result:
                return sink.how, []
            schema = started.dataflow.schemas["out"]
            rows = Results(started.store, self.spark).read(outcome.results["out"], schema)
            return sink.how, values(rows)


def values(frame: DataFrame) -> list[int]:
    return sorted(row[0] for row in frame.collect())


@pytest.fixture
def lab(spark: SparkSession, tmp_path: Path) -> Iterator[Lab]:
    made = Lab(spark, tmp_path)
    made.write(1, 2)
    yield made
    spark.catalog.clearCache()
    opened = live._stores.pop(made.place, None)
    if opened is not None:
        opened.close()


@pytest.mark.parametrize("reuse", ["none", "exact", "proven"])
def test_a_source_that_changes_after_it_was_read(
    lab: Lab, reuse: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows are written, and those of the old file; its fingerprint must be older than them."""
    listed = LocalFiles.listed

    def changed(files: LocalFiles, id_: str) -> Sequence[StoredFile]:
        lab.write(7, 8)
        return listed(files, id_)

    with monkeypatch.context() as patched:
        patched.setattr(LocalFiles, "listed", changed)
        assert lab.run(reuse)[0] == "not kept"
    assert lab.run() == ("computed", [7, 8])
    assert lab.run() == ("reused", [7, 8])


def test_a_frame_made_before_its_file_grew(lab: Lab) -> None:
    """Spark reads as many bytes as there were when the frame was made."""
    stale = lab.frame()
    lab.write(1, 2, *range(100, 200))
    assert len(lab.through_store(stale)) < 102
    assert lab.through_store(lab.frame()) == values(lab.frame()) == [1, 2, *range(100, 200)]


@pytest.mark.parametrize("again", ["the same frame", "a new frame"])
def test_rows_in_the_cache_of_spark_are_those_of_older_files(lab: Lab, again: str) -> None:
    """A frame that is read anew is served from the cache too: it has the same path."""
    old = lab.frame()
    old.cache().count()
    lab.write(7, 8)
    frame = old if again == "the same frame" else lab.frame()
    assert lab.through_store(frame) == values(frame)
    lab.spark.catalog.clearCache()
    assert lab.through_store(lab.frame()) == values(lab.frame()) == [7, 8]


def test_rows_in_the_cache_of_spark_are_noticed_wherever_they_are(lab: Lab) -> None:
    """Spark prints long plans in part, and subqueries are no leaves."""
    lab.frame().cache().count()
    deep = lab.frame()
    for n in range(30):
        deep = (
            deep.where(f"v > -{n}")
            .selectExpr("v", f"v + {n} AS a_rather_long_name_{n}")
            .select("v")
        )
    lab.frame().createOrReplaceTempView("cached_counts")
    inside = lab.spark.sql("SELECT 1 AS v WHERE 1 IN (SELECT v FROM cached_counts)")
    for frame in (deep, inside):
        lab.through_store(frame)
    with Store(lab.place) as store:
        ids = [s.result for v in store.versions("frame") for s in v.sinks]
        found = [store.result(id_) for id_ in ids]
        assert [r.exact if r else None for r in found] == ["", ""]


@pytest.mark.parametrize("what", ["a file", "the folder"])
def test_a_result_that_goes_after_it_was_looked_at_is_not_half_read(lab: Lab, what: str) -> None:
    options = RunOptions(store=lab.place, data=str(lab.folder))
    flow = str(lab.folder / "flow.yaml")
    with start(flow, options, Session(given=lab.spark)) as started:
        result = started.running.run().results["out"]
        folder = Path(started.store.files.path(result.id))
        if what == "a file":
            (folder / result.files[0].name).unlink()
        else:
            shutil.rmtree(folder)
        schema = started.dataflow.schemas["out"]
        with pytest.raises(InputError, match=r"a stored result cannot be read: .*does not exist"):
            Results(started.store, lab.spark).read(result, schema)


def test_what_could_not_be_computed_is_told_though_it_cannot_be_removed(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise InputError("it cannot be deleted")

    monkeypatch.setattr(LocalFiles, "listed", lambda *_: 1 / 0)
    monkeypatch.setattr(LocalFiles, "remove", fail)
    with pytest.raises(InputError, match="'out' could not be computed: division by zero"):
        lab.run()


def test_a_copy_that_was_killed_is_made_again(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    target = lab.folder / "copies"
    lab.run(out=str(target))

    def killed(*_: object, **__: object) -> None:
        """The new folder is in its place, the old one not gone yet."""
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("veer.execution.targets.shutil.rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            lab.run(out=str(target))
    assert len(list(target.iterdir())) == 2
    lab.run(out=str(target))
    assert (target / "out" / "_SUCCESS").exists()
    assert [p.name for p in target.iterdir()] == ["out"]


def test_a_place_for_copies_that_is_none_is_named(lab: Lab) -> None:
    (lab.folder / "file").write_text("")
    with pytest.raises(InputError, match="file/out: "):
        lab.run(out=str(lab.folder / "file"))
