"""`--map`: what the versions call differently, through the command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import veer as command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {
        "p.sql": "CREATE TABLE a AS SELECT x AS old FROM t; CREATE TABLE b AS SELECT x + 1 AS y FROM t",
        "q.sql": "CREATE TABLE c AS SELECT x AS new FROM t; CREATE TABLE d AS SELECT 1 + x AS y FROM t",
        "one.sql": "SELECT x FROM t WHERE x > 1",
        "two.sql": "SELECT x FROM u WHERE 1 < x",
        "t.ddl": "CREATE TABLE t (x BIGINT); CREATE TABLE u (x BIGINT); CREATE TABLE w (z STRING)",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def verified(folder: Path, *words: str) -> tuple[int, str]:
    done = command("verify", *words, "--schema", "t.ddl", cwd=folder)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def test_results_and_columns(folder: Path) -> None:
    assert verified(folder, "p.sql", "q.sql")[0] == 2
    status, shown = verified(
        folder, "p.sql", "q.sql", "--map", "a=c", "--map", "old=new", "--map", "b=d"
    )
    assert status == 0, shown


def test_a_column_that_is_not_mapped_is_a_difference(folder: Path) -> None:
    status, shown = verified(folder, "p.sql", "q.sql", "--map", "a=c", "--map", "b=d")
    assert status == 1 and "only before: old" in shown


def test_tables_are_an_assumption(folder: Path) -> None:
    assert verified(folder, "one.sql", "two.sql")[0] != 0
    status, shown = verified(folder, "one.sql", "two.sql", "--map", "t=u")
    assert status == 0 and "assuming t and u hold the same rows, as given" in shown


def test_tables_of_other_columns_are_not_the_same(folder: Path) -> None:
    (folder / "two.sql").write_text("SELECT z AS x FROM w")
    status, shown = verified(folder, "one.sql", "two.sql", "--map", "t=w")
    assert status == 64 and "t has x bigint; w has z string" in shown


@pytest.mark.parametrize("given", ["a=", "=c", "a"])
def test_what_is_no_pair_of_names(folder: Path, given: str) -> None:
    status, shown = verified(folder, "p.sql", "q.sql", "--map", given)
    assert status == 64 and "expected OLD=NEW" in shown


def test_what_is_not_there_is_told_with_what_is(folder: Path) -> None:
    status, shown = verified(folder, "p.sql", "q.sql", "--map", "a=nothing")
    assert status == 64 and "sinks c, d" in shown


def test_two_results_that_are_written_elsewhere_are_not_one(folder: Path) -> None:
    (folder / "p.sql").write_text("CREATE TABLE a AS SELECT x FROM t")
    (folder / "q.sql").write_text("CREATE TABLE c AS SELECT x FROM t")
    status, shown = verified(folder, "p.sql", "q.sql")
    assert status == 2 and "removed" in shown
