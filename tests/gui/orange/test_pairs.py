"""Pairs of versions that differ in what must not be overlooked, and in what must not count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.gui.orange.ows_files import context, node, ows, recent_path
from veer import verify
from veer.gui.orange.front_end import read_pair
from veer.read.inputs import Input, ReadOptions
from veer.verdict import Verdict

SCHEMA = "CREATE TABLE a (x DOUBLE, c STRING); CREATE TABLE b (x DOUBLE, c STRING)"
COLUMNS = {"x": 2, "c": 1}
EQUIVALENT, UNKNOWN = Verdict.EQUIVALENT, Verdict.UNKNOWN


class Folder:
    """Where versions are written and verified."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "tables.ddl").write_text(SCHEMA, "utf-8")

    def verdict(self, p: bytes, q: bytes) -> Verdict:
        for name, data in (("p.ows", p), ("q.ows", q)):
            (self.path / name).write_bytes(data)
        inputs = [Input(name, str(self.path / name)) for name in ("p.ows", "q.ows")]
        options = ReadOptions(schema=str(self.path / "tables.ddl"))
        verdict: Verdict = verify(*read_pair(inputs[0], inputs[1], options)).verdict
        return verdict


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def file(title: str, path: str = "", sheet: str = "") -> tuple[str, str, Any]:
    recent = recent_path(path or f"{title}.csv", "basedir")
    recent.sheet = sheet
    return node(title, {"recent_paths": [recent], "source": 0}, "File")


def above(title: str, threshold: float, *further: float) -> tuple[str, str, Any]:
    conditions = [("x", 2, 4, [number]) for number in (threshold, *further)]
    saved = context({"conditions": conditions, "__version__": 2}, COLUMNS)
    settings = {"context_settings": [saved], "__version__": 2}
    return node(title, settings, "Select Rows")


def shown(*nodes: tuple[str, str, Any], output: str = "Data") -> bytes:
    """Widgets one after the other, the last of them gives `output` to a table."""
    widgets = [*nodes, node("Result", {}, "Data Table")]
    channels = ["Data"] * (len(nodes) - 1) + [output]
    pairs = zip(widgets, widgets[1:], channels, strict=False)
    return ows(widgets, [(one[0], channel, two[0], "Data") for one, two, channel in pairs])


# -- order of rows ---------------------------------------------------------------------------------


PICKED = node("T", {"stored_selection": {"rows": [1], "columns": [0]}}, "Data Table")
SAMPLER = node("T", {"use_seed": True, "sampling_type": 0}, "Data Sampler")


def concatenated(first: str, second: str, last: tuple[str, str, Any], output: str) -> bytes:
    nodes = [file("a"), file("b"), node("Concatenate"), last, node("Result", {}, "Data Table")]
    links = [
        (first, "Data", "Concatenate", "Additional Data"),
        (second, "Data", "Concatenate", "Additional Data"),
        ("Concatenate", "Data", "T", "Data"),
        ("T", output, "Result", "Data"),
    ]
    return ows(nodes, links)


@pytest.mark.parametrize(("last", "output"), [(PICKED, "Selected Data"), (SAMPLER, "Data Sample")])
def test_what_goes_by_order_sees_which_table_comes_first(
    folder: Folder, last: tuple[str, str, Any], output: str
) -> None:
    p, q = (concatenated(*names, last, output) for names in (("a", "b"), ("b", "a")))
    assert folder.verdict(p, p) is EQUIVALENT
    assert folder.verdict(p, q) is UNKNOWN


def test_which_row_of_a_key_stays_counts(folder: Folder) -> None:
    def version(tiebreaker: str) -> bytes:
        saved = context({"selected_vars": ([("x", 102)], -3)}, COLUMNS)
        unique = node("Unique", {"context_settings": [saved], "tiebreaker": tiebreaker})
        return shown(file("a"), unique, above("Rows", 0.0), output="Matching Data")

    assert folder.verdict(version("First instance"), version("First instance")) is EQUIVALENT
    assert folder.verdict(version("First instance"), version("Last instance")) is UNKNOWN


def test_how_a_table_is_sorted_counts_even_if_nothing_is_picked(folder: Folder) -> None:
    def version(*sort: Any) -> bytes:
        table = node("T", {"stored_sort": list(sort)}, "Data Table")
        return shown(file("a"), table, output="Selected Data")

    assert folder.verdict(version(), version()) is EQUIVALENT
    assert folder.verdict(version(), version(("x", 1))) is UNKNOWN


