"""Charts: bars from zero, labels inside the picture, names of others as text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from veer.execution.charts import HEIGHT, WIDTH, Shape, as_html, write_chart

SVG = "{http://www.w3.org/2000/svg}"
LETTER = 6.0  # pixels a letter needs at the very least


def drawing(kind: str, names: list[str], rows: list[tuple[Any, ...]]) -> ElementTree.Element:
    page = as_html("title", kind, names, rows, len(rows))
    found = re.search(r"<svg.*</svg>", page, re.DOTALL)
    assert found is not None
    return ElementTree.fromstring(found[0])


def number(node: ElementTree.Element, name: str) -> float:
    return float(node.get(name, "nan"))


def bars(rows: list[tuple[Any, ...]]) -> list[tuple[float, float]]:
    found = drawing("bar chart", ["x", "y"], rows).iter(f"{SVG}rect")
    return [(number(r, "y"), number(r, "height")) for r in found]


def test_bars_start_at_zero() -> None:
    (_, small), (_, large) = bars([("a", 1_000_000), ("b", 2_000_000)])
    assert large == pytest.approx(2 * small, abs=0.3)
    (top, up), (begin, down) = bars([("a", 5), ("b", Decimal("-5"))])
    assert up == pytest.approx(down, abs=0.3) and top + up == pytest.approx(begin, abs=0.3)


@pytest.mark.parametrize("kind", ["bar chart", "line chart", "scatterplot"])
@pytest.mark.parametrize("size", [1, 3, 30, 500])
def test_labels_are_inside(kind: str, size: int) -> None:
    names = ["a name of an axis", "another rather long name"]
    texts: list[tuple[Any, ...]] = [(f"label number {i} of many", i * 1e6) for i in range(size)]
    numbers: list[tuple[Any, ...]] = [(i - 3.5, 10.0**i) for i in range(min(size, 30))]
    for rows in (texts, numbers):
        for text in drawing(kind, names, rows).iter(f"{SVG}text"):
            shown = text.text or ""
            long, x = LETTER * len(shown), number(text, "x")
            turned = "rotate" in text.get("transform", "")
            long *= 0.8 if turned else 1
            left = {"start": x, "middle": x - long / 2, "end": x - long}[
                text.get("text-anchor", "")
            ]
            assert left >= 0 and left + long <= WIDTH, shown
            assert 10 <= number(text, "y") <= HEIGHT - (long * 0.6 if turned else 4), shown


@pytest.mark.parametrize("text", ["a\x00\x1b[31m", "</svg><script>", "$x$", "", "\u202e"])
def test_texts_of_others(text: str, tmp_path: Path) -> None:
    rows = [(text, 1, text), ("b", 2, None)]
    assert drawing("bar chart", [text, text, text], rows) is not None
    for path in write_chart(tmp_path / "x", text, "bar chart", [text, text, text], rows, 2):
        assert path.stat().st_size > 0


def test_nothing_to_draw() -> None:
    rows = [(None, 1), (float("nan"), 2.0), (1.0, float("inf"))]
    assert "no rows to draw" in as_html("t", "scatterplot", ["x", "y"], rows, 3)


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        ("bar chart", Shape.BARS),
        ("stacked bar chart", Shape.BARS),
        ("Bar_Chart", Shape.BARS),
        ("barchart", Shape.BARS),
        ("line chart", Shape.LINES),
        ("scatterplot", Shape.POINTS),
        ("barometer readings", Shape.POINTS),
        ("linear fit", Shape.POINTS),
        ("", Shape.POINTS),
    ],
)
def test_the_shape_is_a_word_of_the_kind(kind: str, shape: Shape) -> None:
    assert Shape.of(kind) is shape
