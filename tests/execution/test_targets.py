"""Targets of sinks: nothing of anybody's is lost, whatever a version asks for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.execution.killed import content, fill, write
from veer.errors import InputError
from veer.execution import targets
from veer.execution.targets import MARK, Names, Rules, Target, path_of, real, safe_name

ROOT = Path(__file__).parent.parent.parent


def target(path: Path, *, is_asked: bool = False) -> Target:
    return Target(real(path), path.name, is_asked)


def refused(rules: Rules, *paths: Path) -> str:
    with pytest.raises(InputError) as found:
        rules.check([target(p) for p in paths])
    return str(found.value)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


def test_killed_at_every_step_and_written_at_once(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, "-m", "tests.execution.killed", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    print(done.stdout)


def test_what_veer_wrote_is_replaced(project: Path) -> None:
    for word in ("one", "two"):
        write(project / "out", word, overwrite=False)
        assert content(project / "out") == word
    assert os.listdir(project) == ["out"]


@pytest.mark.parametrize("mode", ["a file", "a folder", "marked as a result", "another's mark"])
def test_data_of_others_is_not_replaced(project: Path, mode: str) -> None:
    out = project / "out"
    if mode == "a file":
        out.write_text("mine")
    else:
        fill(out, "mine")
    if mode == "another's mark":
        write(project / "other", "x", overwrite=False)
        (out / MARK).write_bytes((project / "other" / MARK).read_bytes())
    before = out.read_bytes() if out.is_file() else content(out)
    with pytest.raises(InputError, match="--overwrite replaces it"):
        write(out, "new", overwrite=False)
    assert (out.read_bytes() if out.is_file() else content(out)) == before
    assert refused(Rules(project=(project,)), out).startswith("out exists already")
    write(out, "new", overwrite=True)
    assert content(out) == "new"
    assert not [p for p in project.iterdir() if p.name.startswith(".")]


@pytest.mark.parametrize("how", ["changed", "added", "removed", "folder", "link", "copied", "mark"])
def test_a_result_somebody_worked_on_is_theirs(project: Path, how: str) -> None:
    out = project / "out"
    write(out, "old", overwrite=False)
    match how:
        case "changed":
            (out / "part-1").write_text("old 7")
        case "added":
            (out / ".notes").write_text("mine")
        case "removed":
            (out / "part-1").unlink()
        case "folder":
            (out / "more").mkdir()
        case "link":
            (out / "part-1").rename(project / "part-1")
            (out / "part-1").symlink_to(project / "part-1")
        case "copied":
            out.rename(project / "kept")
            out = project / "kept"
        case _:
            (out / MARK).write_text("[")
    with pytest.raises(InputError, match="--overwrite replaces it"):
        write(out, "new", overwrite=False)


def test_an_empty_folder_is_nobodys(project: Path) -> None:
    (project / "out").mkdir()
    write(project / "out", "new", overwrite=False)
    assert content(project / "out") == "new"


def test_what_comes_between_looking_and_replacing_comes_back(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = project / "out"
    write(out, "old", overwrite=False)
    checked = Rules.check

    def added(rules: Rules, given: list[Target]) -> None:
        checked(rules, given)
        (out / "mine").write_text("mine")

    for exchange in (targets._exchange, lambda *_: False):
        with monkeypatch.context() as patched:
            patched.setattr(Rules, "check", added)
            patched.setattr(targets, "_exchange", exchange)
            with pytest.raises(InputError, match="changed while"):
                write(out, "new", overwrite=True)
        assert content(out) == "old" and (out / "mine").read_text() == "mine"
        assert os.listdir(project) == ["out"]


def test_a_full_disk_leaves_the_old(project: Path) -> None:
    out = project / "out"
    write(out, "old", overwrite=False)

    def full(new: Path) -> None:
        fill(new, "new")
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match="No space left"):
        targets.write(target(out), Rules(project=(project,)), full)
    assert content(out) == "old" and os.listdir(project) == ["out"]


def test_folders_that_only_look_like_leftovers_stay(project: Path) -> None:
    for name in (".out.new", ".out.old", ".out.veer-1", ".other.veer-" + "0" * 32):
        fill(project / name, "mine")
    write(project / "out", "one", overwrite=False)
    write(project / "out", "two", overwrite=False)
    for name in (".out.new", ".out.old", ".out.veer-1", ".other.veer-" + "0" * 32):
        assert content(project / name) == "mine"


# -- where ---------------------------------------------------------------------------------------


def test_outside_of_the_project(project: Path, tmp_path: Path) -> None:
    rules = Rules(project=(project,))
    (project / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").mkdir()
    assert "--trust-targets" in refused(rules, project)
    for path in (tmp_path / "x", project / ".." / "x", project / "link" / "x"):
        assert "--trust-targets" in refused(rules, path), path
        Rules(anywhere=True, project=(project,)).check([target(path, is_asked=False)])
        rules.check([target(path, is_asked=True)])
    rules.check([target(project / "a" / "b")])


def test_a_source_is_never_written_over(project: Path, tmp_path: Path) -> None:
    fill(project / "in", "source")
    fill(project / "far", "source")
    (project / "in" / "linked").symlink_to(project / "far" / "part-0")
    (project / "alias").symlink_to(project / "in")
    sources = (
        str(project / "in"),
        str(project / "tables" / "*.csv"),
        str(project / "days" / "{a,b}"),
    )
    rules = Rules(True, True, (project,), sources)
    for name in ("in", "in/new", "alias", "alias/new", "far", "tables", "tables/new.csv",
                 "tables/new.csv/x", "days", "days/c", "."):  # fmt: skip
        assert "source of the same run" in refused(rules, project / name), name
    assert "source of the same run" in refused(rules, tmp_path)
    rules.check([target(project / name) for name in ("out", "inside", "tables/new.parquet")])


def test_what_the_run_needs_and_the_store_stay(project: Path) -> None:
    flow, store = project / "flows" / "f.yaml", project / ".veer"
    flow.parent.mkdir()
    flow.write_text("")
    store.mkdir()
    rules = Rules(True, True, (project,), (), (project, flow), (store, store / "results"))
    for path in (project, flow, flow.parent, store, store / "results" / "x", project.parent):
        refused(rules, path)
    assert "one place" in refused(rules, project / "a", project / "a" / "b")


def test_names_of_tables_and_other_systems_are_no_targets(project: Path) -> None:
    for text in ("warehouse.report", "report", "s3a://bucket/x", "hdfs:/x/y"):
        assert path_of(text, project) is None
    assert path_of("x.parquet", project) == project / "x.parquet"
    for text in ("file:/a/b", "file:///a/b", "/a/b", "/a/x/../b"):
        assert path_of(text, project) == Path("/a/b")
    with pytest.raises(InputError):
        path_of("a/\0b", project)


def test_names_of_files(project: Path) -> None:
    names = Names()
    given = ["a/b", "a b", "A B", "..", "../..", "", "nul", "CON.txt", "x" * 300, "x" * 301, "é", "e\u0301",
             "日" * 200, "\ud800", "a\0b", ".hidden", "a\nb", "a_b"]  # fmt: skip
    made = [names.of(name, f"id/{i}\0") for i, name in enumerate(given)]
    assert len({m.casefold() for m in made}) == len(made)
    for name in made:
        (project / name).mkdir()
        assert Path(name).name == name and not name.startswith(".")
        assert len(name.encode()) < 200
    assert safe_name("nul") == "nul_" and safe_name("report.v1") == "report.v1"
