"""`veer doctor`: is everything there, and does it still give the known verdicts?"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

from veer import __version__
from veer.cli.project_file import current_project
from veer.errors import UsageError, VeerError
from veer.prove.verifiers.registry import names

PANEL = (
    (
        "identical queries",
        "SELECT a FROM t WHERE a > 1",
        "SELECT a FROM t WHERE a > 1",
        "equivalent",
    ),
    (
        "an inner alias is no difference",
        "SELECT x AS a FROM (SELECT a AS x FROM t) AS u",
        "SELECT y AS a FROM (SELECT a AS y FROM t) AS v",
        "equivalent",
    ),
    ("another column name", "SELECT a AS x FROM t", "SELECT a AS y FROM t", "inequivalent"),
    ("another type", "SELECT a FROM t", "SELECT CAST(a AS BIGINT) AS a FROM t", "inequivalent"),
    (
        "another filter",
        "SELECT a FROM t WHERE a > 1",
        "SELECT a FROM t WHERE a > 2",
        "inequivalent",
    ),
    (
        "a filter moves below a join",
        "SELECT x.a FROM t AS x JOIN t AS y ON x.a = y.a WHERE y.a > 1 AND x.s > 'b'",
        "SELECT x.a FROM (SELECT * FROM t WHERE a > 1 AND s > 'b') AS x JOIN t AS y ON y.a = x.a",
        "equivalent",
    ),
    (
        "partial counts",
        "SELECT a, COUNT(*) AS n FROM t GROUP BY a",
        "SELECT a, SUM(n) AS n FROM (SELECT a, s, COUNT(*) AS n FROM t GROUP BY a, s) AS g GROUP BY a",
        "equivalent",
    ),
    (
        "p, not p, and null",
        "SELECT a FROM t",
        "SELECT a FROM t WHERE a > 1 UNION ALL SELECT a FROM t WHERE NOT a > 1 "
        "UNION ALL SELECT a FROM t WHERE a > 1 IS NULL",
        "equivalent",
    ),
    (
        "p and not p without null",
        "SELECT a FROM t",
        "SELECT a FROM t WHERE a > 1 UNION ALL SELECT a FROM t WHERE NOT a > 1",
        "inequivalent",
    ),
    (
        "a global aggregate over nothing",
        "SELECT COUNT(*) AS n FROM t",
        "SELECT COUNT(*) AS n FROM t GROUP BY true",
        "inequivalent",
    ),
    (
        "CAST is not TRY_CAST",
        "SELECT CAST(s AS INT) AS n FROM t",
        "SELECT TRY_CAST(s AS INT) AS n FROM t",
        "unknown",
    ),
)
PANEL_SCHEMA = "CREATE TABLE t (a INT, s STRING)"


def examine(console: Any) -> int:
    """Print what is installed; 0 if all is well, 70 if a known verdict is not given."""
    console.print(f"veer {__version__}, Python {sys.version.split()[0]}")
    for name, needed in (
        ("sqlglot", True),
        ("click", True),
        ("rich", True),
        ("PyYAML", True),
        ("z3-solver", True),
        ("pyspark", False),
        ("cvc5", False),
    ):
        console.print(f"  {name:<10} {_installed(name) or _missing(needed)}")
    console.print(f"  {'Java':<10} {_java()}")
    console.print(f"  {'Spark':<10} {_spark()}")
    console.print(f"  {'meaning':<10} {_meaning()}")
    console.print(f"  {'jobs':<10} {_jobs()}")
    console.print(f"  {'verifiers':<10} {', '.join(names())}")
    console.print(f"  {'project':<10} {_project()}")
    wrong = [title for title, p, q, expected in PANEL if _verdict(p, q) != expected]
    if wrong:
        console.print(f"panel: {len(wrong)} of {len(PANEL)} verdicts are wrong: {', '.join(wrong)}")
        return 70
    console.print(f"panel: all {len(PANEL)} known verdicts confirmed")
    return 0


def _project() -> str:
    """What the project file says, or that there is none."""
    project = current_project()
    if project.file is None:
        return "no veer.toml, no [tool.veer] in pyproject.toml"
    said = [f"schema {', '.join(os.path.relpath(p) for p in project.schema)}"] * bool(
        project.schema
    )
    said += [f"store {project.store}"] * bool(project.store)
    said += [f"Spark {project.spark}"] * bool(project.spark)
    said += [f"conf {name}={value}" for name, value in project.conf.items()]
    said += [f"key of {name}: {', '.join(columns)}" for name, columns in project.keys.items()]
    for what, names_declared in (
        ("stable sources", project.stable_sources),
        ("row-wise functions", project.row_wise),
        ("trusted packages", project.trusted_packages),
    ):
        said += [f"{what}: {', '.join(sorted(names_declared))}"] * bool(names_declared)
    said += [f"job {name} = {job.spec}" for name, job in project.jobs.items()]
    lines = "".join(f"\n  {'':<10} {line}" for line in said)
    return f"{os.path.relpath(project.file)}{lines}"


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _missing(needed: bool) -> str:
    return "MISSING" if needed else "not installed (not needed to verify files)"


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if java is None:
        return "not found (needed to run on Spark, and for jobs that ask for it; see the jdk extra)"
    try:
        done = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return f"{java} does not run"
    return (done.stderr or done.stdout).splitlines()[0]


def _spark() -> str:
    """Which Spark is installed, and whether Veer knows what it computes."""
    from veer.read.pyspark.pyspark_version import pyspark_version
    from veer.settings import SPARKS, spark_version

    installed, known = pyspark_version(), ", ".join(map(str, SPARKS))
    if not installed:
        return f"none is installed; known: {known}"
    try:
        return f"PySpark {installed} is one that Veer models ({spark_version(installed)})"
    except UsageError:
        return f"PySpark {installed} is NOT one that Veer models; known: {known}"


def _meaning() -> str:
    """The Spark, mode and zone with whose meaning is read here, if no option says otherwise."""
    from veer.read.session_settings import session_settings, spark_asked_for
    from veer.settings import ZONE

    project = current_project()
    try:
        settings = session_settings(project.conf, spark_asked_for(project.spark))
    except VeerError as error:
        return f"nothing can be read: {error}"
    mode = "under ANSI" if settings.ansi else "without ANSI"
    return f"as Spark {settings.spark}, {mode}, in the zone {project.conf.get(ZONE, 'UTC')}"


def _jobs() -> str:
    """Which way PySpark functions are read here."""
    from veer.options import JvmUse
    from veer.read.pyspark.capture.jobs import Job, load_jobs

    packages = " ".join(f"{n} {_installed(n)}" for n in ("pyspark", "grpcio", "protobuf"))
    with tempfile.TemporaryDirectory(prefix="veer-") as folder:
        file = Path(folder) / "job.py"
        file.write_text("def build(spark):\n    return spark.range(3)\n", encoding="utf-8")
        try:
            load_jobs([Job(str(file), "build")], JvmUse.NEVER)
        except VeerError as error:
            reason = str(error).partition(";")[0]
            return f"PySpark functions are read with a JVM, if there is Java: {reason}"
    return f"PySpark functions are read without a JVM ({packages})"


def _verdict(p: str, q: str) -> str:
    from veer.api import Version, verify
    from veer.read.sql import read_sql

    old, new = (Version(t, read_sql(t, PANEL_SCHEMA), False) for t in (p, q))
    return verify(old, new).verdict.value
