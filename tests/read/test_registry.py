"""Which front end reads what; one from outside: the example of docs/adding-a-front-end.md."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from veer.api import load, load_pair
from veer.errors import InputError, UsageError
from veer.ir.dag import Dataflow
from veer.read import registry
from veer.read.inputs import Input, ReadOptions, parse_spec
from veer.read.registry import FrontEnd, built_in, front_end_of
from veer.read.sql import read_sql

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "adding-a-front-end.md").read_text(encoding="utf-8")
DDL = "CREATE TABLE t (a INT, b INT)"


def git(folder: Path, *words: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *words],
        cwd=folder,
        check=True,
        capture_output=True,
    )


def commit(folder: Path) -> None:
    """Make a folder a repository with all that is in it."""
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which the package of the page is installed."""
    packages = tmp_path / "packages"
    info = packages / "condition_lists-1.0.dist-info"
    info.mkdir(parents=True)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (target,) = re.findall(r"^conditions = \"(.*)\"$", PAGE, re.MULTILINE)
    (packages / "condition_lists.py").write_text(code)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: condition-lists\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[veer.frontends]\nconditions = {target}\n")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(packages), str(ROOT / "src")])}


def veer(environment: dict[str, str], folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "veer", *args],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def pipeline(folder: Path, *lines: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "pipeline.txt").write_text("\n".join(lines))


def test_a_front_end_from_outside_reads_folders_and_archives(
    environment: dict[str, str], tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    pipeline(work / "old", "t", "a > 1", "b < 2")
    pipeline(work / "same", "t", "b < 2", "NOT a <= 1")
    pipeline(work / "other", "t", "a > 2", "b < 2")
    with zipfile.ZipFile(work / "same.zip", "w") as archive:
        archive.write(work / "same" / "pipeline.txt", "pipeline.txt")
    for q, status in (("same", 0), ("same.zip", 0), ("other", 1)):
        done = veer(environment, work, "verify", "old", q, "--schema", DDL)
        assert done.returncode == status, done.stderr
    commit(work)
    pipeline(work / "old", "t", "a > 7", "b < 2")
    for spec in ("old", "./old/"):
        done = veer(environment, work, "verify", "--base", "HEAD", spec, "--schema", DDL)
        assert done.returncode == 1, done.stderr
    done = veer(environment, work, "verify", "HEAD:same.zip", "HEAD:old", "--schema", DDL)
    assert done.returncode == 0, done.stderr
    assert veer(environment, work, "show", "HEAD:old", "--schema", DDL).returncode == 0


def test_problems_of_a_front_end_from_outside(environment: dict[str, str], tmp_path: Path) -> None:
    pipeline(tmp_path / "bad", "no table", "a > 1")
    refused = veer(environment, tmp_path, "show", "bad")
    assert refused.returncode == 65
    assert refused.stderr == "veer: bad: line 1: 'no table' is no table\n"
    (tmp_path / "bad" / "pipeline.txt").write_bytes(b"\xff")
    assert veer(environment, tmp_path, "show", "bad").returncode == 65
    (tmp_path / "nothing").mkdir()
    unknown = veer(environment, tmp_path, "show", "nothing")
    assert unknown.returncode == 64
    assert "nothing: expected one of" in unknown.stderr
    assert "a folder or .zip file with a pipeline.txt" in unknown.stderr
    (tmp_path / "broken.zip").write_bytes(b"PK nonsense")
    broken = veer(environment, tmp_path, "show", "broken.zip")
    assert broken.returncode == 65
    assert "'conditions' fails to look at it" in broken.stderr


def test_without_the_package_a_folder_is_no_version(tmp_path: Path) -> None:
    pipeline(tmp_path / "old", "t", "a > 1")
    done = veer({**os.environ, "PYTHONPATH": str(ROOT / "src")}, tmp_path, "show", "old")
    assert done.returncode == 64
    assert "old: expected one of" in done.stderr


# -- in one process ------------------------------------------------------------------------------


def one_row(source: Input, options: ReadOptions) -> Dataflow:
    del source, options
    return read_sql("SELECT 1 AS one")


class Point(EntryPoint):
    """An entry point whose value is at hand."""

    def load(self) -> Any:
        value = VALUES[self.name]
        if isinstance(value, Exception):
            raise value
        return value


VALUES: dict[str, Any] = {}


@pytest.fixture
def external(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """What packages register, by name."""

    def points(group: str) -> list[EntryPoint]:
        return [Point(name, "x:y", group) for name in VALUES]

    monkeypatch.setattr(registry, "entry_points", points)
    registry._external.cache_clear()
    yield VALUES
    VALUES.clear()
    registry._external.cache_clear()


def test_readers_are_named_by_what_there_is() -> None:
    for front_end in built_in():
        assert callable(front_end._reader())


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("q.sql", "sql"),
        ("main:jobs/q.SQL", "sql"),
        ("flow.json", "workflow"),
        ("flow.YAML", "workflow"),
        ("flow.yml", "workflow"),
        ("job.py", "job"),
        ("main:jobs/report.py:build", "job"),
        ("store:report@3", "stored"),
        ("store:x.sql", "stored"),
    ],
)
def test_who_reads_what(spec: str, name: str) -> None:
    assert front_end_of(registry.parse(spec)).name == name


