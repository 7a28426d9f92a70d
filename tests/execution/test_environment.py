"""What results depend on beside their computation: whatever is not known to be harmless."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from veer.execution.environment import (
    environment_of,
    is_configured_elsewhere,
    is_harmless,
    java_of,
    python_variables,
)
from veer.execution.session import FOR_RUNNING, Session
from veer.execution.sources import Sources, source_name
from veer.ir.ops import Source
from veer.ir.schema import Field
from veer.ir.types import IntegerType

HARMLESS = [
    *("spark.app.name", "spark.master", "spark.executor.memory", "spark.executor.cores"),
    *("spark.driver.memoryOverhead", "spark.ui.port", "spark.sql.shuffle.partitions"),
    *("spark.sql.adaptive.enabled", "spark.dynamicAllocation.enabled", "spark.eventLog.dir"),
]
COUNTING = [
    *("spark.sql.extensions", "spark.executorEnv.TZ", "spark.executorEnv.PYTHONHASHSEED"),
    *("spark.hadoop.mapreduce.input.linerecordreader.line.maxlength", "spark.jars"),
    *("mapreduce.input.linerecordreader.line.maxlength", "spark.executor.extraJavaOptions"),
    *("spark.kubernetes.container.image", "spark.pyspark.python", "spark.sql.legacy.x"),
    *("spark.sql.execution.arrow.maxRecordsPerBatch", "spark.sql.optimizer.excludedRules"),
    *("spark.sql.execution.pythonUDF.arrow.enabled", "spark.files", "spark.sql.catalog.c.url"),
    *("spark.sql.parquet.enableVectorizedReader", "textinputformat.record.delimiter", "x"),
    *("spark.shuffle.manager", "spark.executorEnv.LD_LIBRARY_PATH", "spark.plugins"),
]


@pytest.mark.parametrize("name", COUNTING)
def test_settings_count_unless_known_to_be_harmless(name: str) -> None:
    assert not is_harmless(name)


@pytest.mark.parametrize("name", HARMLESS)
def test_settings_that_only_say_with_what_to_compute(name: str) -> None:
    assert is_harmless(name)


def test_variables_of_python_count() -> None:
    counting = ["PYTHONHASHSEED", "PYTHONOPTIMIZE", "TZ", "LANG", "LC_ALL", "OMP_NUM_THREADS"]
    given = dict.fromkeys([*counting, "PYTHONPATH", "PYTHONUNBUFFERED", "HOME", "PWD"], "1")
    assert sorted(python_variables(given)) == sorted(counting)
    assert python_variables({"PYSPARK_PYTHON": "/other/python"})
    import sys

    assert not python_variables({"PYSPARK_PYTHON": sys.executable})


@pytest.mark.parametrize(
    ("name", "value"), [("PYTHONHASHSEED", "7"), ("LC_ALL", "tr_TR.UTF-8"), ("PYTHONOPTIMIZE", "2")]
)
def test_another_environment_of_a_session_that_does_not_run(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Session().environment()
    monkeypatch.setenv(name, value)
    session = Session()
    assert session.environment()["python"] != before["python"]
    assert not session.is_running


def test_what_configures_spark_elsewhere_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [n for n in os.environ if n.startswith(("SPARK_", "HADOOP_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    for name in ("SPARK_AUTH_SOCKET_TIMEOUT", "SPARK_BUFFER_SIZE"):  # as PySpark leaves them
        monkeypatch.setenv(name, "15")
    assert not is_configured_elsewhere()
    for name in ("JAVA_TOOL_OPTIONS", "HADOOP_CONF_DIR", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS"):
        with monkeypatch.context() as patched:
            patched.setenv(name, "x")
            assert is_configured_elsewhere(), name
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-env.sh.template").write_text("")
    assert not is_configured_elsewhere()
    (tmp_path / "conf" / "spark-defaults.conf").write_text("")
    assert is_configured_elsewhere()


@pytest.mark.parametrize(
    ("conf", "is_known"),
    [
        ({}, True),
        ({"spark.executor.memory": "1g", "spark.sql.shuffle.partitions": "3"}, True),
        ({"spark.hadoop.x": "1"}, False),
        ({"spark.sql.session.timeZone": "Asia/Tokyo"}, False),
        ({"spark.driver.extraJavaOptions": "-Xss8m"}, False),
        ({"spark.executorEnv.TZ": "Asia/Tokyo"}, False),
        ({"spark.executorEnv.TZ": "UTC"}, True),
    ],
)
def test_spark_is_asked_where_settings_may_count(conf: dict[str, str], is_known: bool) -> None:
    session = Session(conf=conf)
    assert session._is_configured is not is_known
    assert Session("yarn")._is_configured


def test_the_version_of_java_is_known_without_starting_it(tmp_path: Path) -> None:
    (tmp_path / "release").write_text('IMPLEMENTOR="X"\nJAVA_VERSION="17.0.15"\n')
    assert java_of(str(tmp_path)) == "17.0.15"
    assert java_of(str(tmp_path / "none")) == ""


# -- sources -------------------------------------------------------------------------------------


def table(location: str, **more: Any) -> Source:
    fields = (Field("v", IntegerType(), True),)
    return Source("t", fields, format="csv", location=location, **more)


def test_a_step_upwards_is_looked_at_where_spark_reads(tmp_path: Path) -> None:
    """Spark takes `link/..` away; the system goes to the parent of where the link leads."""
    data = tmp_path / "data"
    (tmp_path / "far" / "inner").mkdir(parents=True)
    data.mkdir()
    (data / "link").symlink_to(tmp_path / "far" / "inner")
    (data / "t.csv").write_text("1\n")
    (tmp_path / "far" / "t.csv").write_text("2\n")
    for given, at in ((data, "link/../t.csv"), (data / "link" / ".." / ".." / "data", "./t.csv")):
        place = Sources(given).locate(table(at))
        assert place.globs == (str(data / "t.csv"),)
        assert place.patterns == (f"file:{data}/t.csv",)
    assert Sources(data).locate(table(f"{data}/link/../t.csv")).globs == (str(data / "t.csv"),)
    assert Sources(data).locate(table("../far/t.csv")).globs == (str(tmp_path / "far" / "t.csv"),)


def rewritten(data: Path) -> Callable[[], None]:
    def change() -> None:
        text = (data / "t" / "a.csv").read_bytes()
        (data / "t" / "a.csv").write_bytes(b"9\n")
        (data / "t" / "a.csv").write_bytes(text)

    return change


def renamed(name: str) -> Callable[[Path], Callable[[], None]]:
    def of(data: Path) -> Callable[[], None]:
        def change() -> None:
            place, aside = (data / name).resolve(), data.parent / "aside"
            place.rename(aside)
            aside.rename(place)

        return change

    return of


def relinked(data: Path) -> Callable[[], None]:
    def change() -> None:
        (data / "current").unlink()
        (data / "current").symlink_to(data / "t")

    return change


@pytest.mark.parametrize("content", [False, True])
@pytest.mark.parametrize(
    "change", [rewritten, renamed("t"), renamed("t/a.csv"), renamed("."), relinked],
    ids=["rewritten", "folder moved", "file moved", "folder above moved", "link"],
)  # fmt: skip
def test_a_source_that_is_exchanged_and_put_back(
    tmp_path: Path, change: Callable[[Path], Callable[[], None]], content: bool
) -> None:
    data = tmp_path / "data"
    (data / "t").mkdir(parents=True)
    (data / "t" / "a.csv").write_text("1\n")
    (data / "current").symlink_to(data / "t")
    sources = Sources(data, content)
    source = table(str(data / "current"))
    before = sources.stamp(source)
    (tmp_path / "unrelated").write_text("")
    (data / "unrelated").write_text("")
    assert sources.stamp(source) == before
    change(data)()
    assert sources.stamp(source) != before


def test_everything_a_source_says_counts_but_what_is_declared(tmp_path: Path) -> None:
    """A field that is added to sources, such as what columns give where files lack them, counts."""
    from dataclasses import fields, replace

    from veer.execution.sources import DECLARED

    one = table("a")
    others: dict[str, Any] = {
        "table": "u", "fields": (Field("w", IntegerType(), True),), "format": "json",
        "location": "b", "options": (("sep", ";"),),
    }  # fmt: skip
    for field in fields(Source):
        if field.name in DECLARED:
            continue
        value = others.get(field.name, (("v", "5"),))
        assert source_name(replace(one, **{field.name: value})) != source_name(one), field.name
    unsure = replace(one, fields=(Field("v", IntegerType(), False),), keys=(("v",),))
    assert source_name(unsure) == source_name(one)


# -- with Spark ----------------------------------------------------------------------------------


@pytest.mark.spark
def test_what_a_session_is_told_later(spark: SparkSession) -> None:
    before = environment_of(spark)
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    name = "mapreduce.input.linerecordreader.line.maxlength"
    changes: list[tuple[Callable[[], Any], Callable[[], Any]]] = [
        (lambda: spark.conf.set(name, "9"), lambda: spark.conf.unset(name)),
        (lambda: hadoop.set(name, "9"), lambda: hadoop.unset(name)),
        (lambda: hadoop.set("my.secret.password", "9"), lambda: hadoop.unset("my.secret.password")),
        (
            lambda: spark.conf.set("spark.hadoop.x", "9"),
            lambda: spark.conf.unset("spark.hadoop.x"),
        ),
    ]
    seen = [before]
    for change, undo in changes:
        change()
        seen.append(environment_of(spark))
        undo()
    assert all(one != other for i, one in enumerate(seen) for other in seen[i + 1 :])
    assert environment_of(spark) == before
    assert before["java"] and set(FOR_RUNNING) >= {"spark.executorEnv.TZ"}
