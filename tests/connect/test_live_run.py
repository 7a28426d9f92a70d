"""`veer.run` on DataFrames of Spark Connect: computed once, read by equal ones."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F

import veer
from veer.execution import live
from veer.execution.connected import PLAN_CACHE
from veer.execution.run import RunOutcome

pytestmark = pytest.mark.spark


class Notebook:
    """A store and a table of files; runs frames and keeps the outcomes."""

    def __init__(self, session: Any, folder: Path) -> None:
        self.session, self.place, self.path = session, str(folder / "store"), str(folder / "t")
        self.write(range(40))

    def write(self, numbers: range) -> None:
        rows = [(i, i % 3, None if i % 7 == 0 else i * 2, f"s{i % 4}") for i in numbers]
        made = self.session.createDataFrame(rows, "id INT, k INT, v INT, s STRING")
        made.coalesce(1).write.mode("append").parquet(self.path)

    @property
    def t(self) -> Any:
        return self.session.read.parquet(self.path)

    def run(self, frame: Any, **asked: Any) -> RunOutcome:
        """What was done for a frame; the rows served are checked against the plain ones."""
        opened = live._open(self.place, "", frame)
        served, outcome = live.through_store(frame, opened, name="nb", share=1e6, **asked)
        assert served.schema == frame.schema
        ours, plain = (sorted(map(tuple, f.collect()), key=repr) for f in (served, frame))
        assert ours == plain
        return outcome


@pytest.fixture
def nb(connect: Any, tmp_path: Path) -> Iterator[Notebook]:
    made = Notebook(connect, tmp_path)
    yield made
    opened = live._stores.pop(made.place, None)
    if opened is not None:
        opened.close()


def how(outcome: RunOutcome) -> str:
    (sink,) = outcome.sinks
    return sink.how


def why(outcome: RunOutcome) -> str:
    (sink,) = outcome.sinks
    return sink.note


def test_an_equal_frame_is_read(nb: Notebook) -> None:
    one = nb.t.where("v > 10").groupBy("k").agg(F.sum("v").alias("s"), F.count("*").alias("n"))
    two = nb.t.where(F.lit(10) < F.col("v")).groupBy("k")
    assert how(nb.run(one)) == "computed"
    assert how(nb.run(two.agg(F.sum("v").alias("s"), F.count("*").alias("n")))) == "reused"
    assert how(nb.run(nb.t.where("v > 11").groupBy("k").agg(F.sum("v").alias("s")))) == "computed"


def test_the_order_is_kept(nb: Notebook) -> None:
    frame = nb.t.select("v", "id").orderBy(F.col("v").desc_nulls_last(), "id")
    nb.run(frame)
    served = veer.run(frame, name="nb", store=nb.place)
    assert [tuple(r) for r in served.collect()] == [tuple(r) for r in frame.collect()]


def test_what_is_never_null_is_so_when_it_is_read(nb: Notebook) -> None:
    lists = F.collect_list("v").alias("vs")
    frame = nb.t.groupBy("k").agg(lists, F.count("*").alias("n"), F.struct(F.lit(1)).alias("p"))
    assert how(nb.run(frame.select("k", F.sort_array("vs").alias("vs"), "n", "p"))) == "computed"


def test_files_that_changed_are_read_anew(nb: Notebook) -> None:
    assert how(nb.run(nb.t.where("id > 3"))) == "computed"
    assert how(nb.run(nb.t.where("id > 3"))) == "reused"
    before = nb.t.where("id > 3")
    assert before.count() == 36 and before.schema  # the server keeps its plan, with its files
    nb.write(range(40, 50))
    again = live.through_store(before, live._open(nb.place, "", before), name="nb")
    assert how(again[1]) == "computed" and again[0].count() == 46
    assert PLAN_CACHE not in nb.session.conf.getAll


def test_a_file_of_the_same_size_and_time_is_told_by_its_content(nb: Notebook) -> None:
    assert how(nb.run(nb.t.where("id > 3"), content=True)) == "computed"
    for file in Path(nb.path).glob("*.parquet"):
        file.touch()
    assert how(nb.run(nb.t.where("id > 3"), content=True)) == "reused"


def test_python_functions(nb: Notebook) -> None:
    udf = F.udf(lambda v: None if v is None else v * 2, "int")
    assert how(nb.run(nb.t.select("id", udf("v").alias("w")))) == "computed"
    assert how(nb.run(nb.t.select("id", udf("v").alias("w")))) == "reused"


def test_tables_and_caches_are_computed_each_time(nb: Notebook) -> None:
    nb.session.sql("CREATE TABLE IF NOT EXISTS live_run (id INT, v INT) USING parquet")
    for _ in range(2):
        outcome = nb.run(nb.session.table("live_run").where("id > 3"))
        assert how(outcome) == "computed" and "live_run" in why(outcome)
    cached = nb.t.where("id > 5").cache()
    cached.count()
    for _ in range(2):
        outcome = nb.run(nb.t.where("id > 5"))
        assert how(outcome) == "computed" and "cache" in why(outcome)
    cached.unpersist()


def test_settings_make_results_others(nb: Notebook) -> None:
    assert how(nb.run(nb.t.where("id > 3"))) == "computed"
    nb.session.conf.set("spark.sql.legacy.sizeOfNull", "false")
    with pytest.warns(UserWarning, match="sizeOfNull"):
        frame = nb.t.where("id > 3")
        assert veer.run(frame, name="nb", store=nb.place) is frame


def test_what_cannot_go_through_the_store_is_given_back(nb: Notebook) -> None:
    from pyspark.sql import Observation

    observed = nb.t.observe(Observation("seen"), F.count("*").alias("n"))
    with pytest.warns(UserWarning, match="observed"):
        assert veer.run(observed, name="nb", store=nb.place) is observed
    with pytest.warns(UserWarning, match="classic session"):
        remote = veer.run(nb.t, name="nb", store=f"{nb.place}2", results="hdfs://nowhere/results")
    assert remote.count() == 40
    live._stores.pop(f"{nb.place}2").close()


def test_a_folder_that_the_server_does_not_see(nb: Notebook, monkeypatch: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert how(nb.run(nb.t)) == "computed"
    opened = live._open(nb.place, "", nb.t)
    monkeypatch.setattr(opened.files, "root", str(Path(nb.place) / "results"))
    monkeypatch.setattr(
        "veer.execution.connected.sources.as_named", lambda path: f"{path}-elsewhere"
    )
    with pytest.warns(UserWarning, match="does not see"):
        veer.run(nb.t, name="nb", store=nb.place)