def test_content_goes_before_names(external: dict[str, Any], tmp_path: Path) -> None:
    external["tens"] = FrontEnd(
        "tens", "a file with 10", one_row, recognises=lambda s: s.read_bytes().startswith(b"10")
    )
    for name, text in {"ten.sql": "10", "eleven.sql": "SELECT 11 AS e"}.items():
        (tmp_path / name).write_text(text)
    assert front_end_of(parse_spec(str(tmp_path / "ten.sql"))).name == "tens"
    assert front_end_of(parse_spec(str(tmp_path / "eleven.sql"))).name == "sql"
    assert front_end_of(parse_spec(str(tmp_path / "missing.sql"))).name == "sql"
    version = load(str(tmp_path / "ten.sql"))
    assert (
        version.stable_ids and version.place is not None and version.place.file.endswith("ten.sql")
    )


def test_two_of_a_rank_are_an_error(external: dict[str, Any], tmp_path: Path) -> None:
    external["dialect"] = FrontEnd("dialect", "a .sql file", one_row, suffixes=(".sql",))
    with pytest.raises(UsageError, match=r"q.sql: recognised by more than one .*: sql and dialect"):
        load("q.sql")
    external.clear()
    registry._external.cache_clear()
    for name in ("a", "b"):
        external[name] = FrontEnd(name, "anything", one_row, recognises=lambda s: True)
    with pytest.raises(UsageError, match="recognised by more than one front end: a and b"):
        load(str(tmp_path))


def test_what_cannot_be_loaded_stops_nobody_else(external: dict[str, Any], tmp_path: Path) -> None:
    external["broken"] = ImportError("no module named x")
    external["wrong"] = "a text"
    path = tmp_path / "q.sql"
    path.write_text("SELECT 1 AS one")
    assert load(str(path)).dataflow.sinks
    with pytest.raises(UsageError) as caught:
        load("q.other")
    assert "front end 'broken' cannot be loaded: no module named x" in str(caught.value)
    assert "front end 'wrong' is a str, not a FrontEnd" in str(caught.value)


def test_what_a_front_end_gives_is_checked(external: dict[str, Any]) -> None:
    def gives_text(source: Input, options: ReadOptions) -> Any:
        return "SELECT 1"

    def fails(source: Input, options: ReadOptions) -> Any:
        raise ZeroDivisionError("oops")

    external["text"] = FrontEnd("text", "x", gives_text, suffixes=(".one",))
    external["fails"] = FrontEnd("fails", "x", fails, suffixes=(".two",))
    with pytest.raises(UsageError, match="front end 'text' gives a str"):
        load("a.one")
    with pytest.raises(InputError, match=r"a.two: front end 'fails' cannot read it: oops"):
        load("a.two")


def test_prefixes_and_arguments(external: dict[str, Any]) -> None:
    external["rows"] = FrontEnd(
        "rows", "rows:N", one_row, prefix="rows:", takes_arguments=True, starts_process=True
    )
    assert load("rows:7", args=["a=1"]).name == "rows:7"
    p, q = load_pair("rows:7", "rows:8")
    assert (p.name, q.name) == ("rows:7", "rows:8")
    with pytest.raises(UsageError, match="--arg is for PySpark functions"):
        load("q.sql", args=["a=1"])


def test_inputs_are_the_same_in_the_tree_and_at_a_revision(tmp_path: Path) -> None:
    folder = tmp_path / "flow"
    (folder / "inner").mkdir(parents=True)
    (folder / "b.bin").write_bytes(bytes(range(256)))
    (folder / "inner" / "ä.txt").write_text("é", encoding="utf-8")
    commit(tmp_path)
    for revision in ("", "HEAD"):
        source = Input("flow", str(folder), revision)
        assert source.exists and source.is_folder
        assert source.entries() == ("b.bin", "inner")
        assert source.read_bytes("b.bin") == bytes(range(256))
        assert source.read_text("inner/ä.txt") == "é"
        with source.on_disk() as path:
            assert (path / "b.bin").read_bytes() == bytes(range(256))
        file = Input("b", str(folder / "b.bin"), revision)
        assert file.exists and not file.is_folder and file.entries() == ()
        gone = Input("x", str(folder / "x"), revision)
        assert not gone.exists and not gone.is_folder
        with pytest.raises(InputError):
            gone.read_bytes()
    (folder / "b.bin").write_bytes(b"new")
    assert Input("b", str(folder / "b.bin"), "HEAD").read_bytes() == bytes(range(256))
    with pytest.raises(UsageError, match="is not a revision"):
        Input("b", str(folder / "b.bin"), "--output=x").read_bytes()


def test_reading_sql_loads_no_other_reader(tmp_path: Path) -> None:
    path = tmp_path / "q.sql"
    path.write_text("SELECT 1 AS one")
    code = (
        "import sys, veer.api\n"
        "heavy = {'sqlglot', 'yaml', 'pyspark', 'sqlalchemy', 'veer.read.workflow.reader'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "veer.api.load(sys.argv[1])\nprint(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        check=True,
    )
    assert done.stdout == "[]\n['sqlglot']\n"
