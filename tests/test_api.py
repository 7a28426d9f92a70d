"""The Python API."""

from __future__ import annotations

from pathlib import Path

import pytest

import veer
import veer.errors

ROOT = Path(__file__).parent.parent


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def test_files_can_be_verified_from_python(tmp_path: Path) -> None:
    p = write(tmp_path, "p.sql", "SELECT a FROM t")
    q = write(tmp_path, "q.sql", "SELECT a FROM t WHERE a > 1")
    schema = "CREATE TABLE t (a INT)"
    assert veer.verify(p, p, schema=schema).verdict.value == "equivalent"
    assert veer.assert_equivalent(p, p, schema=schema).sinks[0].verdict.value == "equivalent"
    with pytest.raises(
        AssertionError, match="result: inequivalent: they differ on an instance of 1 row"
    ):
        veer.assert_equivalent(p, q, schema=schema)


def test_reports_show_themselves_in_notebooks(tmp_path: Path) -> None:
    schema = "CREATE TABLE t (a INT, s STRING)"
    p = write(tmp_path, "p.sql", "SELECT a, s FROM t WHERE s <> '<b>'")
    q = write(tmp_path, "q.sql", "SELECT a, s FROM t")
    shown = veer.verify(p, q, schema=schema)._repr_html_()
    for part in (
        "≠ inequivalent",
        "result before",
        "result after",
        "<h4>Edits</h4>",
        "<table class='rows'>",
    ):
        assert part in shown
    assert "<b>'" not in shown and "&lt;b&gt;" in shown
    assert "= equivalent" in veer.verify(p, p, schema=schema)._repr_html_()


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError):
        veer.nothing_like_it  # noqa: B018


def test_types_that_are_not_modelled_pass_through(tmp_path: Path) -> None:
    text = "CREATE TABLE t (a INT, v VARIANT); SELECT a, v FROM t WHERE v IS NOT NULL"
    p = write(tmp_path, "p.sql", text)
    assert veer.verify(p, p).verdict.value == "equivalent"
    bad = write(tmp_path, "q.sql", text.replace("v IS NOT NULL", "v > v"))
    with pytest.raises(veer.errors.InputError, match="cannot be compared"):
        veer.load(bad)


def test_names_of_the_api_are_no_submodules() -> None:
    """A submodule takes the place of a name of the API as soon as somebody imports it."""
    folder = Path(veer.__file__).parent
    modules = {path.stem for path in folder.iterdir()}
    assert not modules & set(veer.__all__)


def test_names_of_the_api_stay_what_they_are_when_used() -> None:
    first = {name: getattr(veer, name) for name in veer.__all__}
    assert {name: getattr(veer, name) for name in veer.__all__} == first
    assert callable(veer.verify)
