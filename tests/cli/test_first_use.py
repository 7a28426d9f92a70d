"""What a new user meets: messages, witnesses, time limits, hostile files, places in SARIF."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

import veer
from tests.command import veer as command
from veer.api import Comparison, Version, assert_equivalent, verify
from veer.errors import ParseError, TimeLimitReached
from veer.execution.cli.run_output import print_plan
from veer.options import TypeMatching
from veer.read.inputs import line_of
from veer.read.json_text import read_json
from veer.read.sql import read_sql
from veer.read.workflow.reader import read_workflow
from veer.show.wording import reason_text
from veer.verdict import Report, TableSemantics

DDL = "CREATE TABLE t (a INT, s STRING, m DECIMAL(9,2), x BIGINT);\n"


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    (tmp_path / "p.sql").write_text(f"{DDL}SELECT s FROM t")
    (tmp_path / "q.sql").write_text(f"{DDL}SELECT coalesce(s, '') AS s FROM t")
    return tmp_path


def version(text: str, name: str = "v") -> Version:
    return Version(name, read_sql(f"{DDL}{text}"), False)


def compared(p: str, q: str, types: str = "value", semantics: str = "bag") -> Report:
    asked = Comparison(TableSemantics(semantics), types=TypeMatching(types))
    return verify(version(p, "P"), version(q, "Q"), asked)


# -- in Python -------------------------------------------------------------------------------------


def test_a_report_prints_as_text_and_is_short_otherwise() -> None:
    report = compared("SELECT s FROM t", "SELECT coalesce(s, '') AS s FROM t")
    assert "witness for result" in str(report) and "result after" in str(report)
    assert repr(report) == "<Report 'P' -> 'Q': inequivalent, 1 sink>"


def test_the_package_lists_what_it_has() -> None:
    code = "import veer; print(dir(veer)); from veer import *; print(verify.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    listed = ast.literal_eval(done.stdout.splitlines()[0])
    assert set(veer.__all__) <= set(listed)
    assert {"verify", "assert_equivalent", "run", "diff", "load"} <= set(listed)
    assert all(name in veer.__all__ or name.startswith("__") for name in listed)


def test_a_failed_assertion_shows_the_witness() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_equivalent(version("SELECT s FROM t"), version("SELECT trim(s) AS s FROM t"))
    text = str(caught.value)
    assert (
        "result before" in text and "result after" in text and "they differ on an instance" in text
    )


# -- types by value --------------------------------------------------------------------------------

RARE = "a * a * 7 = 63 AND x % 1000003 = 77 AND length(s) = 13 AND hash(s) = 5"


@pytest.mark.parametrize(
    ("p", "q", "verdict"),
    [
        ("SELECT m AS c FROM t", "SELECT CAST(m AS DECIMAL(12,2)) AS c FROM t", "equivalent"),
        ("SELECT m AS c FROM t", "SELECT CAST(m AS DECIMAL(12,4)) AS c FROM t", "equivalent"),
        ("SELECT a AS c FROM t", "SELECT CAST(a AS DECIMAL(10,0)) AS c FROM t", "equivalent"),
        ("SELECT 1.0 AS c", "SELECT 1.00 AS c", "equivalent"),
        ("SELECT m + m AS c FROM t", "SELECT 2.0 * m AS c FROM t", "equivalent"),
        ("SELECT max(m) AS c FROM t", "SELECT max(CAST(m AS DECIMAL(12,2))) AS c FROM t", "equivalent"),
        # A cast that fails where a number does not fit gives no other number.
        ("SELECT m AS c FROM t", "SELECT CAST(m AS DECIMAL(5,2)) AS c FROM t", "equivalent"),
        ("SELECT a AS c FROM t", "SELECT CAST(a AS DECIMAL(9,0)) AS c FROM t", "equivalent"),
        # Rounding, nulls for what does not fit, text and floats may tell them apart.
        ("SELECT m AS c FROM t", "SELECT CAST(m AS DECIMAL(9,1)) AS c FROM t", "inequivalent"),
        ("SELECT CAST(m AS INT) AS c FROM t", "SELECT m AS c FROM t", "inequivalent"),
        ("SELECT m AS c FROM t", "SELECT CAST(m AS DOUBLE) AS c FROM t", "inequivalent"),
        ("SELECT m AS c FROM t", "SELECT TRY_CAST(m AS DECIMAL(5,2)) AS c FROM t", "unknown"),
        ("SELECT a AS c FROM t", "SELECT TRY_CAST(a AS DECIMAL(9,0)) AS c FROM t", "unknown"),
        (
            "SELECT CAST(m AS STRING) AS c FROM t",
            "SELECT CAST(CAST(m AS DECIMAL(12,4)) AS STRING) AS c FROM t",
            "inequivalent",
        ),
        (
            "SELECT array(m) AS c FROM t",
            "SELECT array(CAST(m AS DECIMAL(12,2))) AS c FROM t",
            "inequivalent",
        ),
    ],
)  # fmt: skip
def test_decimals_are_compared_by_value(p: str, q: str, verdict: str) -> None:
    assert compared(p, q).verdict.value == verdict
    exact = compared(p, q, "exact").verdict.value
    assert exact == "inequivalent" or verdict == "unknown"


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ("SELECT NULL AS c FROM t", "SELECT CAST(NULL AS INT) AS c FROM t UNION SELECT 5 FROM t"),
        (
            "SELECT m AS c FROM t",
            "SELECT CAST(m AS DECIMAL(12,4)) AS c FROM t UNION SELECT 0.0001 FROM t",
        ),
        (
            "SELECT DISTINCT a AS c FROM t",
            "SELECT CAST(a AS BIGINT) AS c FROM t UNION SELECT 3000000000 FROM t",
        ),
    ],
)
def test_values_that_one_type_has_not_are_not_left_out(p: str, q: str) -> None:
    """No small instance shows the difference: only the proof must not be fooled."""
    assert compared(p, f"{q} WHERE {RARE}", semantics="set").verdict.value != "equivalent"


# -- messages --------------------------------------------------------------------------------------


def test_edits_never_show_the_same_twice(tmp_path: Path) -> None:
    flow: dict[str, Any] = {
        "operators": {
            "s": {"type": "source", "table": "t", "columns": {"a": "int not null"}, "keys": [["a"]]},
            "f": {"type": "filter", "predicate": "a > 1"},
        },
        "links": [["s", "f"]],
    }  # fmt: skip
    (tmp_path / "p.json").write_text(json.dumps(flow))
    del flow["operators"]["s"]["keys"]
    (tmp_path / "q.json").write_text(json.dumps(flow))
    report = json.loads(
        command("diff", "p.json", "q.json", "--format", "json", cwd=tmp_path).stdout
    )
    (edit,) = report["mappings"][0]["edits"]
    before, arrow, after = edit["detail"].partition(" => ")
    assert not arrow or before != after
    assert "keys" in edit["detail"]


def test_wide_tables_do_not_fill_a_reason() -> None:
    columns = ", ".join(f"a AS column_number_{i}" for i in range(200))
    more = f"{columns}, " + ", ".join(f"a AS other_{i}" for i in range(100))
    for q in (more, columns.replace("a AS column_number_7,", "rand() AS column_number_7,")):
        report = compared(f"SELECT {columns} FROM t", f"SELECT {q} FROM t", "exact")
        assert len(reason_text(report.sinks[0].reason)) < 500, reason_text(report.sinks[0].reason)
        assert all(len(edit.detail) < 500 for edit in report.edits)


def test_an_unknown_table_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "p.sql").write_text("SELECT a FROM orders")
    done = command("verify", "p.sql", "p.sql", cwd=tmp_path)
    assert done.returncode == 65
    assert "--schema" in done.stderr and "CREATE TABLE" in done.stderr
    done = command("show", "p.sql", "--schema", "CREATE TABLE order (a INT)", cwd=tmp_path)
    assert "did you mean 'order'" in done.stderr


# -- formats through the command -------------------------------------------------------------------


def test_junit_holds_the_witness(pair: Path) -> None:
    done = command("verify", "p.sql", "q.sql", "--format", "junit", cwd=pair)
    failure = ElementTree.fromstring(done.stdout.encode()).find(".//failure")
    assert failure is not None and failure.text is not None
    assert "result before" in failure.text and "null" in failure.text and "''" in failure.text


def test_a_hostile_file_name_is_only_a_name(pair: Path) -> None:
    name = 'x""" + open("pwned", "w").write("") + """\x1b[31m\n\u202e\'.sql'
    (pair / name).write_text((pair / "q.sql").read_text())
    done = command("verify", "p.sql", name, "--witness-out", "w", cwd=pair)
    assert done.returncode == 1
    assert all(c.isprintable() or c == "\n" for c in done.stdout + done.stderr)
    (script,) = (pair / "w").glob("*.py")
    tree = ast.parse(script.read_text(encoding="utf-8"))
    names = {
        target.id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Name)
        and target.id in ("SINK", "VERSIONS")
    }  # fmt: skip
    assert names["VERSIONS"] == {"before": "p.sql", "after": name}
    calls = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}  # fmt: skip
    assert "open" not in calls
    for format_ in ("html", "junit", "sarif", "json"):
        done = command("verify", "p.sql", name, "--format", format_, cwd=pair)
        assert done.returncode == 1 and "\x1b" not in done.stdout


def git(where: Path, *words: str) -> None:
    user = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    subprocess.run(["git", *user, *words], cwd=where, check=True, capture_output=True)


def sarif_uris(text: str) -> list[str]:
    results = json.loads(text)["runs"][0]["results"]
    return [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results]


def test_sarif_names_files_from_the_root(pair: Path) -> None:
    (pair / "deep er").mkdir()
    for name in ("p.sql", "q.sql"):
        (pair / name).rename(pair / "deep er" / name)
    git(pair, "init", "-q")
    git(pair, "add", ".")
    git(pair, "commit", "-qm", "first")
    for q, where in (("q.sql", pair / "deep er"), ("HEAD:deep er/q.sql", pair)):
        p = "p.sql" if where != pair else "deep er/p.sql"
        done = command("verify", p, q, "--format", "sarif", cwd=where)
        assert sarif_uris(done.stdout) == ["deep%20er/q.sql"], done.stderr


def test_the_line_of_a_function() -> None:
    text = (
        "import x\n\nclass A:\n    @x.y\n    def build(self):\n        pass\n\ndef build(): ...\n"
    )
    assert line_of("build", text) == 8
    assert line_of("A.build", text) == 5
    assert line_of("other", text) == line_of("build", "def (") == 0


# -- time ------------------------------------------------------------------------------------------


def test_a_time_limit_gives_unknown_and_keeps_nothing(
    pair: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "600" in command("verify", "--help").stdout
    done = command(
        *("verify", "p.sql", "q.sql", "--timeout", "0.001", "--format", "json", "--cache", "c.db"),
        cwd=pair,
    )
    report = json.loads(done.stdout)
    assert done.returncode == 2 and report["verdict"] == "unknown" and report["limit"] == 0.001
    assert "timeout after 0.001 s" in report["sinks"][0]["reason"]
    again = command("verify", "p.sql", "q.sql", "--timeout", "0", "--cache", "c.db", cwd=pair)
    assert again.returncode == 1

    def late(*_: object) -> None:
        raise TimeLimitReached(5)

    monkeypatch.setattr("veer.verification.sinks.congruence.prove", late)
    report_ = compared("SELECT s FROM t", "SELECT coalesce(s, '') AS s FROM t", "exact")
    assert report_.verdict.value == "unknown" and report_.limit == 5
    assert "stopped by the time limit of 5 s" in str(report_)


# -- broken input ----------------------------------------------------------------------------------

BROKEN = [
    "9" * 5000,
    '{"a": ' + "9" * 5000 + "}",
    "[" * 100_000,
    '{"a": NaN}',
    "[Infinity]",
    "[-1e999]",
    '{"a": 1, "a": 2}',
    '"\\ud800"',
    "\ufeff{}",
    "",
]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_broken_json_is_an_error_of_the_input(text: str) -> None:
    with pytest.raises(ParseError):
        read_json(text)
    with pytest.raises(ParseError):
        read_workflow(text)


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "9" * 5000,
        "[" * 10_000,
        "a: &x [1]\nb: [*x, *x]",
        "a: !!python/object/apply:os.system [ls]",
        "a: !!binary aGk=",
        "a: !!timestamp 2020-01-01",
        "? [a]\n: 1",
        "a: 1\na: 2",
        "\x00",
        "operators: {s: {type: sample, fraction: 1e400}}",
    ],
)
def test_broken_yaml_is_an_error_of_the_input(text: str) -> None:
    with pytest.raises(ParseError):
        read_workflow(text, yaml=True)


def test_numbers_without_end_through_the_command(tmp_path: Path) -> None:
    digits = "9" * 5000
    (tmp_path / "p.json").write_text(
        f'{{"operators": {{"a": {{"type": "limit", "count": {digits}}}}}}}'
    )
    (tmp_path / "p.sql").write_text(f"SELECT {digits} AS a")
    for name in ("p.json", "p.sql"):
        done = command("show", name, cwd=tmp_path)
        assert done.returncode == 65 and "digits" in done.stderr and len(done.stderr) < 3000
    pairs = [f'{{"id": {digits}, "p": "SELECT 1", "q": "SELECT 1"}}',
             '{"id": "b", "p": "SELECT 1 AS a", "q": "SELECT 1.0 AS a", "error": {"x": 1}}']  # fmt: skip
    (tmp_path / "pairs.jsonl").write_text("\n".join(pairs))
    done = command("batch", "pairs.jsonl", "--workers", "1", "--timeout", "0", cwd=tmp_path)
    lines = {line["id"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0, done.stderr
    assert lines["line 1"]["verdict"] == "error" and "digits" in lines["line 1"]["reason"]
    assert lines["b"]["verdict"] == "equivalent"


@pytest.mark.parametrize(
    "condition",
    [
        "s = '²'",
        "s = '5-' OR s = '--5'",
        "m = 99999999999999999999999999999999999999",
        "CAST(m AS DECIMAL(38,10)) = 9223372036854775807",
    ],
)
def test_odd_constants_do_not_stop_the_search(condition: str) -> None:
    report = compared(f"SELECT a FROM t WHERE {condition}", "SELECT a FROM t WHERE a > 3")
    assert report.verdict.value == "inequivalent"


def test_plans_of_hostile_names_print(capsys: pytest.CaptureFixture[str]) -> None:
    name = "[/nothing] \x1b[31m [bold]x"
    sink = {"sink": name, "how": "computed", "why": name, "rows": None}
    part = {"operator": name, "does": name, "rows": 1, "why": name, "seconds": 0.1}
    many = {key: [name] for key in ("computed", "skipped", "kept", "notes")}
    print_plan({"sinks": [sink], "read": [part], **many})
    shown = capsys.readouterr().out
    assert "\x1b[31m" not in shown and "[bold]x" in shown and "[/nothing]" in shown
