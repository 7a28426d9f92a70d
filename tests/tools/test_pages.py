"""Pages made from the code are up to date, and say what they should."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

import veer
from tools import api_reference, architecture
from tools.drawing import Box, draw
from tools.imports import all_imports
from tools.layers import EVERYWHERE, EXCEPTIONS, ROOMS, covers, layer_of, short
from tools.pages import PAGES, is_current


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_up_to_date(name: str) -> None:
    assert is_current(name), "python -m tools pages"


def test_the_table_allows_nothing_that_nobody_imports() -> None:
    used = {(i.package, short(i.target)) for i in all_imports() if i.target.startswith("veer.")}
    unused = [
        (room.name, place)
        for room in ROOMS
        for place in room.may_import
        if not any(name == room.name and covers(place, target) for name, target in used)
    ]
    assert not unused


def test_no_exception_is_left_over() -> None:
    used = {(short(i.module), short(i.target)) for i in all_imports()}
    unused = [
        pair
        for pair in EXCEPTIONS
        if not any(covers(pair[0], module) and covers(pair[1], target) for module, target in used)
    ]
    assert not unused


def test_arrows_point_down_and_none_follows_from_others() -> None:
    edges = architecture.reduced()
    assert all(layer_of(upper) > layer_of(lower) for upper, lower in edges)
    assert ("verification.search", "refute") in edges and ("verification.search", "ir") not in edges


def test_the_picture_has_every_room() -> None:
    root = ET.fromstring(architecture.picture())
    names = {e.text for e in root.iter() if e.get("class") == "name"}
    small = {"java", "plugins", "__main__", "veer", *EVERYWHERE}
    assert names == {room.name for room in ROOMS} - small


def test_boxes_of_a_layer_do_not_overlap() -> None:
    boxes = [Box("top", "", 3), *(Box(f"b{i}", "", 2) for i in range(5)), Box("low", "", 1)]
    edges = [("top", f"b{i}") for i in range(5)] + [("top", "low"), ("b4", "low")]
    root = ET.fromstring(draw(boxes, edges, ground=""))
    rects = [r for r in root.iter() if r.tag.endswith("rect") and r.get("x")]
    middle = sorted(float(r.get("x") or 0) for r in rects if r.get("y") == rects[1].get("y"))
    assert len(middle) == 5
    assert all(right - left >= 148 for left, right in pairwise(middle))
    assert draw(boxes, edges, ground="") == draw(boxes, edges, ground="")


def test_every_name_of_the_api_is_described() -> None:
    text = api_reference.page()
    for name in veer.__all__:
        assert f"### `{name}`" in text
        assert getattr(veer, name).__doc__
    assert "`columns`" in text and "- `verdict`: Any sink inequivalent" in text
    assert " at 0x" not in text