# -- files -----------------------------------------------------------------------------------------


def test_sheets_of_a_file_are_tables_of_their_own(folder: Folder) -> None:
    january, february = (shown(file("File", "a.xlsx", sheet)) for sheet in ("Jan", "Feb"))
    assert folder.verdict(january, january) is EQUIVALENT
    assert folder.verdict(january, february) is not EQUIVALENT


def test_sheets_are_known_where_old_versions_kept_them(folder: Folder) -> None:
    def version(sheet: str) -> bytes:
        title, kind, settings = file("File", "a.xls")
        held = context({"xls_sheet": (sheet, -1)}, {"x": 2}, {"c": 3})
        held.attributes, held.class_vars, held.metas = (("x", 2),), (), (("c", 3),)
        return shown((title, kind, {**settings, "context_settings": [held]}))

    assert folder.verdict(version("Jan"), version("Jan")) is EQUIVALENT
    assert folder.verdict(version("Jan"), version("Feb")) is not EQUIVALENT


USUAL = {
    "stored_name": "out.csv",
    "filter": "Comma-separated values (*.csv)",
    "add_type_annotations": False,
}


def saved(settings: dict[str, Any]) -> bytes:
    return ows([file("a"), node("Save Data", settings)], [("a", "Data", "Save Data", "Data")])


@pytest.mark.parametrize(
    "change",
    [
        {"add_type_annotations": True},
        {"filter": "Tab-separated values (*.tab)"},
        {"filter": "Compressed Comma-separated values (*.csv.gz)"},
        {"compress": True},
        {"compression": True},
        {"filetype": 1},
        {"stored_name": "other.csv"},
        {"stored_path": "elsewhere"},
    ],
)
def test_how_a_file_is_saved_counts(folder: Folder, change: dict[str, Any]) -> None:
    changed = saved({**USUAL, **change})
    assert folder.verdict(changed, changed) is EQUIVALENT
    assert folder.verdict(saved(USUAL), changed) is not EQUIVALENT


@pytest.mark.parametrize("name", ["add_type_annotations", "filter"])
def test_a_setting_of_saving_that_is_not_told_is_another(folder: Folder, name: str) -> None:
    untold = saved({key: value for key, value in USUAL.items() if key != name})
    assert folder.verdict(saved(USUAL), untold) is UNKNOWN


# -- twins -----------------------------------------------------------------------------------------


def twins(*rows: tuple[str, str, Any], tables: str = "12") -> bytes:
    """Two filters of a file, each shown by a table; the tables are called alike."""
    nodes = [file("a"), *rows, *(node(f"T{number}", {}, "Data Table") for number in tables)]
    links = [
        *(("a", "Data", row[0], "Data") for row in rows),
        *(
            (row[0], "Matching Data", f"T{number}", "Data")
            for row, number in zip(rows, "12", strict=True)
        ),
    ]
    data = ows(nodes, links)
    for number in "12":
        data = data.replace(f'title="T{number}"'.encode(), b'title="T"')
    return data


def test_the_order_of_twins_does_not_count(folder: Folder) -> None:
    rows = above("Low", 1.0), above("High", 5.0)
    assert folder.verdict(twins(*rows), twins(*rows, tables="21")) is EQUIVALENT


def test_twins_are_told_apart_by_their_neighbours(folder: Folder) -> None:
    p = twins(above("Low", 1.0), above("High", 5.0))
    q = twins(above("Low", 1.0, 0.0), above("High", 5.0, 3.0), tables="21")
    assert folder.verdict(p, q) is EQUIVALENT
    assert folder.verdict(p, twins(above("Low", 2.0), above("High", 5.0))) is Verdict.INEQUIVALENT


def same_filters(*rows: tuple[str, str, Any]) -> bytes:
    return twins(*rows).replace(b'title="F1"', b'title="F"').replace(b'title="F2"', b'title="F"')


def test_twins_that_nothing_tells_apart_have_no_partners(folder: Folder) -> None:
    p = same_filters(above("F1", 1.0), above("F2", 5.0))
    q = same_filters(above("F1", 5.0, 3.0), above("F2", 1.0, 0.0))
    assert folder.verdict(p, p) is EQUIVALENT
    assert folder.verdict(p, q) is UNKNOWN
    one_changed = same_filters(above("F1", 5.0, 3.0), above("F2", 1.0))
    assert folder.verdict(p, one_changed) is EQUIVALENT
