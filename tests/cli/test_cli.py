"""The command line: exit statuses, formats, and one clear line for every error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command import ROOT, veer
from veer.cli.verify import time_limit
from veer.errors import TimeLimitReached

V1, V2 = (str(ROOT / "examples" / "tobacco" / f"{v}.yaml") for v in ("v1", "v2"))
DDL = "CREATE TABLE t (a INT, b INT)"


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    texts = {
        "p": "SELECT a FROM t WHERE b > 1",
        "same": "-- a comment\nSELECT x.a FROM t AS x WHERE x.b > 1",
        "other": "SELECT a FROM t WHERE b > 2",
        "unproven": "SELECT a FROM t WHERE b > 0 AND b * b > 1",
        "renamed": "SELECT a AS z FROM t WHERE b > 1",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.sql").write_text(text)
    (tmp_path / "tables.ddl").write_text(DDL)
    return tmp_path


@pytest.mark.parametrize(
    ("q", "status"), [("same", 0), ("renamed", 1), ("other", 1), ("unproven", 2)]
)
def test_verify_ends_with_the_verdict(queries: Path, q: str, status: int) -> None:
    words = ("verify", "p.sql", f"{q}.sql", "--schema", "tables.ddl")
    done = veer(*words, cwd=queries, new_process=True)
    assert done.returncode == status, done.stderr
    assert ["equivalent", "inequivalent", "unknown"][status] in done.stdout


def test_schema_may_be_given_as_text_or_in_the_file(queries: Path) -> None:
    assert veer("verify", "p.sql", "same.sql", "--schema", DDL, cwd=queries).returncode == 0
    for name in ("p", "same"):
        path = queries / f"{name}.sql"
        path.write_text(f"{DDL};\n{path.read_text()}")
    assert veer("verify", "p.sql", "same.sql", cwd=queries).returncode == 0


def test_the_json_report_has_its_documented_parts() -> None:
    done = veer("verify", V1, V2, "--format", "json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert report["verdict"] == "inequivalent"
    assert report["semantics"] == "bag"
    assert set(report) == {
        *("p", "q", "verdict", "semantics", "edits", "sinks", "counts", "seconds", "limit", "place")
    }
    assert set(report["counts"]) == {"windows", "decompositions", "ev_calls", "remembered"}
    for sink in report["sinks"]:
        assert set(sink) == {
            "p",
            "q",
            "verdict",
            "reason",
            "reason_kind",
            "assumptions",
            "assumption_kinds",
            "caveats",
            "caveat_kinds",
            "windows",
            "witness",
            "recheck",
            "resisted",
            "hints",
            "suggestion",
        }
    changed = {(e["kind"], e["operator"]) for e in report["edits"] if "operator" in e["kind"]}
    assert changed == {("delete operator", "o"), ("add operator", "g"), ("add operator", "h")}


@pytest.mark.parametrize("format_", ["html", "junit", "sarif", "text"])
def test_reports_can_be_written(tmp_path: Path, format_: str) -> None:
    target = tmp_path / "report"
    done = veer("verify", V1, V1, "--format", format_, "--out", str(target))
    assert done.returncode == 0
    assert done.stdout == ""
    text = target.read_text()
    assert {
        "html": "<!doctype html>",
        "junit": "<testsuite",
        "sarif": '"version": "2.1.0"',
        "text": "equivalent",
    }[format_] in text


def test_diff_shows_the_operators(queries: Path) -> None:
    done = veer("diff", V1, V2)
    assert done.returncode == 0
    assert "- o  delete  Filter (topic = 'related') after n before p" in done.stdout
    assert "3 edits (and the 11 changed links around them)" in done.stdout
    as_json = json.loads(veer("diff", V1, V2, "--format", "json", "--mappings", "2").stdout)
    assert len(as_json["mappings"]) == 2


def test_base_compares_with_a_revision(tmp_path: Path) -> None:
    def git(*args: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *args],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )

    (tmp_path / "jobs").mkdir()
    query = tmp_path / "jobs" / "q.sql"
    git("init", "-q")
    query.write_text(f"{DDL}; SELECT a FROM t WHERE b > 1")
    git("add", ".")
    git("commit", "-qm", "one")
    query.write_text(f"{DDL};\nSELECT a FROM t\nWHERE b > 1")
    assert veer("verify", "--base", "HEAD", "jobs/q.sql", cwd=tmp_path).returncode == 0
    query.write_text(f"{DDL}; SELECT a FROM t WHERE b > 2")
    assert veer("verify", "--base", "HEAD", "jobs/q.sql", cwd=tmp_path).returncode == 1
    assert veer("verify", "HEAD:jobs/q.sql", "jobs/q.sql", cwd=tmp_path).returncode == 1
    assert veer("verify", "HEAD:jobs/q.sql", "HEAD:jobs/q.sql", cwd=tmp_path).returncode == 0
    bad = veer("verify", "--base", "nowhere", "jobs/q.sql", cwd=tmp_path)
    assert bad.returncode == 65
    assert "nowhere" in bad.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["verify", "missing.sql", "missing.sql"], 65, "missing.sql: No such file or directory"),
        (["verify", V1], 64, "give two versions"),
        (
            ["verify", V1, V2, "--semantics", "list"],
            64,
            "--semantics must be one of set, bag, ordered; got 'list'",
        ),
        (
            ["verify", V1, V2, "--strategy", "luck"],
            64,
            "--strategy must be one of sweep, plus, baseline; got 'luck'",
        ),
        (
            ["verify", V1, V2, "--format", "pdf"],
            64,
            "--format must be one of text, json, html, junit, sarif; got 'pdf'",
        ),
        (
            ["verify", V1, V2, "--without", "sleep"],
            64,
            "--without must be one of segment, prune, rank, quick; got 'sleep'",
        ),
        (["verify", V1, V2, "--ev", "oracle"], 64, "no verifier named 'oracle'"),
        (["verify", V1, V2, "--nonsense"], 64, "No such option"),
        (["verify", V1, V2, "--budget", "x"], 64, "--budget"),
        (
            ["verify", "a.txt", "b.txt"],
            64,
            "a.txt: expected one of a PySpark function (FILE.py:FUNCTION), a .sql file",
        ),
        (["verify", "job.py:build", "job.py:build"], 65, "job.py: no such file"),
        (["verify", "job.py", "job.py"], 64, "name the function, as in job.py:build"),
        (["verify", V1, V2, "--arg", "a=1"], 64, "--arg is for PySpark functions"),
        (["verify", V1, V2, "--out", "/no/such/dir/x"], 64, "there is no such directory"),
        (
            ["verify", V1, V2, "--recheck", "other"],
            64,
            "--recheck must be one of cvc5; got 'other'",
        ),
        (["verify", V1, V2, "--evidence", str(ROOT)], 64, "the directory holds something else"),
        (["verify", V1, V2, "--evidence", V1], 64, "not a directory"),
        (["frobnicate"], 64, "frobnicate"),
    ],
)
def test_errors_are_one_line_and_a_status(arguments: list[str], status: int, message: str) -> None:
    done = veer(*arguments)
    assert done.returncode == status
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.yaml", b"\xff\xfe\x00nonsense"),
        ("x.json", b"nonsense " * 1_200_000),
        ("x.json", b"[" * 10_000_000),
        ("x.sql", b"SELECT " * 500_000),
        ("x.sql", os.urandom(4096)),
        ("x.yaml", b"a: " * 3_000),
        ("x.json", b""),
        ("x.sql", b""),
    ],
    ids=["bytes", "10MB", "deep", "long sql", "random", "yaml", "empty json", "empty sql"],
)
def test_nonsense_files_end_with_65(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    done = veer("verify", str(path), str(path))
    assert done.returncode == 65, done.stderr[:500]
    assert "Traceback" not in done.stderr
    assert str(path) in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_an_internal_error_says_how_to_report_it(tmp_path: Path) -> None:
    code = (
        "import veer.api\nfrom veer.cli import main\n"
        "def broken(*a, **k): raise ZeroDivisionError('oops')\n"
        "veer.api.verify = broken\n"
        "import sys\nsys.argv = ['veer', 'verify', sys.argv[1], sys.argv[1]]\nmain.run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, V1], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 70
    assert "internal error: ZeroDivisionError: oops" in done.stderr
    assert "report it" in done.stderr
    assert "Traceback" not in done.stderr


def test_other_commands() -> None:
    assert veer("--version").stdout.startswith("veer ")
    assert "Verify whether two versions" in veer("--help").stdout
    assert json.loads(veer("schema").stdout)["title"] == "Veer workflow"
    assert "known verdicts confirmed" in veer("doctor").stdout
    shown = veer("show", V1)
    assert "m  Limit 10  <- l" in shown.stdout


def test_help_loads_no_heavy_library() -> None:
    code = (
        "import sys\nsys.argv = ['veer', '--help']\nfrom veer.cli.main import run\n"
        "try:\n    run()\nexcept SystemExit:\n    pass\n"
        "heavy = {'sqlglot', 'yaml', 'z3', 'pyspark', 'rich.table', 'veer.ir', 'veer.api'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stderr.strip() == "[]"


def test_a_time_limit_is_none_of_the_errors_it_is_wrapped_into() -> None:
    with pytest.raises(TimeLimitReached), time_limit(0.05):
        try:
            time.sleep(20)
        except BaseException:
            raise ValueError("as ctypes does inside of a call") from None


def test_an_error_before_the_time_limit_stays_itself() -> None:
    with pytest.raises(ValueError), time_limit(20):
        raise ValueError("of its own")
