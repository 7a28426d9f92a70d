"""`veer run`, `log`, `gc` and stored versions on the command line, as far as no Spark is needed."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests import command
from veer.errors import UsageError
from veer.execution.start import checked_name
from veer.execution.store import SinkResult, Store, StoredVersion
from veer.facts.fingerprint import fingerprint
from veer.read.sql import read_schema, read_sql

DDL = "CREATE TABLE t (a INT, b INT)"


def veer(folder: Path, *words: str) -> tuple[int, str, str]:
    done = command.veer(*words, cwd=folder)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A folder with a store of two versions without results."""
    with Store(str(tmp_path / ".veer")) as store:
        for text in ("SELECT a FROM t WHERE b > 1", "SELECT a FROM t WHERE b > 2"):
            flow = read_sql(text, read_schema(DDL))
            sinks = (SinkResult("result", "not kept", note="nothing was run"),)
            version = StoredVersion(
                "q", flow, fingerprint(flow), False, "q.sql", {'["t"]': "0"},
                {"spark": "4.3.0"}, time.time(), 1.5, sinks,
                edits=({"kind": "modify operator", "operator": "filter_1", "detail": "", "line": 0},),
            )  # fmt: skip
            store.record(version, [])
    return tmp_path


def test_log_lists_versions(stored: Path) -> None:
    status, out, _ = veer(stored, "log")
    assert status == 0 and "q@1" in out and "q@2" in out and "modify filter_1" in out
    status, out, _ = veer(stored, "log", "q", "--format", "json")
    assert [v["number"] for v in json.loads(out)] == [1, 2]
    assert veer(stored, "log", "other")[0] == 65


def test_stored_versions_are_specs(stored: Path) -> None:
    status, out, _ = veer(stored, "diff", "store:q@1", "store:q")
    assert status == 0 and "b > 2" in out
    status, out, _ = veer(stored, "show", "store:q@1")
    assert status == 0 and "q@1" in out and "Filter (b > 1)" in out and "nothing was run" in out
    assert veer(stored, "verify", "store:q@1", "store:q@2")[0] == 1
    status, _, err = veer(stored, "show", "store:q@7")
    assert status == 65 and "which holds q" in err
    status, _, err = veer(stored, "show", "store:q@x")
    assert status == 64 and "store:NAME@NUMBER" in err


def test_no_store(tmp_path: Path) -> None:
    for words in (["log"], ["gc"], ["show", "store:q"]):
        status, _, err = veer(tmp_path, *words)
        assert status == 65 and "there is no store" in err, words
    assert not (tmp_path / ".veer").exists()


def test_gc_says_what_it_does(stored: Path) -> None:
    (stored / ".veer" / "results" / ("0" * 32)).mkdir()
    status, out, _ = veer(stored, "gc", "--max-bytes", "1G", "--older-than", "30d")
    assert status == 0 and "removed 1 folders of runs that did not end" in out
    assert not list((stored / ".veer" / "results").iterdir())
    for words in (["--max-bytes", "many"], ["--older-than", "soon"]):
        assert veer(stored, "gc", *words)[0] == 64


def test_what_a_run_needs_is_named_before_spark_starts(tmp_path: Path) -> None:
    (tmp_path / "t.ddl").write_text(DDL)
    (tmp_path / "q.sql").write_text("SELECT a FROM t")
    status, _, err = veer(tmp_path, "run", "q.sql", "--schema", "t.ddl")
    assert status == 65 and "'t' was not found" in err and "--data" in err
    status, _, err = veer(tmp_path, "run", "q.sql", "--schema", "t.ddl", "--keep", "all")
    assert status == 64 and "sinks, cuts, none" in err
    status, _, err = veer(tmp_path, "run", "q.sql", "--schema", "t.ddl", "--store", "mysql://x/y")
    assert status == 64 and "PostgreSQL" in err
    status, _, err = veer(tmp_path, "run", "q.sql", "--schema", "t.ddl", "--store", "t.ddl/x")
    assert status == 65 and "cannot open the store" in err
    assert veer(tmp_path, "run", "q.sql", "--schema", "t.ddl", "--conf", "x")[0] == 64


FLOW = """
veer: 1
operators:
  t: {{type: source, table: t, format: csv, location: {location}, options: {options}, columns: {{v: int}}}}
  out: {{type: sink, name: out, target: {target}}}
links: [[t, out]]
"""


def write_flow(folder: Path, target: str, location: str = "t.csv", options: str = "{}") -> None:
    folder.mkdir(exist_ok=True)
    (folder / "t.csv").write_text("1\n2\n")
    text = FLOW.format(target=target, location=location, options=options)
    (folder / "flow.yaml").write_text(text)


def test_targets_are_refused_before_anything_runs(tmp_path: Path) -> None:
    """Data of others, places outside of the project, sources, the project itself."""
    project = tmp_path / "project"
    others = tmp_path / "others"
    for folder in (others, project / "others", project / "in"):
        folder.mkdir(parents=True)
        (folder / "_SUCCESS").write_text("")
        (folder / "part-0.csv").write_text("7\n")

    def refused(target: str, *words: str, location: str = "t.csv") -> str:
        write_flow(project, target, location)
        status, _, err = veer(project, "run", "flow.yaml", *words)
        assert status == 65, (target, err)
        for folder in (others, project / "others", project / "in"):
            assert sorted(p.name for p in folder.iterdir()) == ["_SUCCESS", "part-0.csv"]
        return " ".join(err.split())

    assert "--overwrite replaces it" in refused("./others")
    for target in ("../x", f"file:{tmp_path}/x"):
        assert "--trust-targets" in refused(target, "--overwrite"), target
    assert "--overwrite" in refused("../others", "--trust-targets")
    both = ("--overwrite", "--trust-targets")
    assert "source of the same run" in refused("in/new", *both, location="""'["in", "t.csv"]'""")
    for target in ("../project", "./flow.yaml", ".veer/results/x"):
        refused(target, *both)
    (project / "link").symlink_to(others)
    assert "--trust-targets" in refused("link/x", "--overwrite")


def test_names_that_are_paths_are_refused(tmp_path: Path) -> None:
    write_flow(tmp_path / "project", "warehouse.t")
    status, _, err = veer(tmp_path / "project", "run", "flow.yaml", "--name", "../../x")
    assert status == 64 and "a name is not a path" in err
    assert [p.name for p in tmp_path.iterdir()] == ["project"]
    for name in ("a/b", "..", "a\nb", " ", "", "x" * 300, "\ud800", "a\\b"):
        with pytest.raises(UsageError, match="the name"):
            checked_name(name)
