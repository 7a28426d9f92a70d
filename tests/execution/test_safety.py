"""Runs on Spark against hostile surroundings: nothing stale, nothing lost, nothing told."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import veer
from veer.errors import InputError
from veer.execution import live, results
from veer.execution.jobs import JobOutcome, NotKept, _intercepted, _Job
from veer.execution.session import Session
from veer.execution.start import RunOptions, Started, destinations, export, start
from veer.execution.store import Store
from veer.execution.store.files import LocalFiles, StoredFile
from veer.execution.targets import MARK
from veer.ir.json import to_json

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore:.*:UserWarning")]
SECRET = "hunter2-hunter2"


class Project:
    """A folder with a table, a workflow over it, and a store."""

    def __init__(self, spark: SparkSession, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.spark, self.folder, self.place = spark, folder, str(folder / ".veer")
        patch.chdir(folder)
        (folder / "t.csv").write_text("v,w\n" + "".join(f"{i * 7 % 50},{i}\n" for i in range(50)))

    def write(self, *above: dict[str, Any], target: str = "", **source: Any) -> None:
        chain = {f"o{i}": operator for i, operator in enumerate(above)}
        table = {
            "type": "source", "table": "t", "format": "csv", "location": "t.csv",
            "columns": {"v": "int", "w": "int"}, **source,
        }  # fmt: skip
        table["options"] = {"header": "true", **source.get("options", {})}
        sink = {"type": "sink", "name": "out", **({"target": target} if target else {})}
        ids = ["t", *chain, "out"]
        flow = {
            "veer": 1,
            "operators": {"t": table, **chain, "out": sink},
            "links": [list(pair) for pair in itertools.pairwise(ids)],
        }
        (self.folder / "flow.json").write_text(json.dumps(flow))

    def run(self, out: str = "", act: Callable[[Started], None] | None = None, **asked: Any) -> str:
        options = RunOptions(store=self.place, share=1e6, **asked)
        with start("flow.json", options, Session(given=self.spark)) as started:
            destinations(started, out)
            if act is not None:
                act(started)
            outcome = started.running.run()
            export(outcome, started, out)
            return outcome.sinks[0].how

    def frame(self, frame: DataFrame) -> DataFrame:
        rows: DataFrame = veer.run(frame, name="frame", store=self.place)
        return rows

    def hows(self) -> list[str]:
        return [v.sinks[0].how for v in live._stores[self.place].versions("frame")]


@pytest.fixture
def project(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Project]:
    made = Project(spark, tmp_path, monkeypatch)
    yield made
    opened = live._stores.pop(made.place, None)
    if opened is not None:
        opened.close()


def in_files(folder: Path) -> list[int]:
    """The first column of a folder of Parquet files, one file after the other."""
    import pyarrow.parquet

    files = sorted(folder.glob("part-*"))
    return [v for f in files for v in pyarrow.parquet.read_table(f).column(0).to_pylist()]


# -- targets -------------------------------------------------------------------------------------


def sort(*by: str) -> dict[str, Any]:
    return {"type": "sort", "by": list(by)}


def test_a_target_is_in_the_order_its_sink_asks_for(project: Project) -> None:
    ascending, target = sort("v"), project.folder / "a" / "out.parquet"
    project.write(ascending, target="a/out.parquet")
    assert project.run() == "computed"
    assert in_files(target) == sorted(in_files(target)) and len(in_files(target)) == 50
    project.write({**ascending, "by": ["v desc"]}, target="a/out.parquet")
    assert project.run(out="copies") == "reused"
    for folder in (target, project.folder / "copies" / "out"):
        assert in_files(folder) == sorted(in_files(folder), reverse=True)
    project.write(ascending, target="a/out.parquet")
    assert project.run(out="copies") == "reused"
    assert in_files(target) == in_files(project.folder / "copies" / "out") == sorted(range(50))
    assert os.listdir(target.parent) == ["out.parquet"]


def test_an_order_that_columns_do_not_tell_is_kept(project: Project) -> None:
    for direction, expected in (("", list(range(50))), (" desc", list(range(49, -1, -1)))):
        project.write(
            sort("v + 1" + direction), {"type": "project", "columns": {"x": "v * 1"}},
            target="./out.parquet",
        )  # fmt: skip
        assert project.run() == "computed"
        assert in_files(project.folder / "out.parquet") == expected
    assert project.run() == "reused"
    assert in_files(project.folder / "out.parquet") == expected


def test_folders_of_spark_are_not_results_of_veer(project: Project) -> None:
    other = project.folder / "out.parquet"
    project.spark.range(3).write.parquet(str(other))
    project.write(target="./out.parquet")
    with pytest.raises(InputError, match="not written by Veer; --overwrite"):
        project.run()
    assert in_files(other) == [0, 1, 2]
    assert not Path(project.place, "results").exists() or not os.listdir(f"{project.place}/results")
    project.run(overwrite=True)
    assert len(in_files(other)) == 50
    project.run()
    project.spark.range(4).write.mode("overwrite").parquet(str(other))
    with pytest.raises(InputError, match="--overwrite"):
        project.run()
    assert sorted(in_files(other)) == [0, 1, 2, 3]


def test_a_target_that_became_somebodys_during_the_run(project: Project) -> None:
    project.write(target="./out.parquet")

    def put(_: Started) -> None:
        (project.folder / "out.parquet").mkdir()
        (project.folder / "out.parquet" / "mine").write_text("mine")

    with pytest.raises(InputError, match="--overwrite"):
        project.run(act=put)
    assert (project.folder / "out.parquet" / "mine").read_text() == "mine"
    assert sorted(p.name for p in project.folder.iterdir()) == [
        ".veer", "flow.json", "out.parquet", "t.csv"
    ]  # fmt: skip


def test_a_copy_in_a_source_that_is_found_by_name(project: Project) -> None:
    """Tables without a location are sources too."""
    (project.folder / "t.parquet").mkdir()
    project.spark.range(3).selectExpr("int(id) v", "int(id) w").write.mode("overwrite").parquet(
        str(project.folder / "t.parquet")
    )
    project.write(location="", format="parquet", target="t.parquet/new")
    with pytest.raises(InputError, match="source of the same run"):
        project.run(overwrite=True, trust_targets=True)


def test_sinks_with_any_ids(project: Project) -> None:
    ids = ["a/b", "A/B", "../x", "x" * 300, "\u00e9", "con"]
    columns = {"v": "int", "w": "int"}
    table = {"type": "source", "table": "t", "location": "t.csv", "format": "csv"}
    flow = {
        "veer": 1,
        "operators": {
            "t": {**table, "columns": columns, "options": {"header": "true"}},
            **{i: {"type": "sink", "name": "the same/name"} for i in ids},
        },
        "links": [["t", i] for i in ids],
    }
    (project.folder / "flow.json").write_text(json.dumps(flow))
    project.run(out="copies")
    made = sorted((project.folder / "copies").iterdir())
    assert [len(in_files(folder)) for folder in made] == [50] * len(ids)


# -- jobs ----------------------------------------------------------------------------------------


def called(project: Project, work: Callable[[], Any]) -> JobOutcome:
    with Store(project.place) as store:
        job = _Job("job", "job.py:build", store, RunOptions(), project.spark)
        with _intercepted(job):
            work()
        return job.outcome


def test_a_job_does_not_overwrite_what_it_reads(project: Project) -> None:
    path = str(project.folder / "p")
    project.spark.range(5).write.parquet(path)
    project.spark.sql(f"CREATE TABLE own_source USING parquet LOCATION '{path}'")
    try:
        small = project.spark.read.parquet(path).where("id < 2")
        table = project.spark.table("own_source").where("id < 2")
        writes: list[Callable[[], Any]] = [
            lambda: small.write.mode("overwrite").parquet(path),
            lambda: small.write.parquet(f"{path}/../p/", mode="overwrite"),
            lambda: small.write.format("parquet").mode("overwrite").option("path", path).save(),
            lambda: small.write.mode("overwrite").insertInto("own_source"),
            lambda: table.write.insertInto("own_source", overwrite=True),
            lambda: table.write.mode("overwrite").saveAsTable("own_source"),
        ]
        for write in writes:
            with pytest.raises(InputError, match="which it reads"):
                called(project, write)
            assert project.spark.read.parquet(path).count() == 5
        more = called(project, lambda: small.write.mode("append").parquet(path))
        assert "written to what it reads" in str(more.frames)
        assert project.spark.read.parquet(path).count() == 7
        done = called(project, lambda: small.write.mode("overwrite").parquet(path + "2"))
        assert not isinstance(done.frames[0][1], NotKept)
        assert project.spark.read.parquet(path + "2").count() == 2
    finally:
        project.spark.sql("DROP TABLE own_source")


# -- keys ----------------------------------------------------------------------------------------


def test_settings_of_hadoop_that_change_reading(project: Project) -> None:
    (project.folder / "long.csv").write_text("1\n22222222\n3\n")
    name = "mapreduce.input.linerecordreader.line.maxlength"

    def rows() -> tuple[list[Any], list[Any]]:
        frame = project.spark.read.schema("v int").csv(str(project.folder / "long.csv"))
        frame = frame.groupBy("v").count()
        return sorted(project.frame(frame).collect()), sorted(frame.collect())

    all_, plain = rows()
    assert all_ == plain and len(all_) == 3
    project.spark.conf.set(name, "4")
    try:
        some, plain = rows()
        assert some == plain and len(some) == 2, "Spark leaves out long lines"
    finally:
        project.spark.conf.unset(name)
    assert rows()[0] == all_
    assert project.hows()[:2] == ["computed", "computed"]


def test_defaults_of_columns(project: Project) -> None:
    path = str(project.folder / "d")
    project.spark.range(2).write.parquet(path)
    for default in ("5", "6"):
        project.spark.sql(f"CREATE TABLE with_default (id BIGINT) USING parquet LOCATION '{path}'")
        try:
            project.spark.sql(f"ALTER TABLE with_default ADD COLUMNS (c INT DEFAULT {default})")
            frame = project.spark.table("with_default").groupBy("c").count()
            assert project.frame(frame).collect() == frame.collect() == [(int(default), 2)]
        finally:
            project.spark.sql("DROP TABLE with_default")


def test_another_version_of_veer_computes_anew(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(sort("v"))
    assert [project.run(), project.run()] == ["computed", "reused"]
    monkeypatch.setattr("veer.execution.run.own_code_digest", lambda: "another")
    assert project.run() == "computed"


def test_a_link_and_a_step_upwards(project: Project) -> None:
    far = project.folder / "far" / "inner"
    far.mkdir(parents=True)
    (project.folder / "link").symlink_to(far)
    (far.parent / "t.csv").write_text("v,w\n777,1\n")
    project.write(location="link/../t.csv", target="./out.parquet")
    assert project.run() == "computed"
    (project.folder / "t.csv").write_text("v,w\n7,1\n")
    assert project.run() == "computed", "the file that Spark reads has changed"
    assert in_files(project.folder / "out.parquet") == [7]


@pytest.mark.parametrize("how", ["content", "folder"])
def test_a_source_that_is_another_only_while_it_is_read(
    project: Project, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = project.folder / "data", project.folder / "other"
    for folder, text in ((one, "v,w\n1,1\n"), (two, "v,w\n2,2\n")):
        folder.mkdir()
        (folder / "t.csv").write_text(text)
    project.write(location="data/t.csv")
    listed, frame = LocalFiles.listed, results.Results.write

    def exchange() -> None:
        if how == "content":
            texts = [(f / "t.csv").read_text() for f in (one, two)]
            for folder, text in zip((two, one), texts, strict=True):
                (folder / "t.csv").write_text(text)
        else:
            one.rename(project.folder / "aside")
            two.rename(one)
            (project.folder / "aside").rename(two)

    def before(self: Any, *args: Any) -> Any:
        exchange()
        return frame(self, *args)

    def after(self: LocalFiles, id_: str) -> Sequence[StoredFile]:
        exchange()
        return listed(self, id_)

    with monkeypatch.context() as patched:
        patched.setattr(results.Results, "write", before)
        patched.setattr(LocalFiles, "listed", after)
        assert project.run(content=how == "content") == "not kept"
        with pytest.raises(InputError, match="is as it was: a source changed"):
            project.run(content=how == "content", out="copies")
    assert project.run(content=how == "content", out="copies") == "computed"
    assert in_files(project.folder / "copies" / "out") == [1]


# -- secrets -------------------------------------------------------------------------------------


def everything_in(folder: Path) -> bytes:
    return b"".join(p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file())


def test_secrets_are_nowhere_in_the_store(project: Project) -> None:
    (project.folder / "x").mkdir()
    project.write(sort("v"), options={"password": SECRET, "sep": ","}, target="x/out.parquet")
    assert [project.run(), project.run()] == ["computed", "reused"]
    with Store(project.place) as store:
        (version,) = store.versions("flow")
        kept = json.dumps(to_json(version.dataflow))
        assert '["password", "sealed-' in kept and '["sep", ","]' in kept
    project.write(sort("v"), options={"password": SECRET + "2"}, target="x/out.parquet")
    assert project.run() == "computed", "it may read something else"
    hadoop = project.spark.sparkContext._jsc.hadoopConfiguration()
    hadoop.set("fs.s3a.secret.key", SECRET)
    try:
        project.run()
        reader = project.spark.read.schema("v int").option("token", SECRET)
        project.frame(reader.csv(str(project.folder / "t.csv"))).count()
    finally:
        hadoop.unset("fs.s3a.secret.key")
    live._stores.pop(project.place).close()
    for place in (Path(project.place), project.folder / "x"):
        assert SECRET.encode() not in everything_in(place)
    project.write(location=f"missing://user:{SECRET}@host/t.csv")
    with pytest.raises(Exception) as found:
        project.run()
    assert SECRET not in str(found.value)


def test_a_stored_version_cannot_be_run_without_its_secrets(project: Project) -> None:
    project.write(options={"password": SECRET})
    project.run()
    options = RunOptions(store=project.place)
    with pytest.raises(InputError, match="run its file instead"):
        start("store:flow@1", options, Session(given=project.spark)).close()


# -- storing is best effort ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "columns",
    [
        ["struct() AS x"],
        ["named_struct('a', v, 'A', v + 1) AS x"],
        ["array(named_struct('a', v, 'A', v + 1)) AS x"],
        ["v AS a", "v + 1 AS A"],
        ["null AS x"],
        ["v AS ``"],
    ],
    ids=lambda c: str(c[0]),
)
def test_types_that_files_do_not_hold(project: Project, columns: list[str]) -> None:
    frame = project.spark.range(3).selectExpr("int(id) AS v").selectExpr(*columns)
    found = project.frame(frame)
    assert found.collect() == frame.collect() and found.schema == frame.schema


@pytest.mark.parametrize("step", ["open", "write", "list", "register", "read"])
def test_a_full_disk(project: Project, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(28, "No space left on device")

    places: dict[str, tuple[Any, str]] = {
        "open": (live, "Store"), "write": (results, "write_rows"), "list": (LocalFiles, "listed"),
        "register": (Store, "record"), "read": (live, "read_result"),
    }  # fmt: skip
    monkeypatch.setattr(*places[step], full)
    frame = project.spark.range(3).selectExpr("int(id) AS v")
    with pytest.warns(UserWarning, match="No space left"):
        assert project.frame(frame) is frame
    done = called_with(project, frame) if step in ("write", "list") else None
    assert done is None or "No space left" in str(done.frames[0][1])


def called_with(project: Project, frame: DataFrame) -> JobOutcome:
    done = called(project, lambda: frame.write.mode("overwrite").parquet(f"{project.folder}/w"))
    assert project.spark.read.parquet(f"{project.folder}/w").count() == 3
    return done


def test_a_place_that_is_no_store(project: Project) -> None:
    (project.folder / "file").write_text("")
    frame = project.spark.range(3)
    with pytest.warns(UserWarning, match="cannot open the store"):
        assert veer.run(frame, name="x", store=str(project.folder / "file" / "x")) is frame
    with pytest.raises(veer.errors.UsageError, match="the name"):
        veer.run(frame, name="../x", store=project.place)


# -- the command, in processes of its own --------------------------------------------------------


def test_the_command_in_other_environments(project: Project) -> None:
    """The second process starts no Spark: it knows what the first one's surroundings were."""
    upper = {"type": "udf", "function": "f", "code": "def f(v):\n    return [v + 1][0]\n",
             "reads": ["v"], "adds": {"y": "int"}}  # fmt: skip
    project.write(upper, target="out/a.parquet")
    (project.folder / "flow.json").rename(project.folder / "a flow.json")

    def run(*words: str, **variables: str) -> str:
        command = [sys.executable, "-m", "veer", "run", "a flow.json", "--trust-code", *words]
        done = subprocess.run(
            [*command, "--format", "json", "--master", "local[1]"], cwd=project.folder,
            env={**os.environ, **variables}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        shown = json.loads(done.stdout)
        assert shown["written"] == [str(project.folder / "out" / "a.parquet")]
        how: str = shown["sinks"][0]["how"]
        return how

    assert run() == "computed"
    assert (project.folder / "out" / "a.parquet" / MARK).is_file()
    assert run() == "reused"
    assert run(PYTHONHASHSEED="7") == "computed"
    shutil.rmtree(project.folder / "out")
