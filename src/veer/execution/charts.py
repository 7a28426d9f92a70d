"""Visualization sinks as pictures: an HTML page with a drawing, and a PNG where that can be made."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Any, final

from veer.visible import shown_value, visible

WIDTH, HEIGHT = 760, 460
MOST_POINTS = 5_000
MOST_MARKS = 24  # along an axis
MOST_NAMED = 12  # colours in the legend
LONGEST = 24  # characters of a label; the whole text shows under the mouse
LETTER = 7.2  # pixels, about
TURNED = 35  # degrees
COLOURS = ("#3366cc", "#dc3912", "#ff9900", "#109618", "#990099", "#0099c6", "#dd4477", "#66aa00")
ChartRow = Sequence[Any]


class Shape(Enum):
    """How a chart shows its rows."""

    BARS = auto()
    LINES = auto()
    POINTS = auto()

    @classmethod
    def of(cls, kind: str) -> Shape:
        """The shape of a visualization sink by the words of its kind: `stacked bar chart`.

        The kind is what a user wrote; one without a word for a shape is drawn as points.
        """
        words = set(re.findall(r"[a-z]+", kind.lower()))
        return next((shape for shape, its in SHAPE_WORDS.items() if words & its), cls.POINTS)


SHAPE_WORDS = {
    Shape.BARS: {"bar", "bars", "barchart", "barplot"},
    Shape.LINES: {"line", "lines", "linechart", "lineplot"},
}


def write_chart(
    target: Path, title: str, kind: str, names: Sequence[str], rows: Sequence[ChartRow], total: int
) -> list[Path]:
    """Draw rows of x, y and perhaps colour; gives the files that were written."""
    target.parent.mkdir(parents=True, exist_ok=True)
    page = target.with_name(f"{target.name}.html")
    page.write_text(as_html(title, kind, names, rows, total), encoding="utf-8")
    picture = target.with_name(f"{target.name}.png")
    return [page, picture] if _draw_png(picture, title, kind, names, rows) else [page]


def as_html(
    title: str, kind: str, names: Sequence[str], rows: Sequence[ChartRow], total: int
) -> str:
    """A page of its own, which loads nothing."""
    shown = _drawable(rows)
    less = f", {len(shown):,} of them drawn" if len(shown) < total else ""
    drawing = _Drawing(kind, names, shown).svg() if shown else "<p>no rows to draw</p>"
    return (
        '<!doctype html><html><head><meta charset="utf-8">'
        f"<title>{_safe(title)}</title></head>"
        f'<body style="font-family:sans-serif"><h2>{_safe(title)}</h2>'
        f"<p>{_safe(kind)} of {total:,} rows{less}</p>"
        f"{drawing}</body></html>\n"
    )


def _drawable(rows: Sequence[ChartRow]) -> list[ChartRow]:
    return [row for row in rows if not any(map(_is_nowhere, row[:2]))][:MOST_POINTS]


def _is_nowhere(value: Any) -> bool:
    """Whether a value has no place on an axis: null, NaN, the infinities."""
    return value is None or (isinstance(value, float) and not _is_number(value))


def _safe(text: str) -> str:
    return html.escape(visible(text))


def _short(text: str, longest: int = LONGEST) -> str:
    shown = visible(text)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


@final
@dataclass(frozen=True)
class _Mark:
    """A place on an axis, from 0 to 1, with what stands there."""

    share: float
    text: str


class _Axis:
    """Numbers by their size, from tick to tick; other values one beside the other."""

    def __init__(self, values: Sequence[Any], *, zero: bool = False, beside: bool = False) -> None:
        numbers = [float(v) for v in values if _is_number(v)]
        self.places: dict[str, int] = {}
        if beside or len(numbers) < len(values):
            by_size = float if len(numbers) == len(values) else shown_value
            labels = dict.fromkeys(map(shown_value, sorted(values, key=by_size)))
            self.places = {label: place for place, label in enumerate(labels)}
            self.ticks: list[float] = []
            return
        low, high = min(numbers), max(numbers)
        if zero:
            low, high = min(low, 0.0), max(high, 0.0)
        self.ticks = _ticks(low, high)
        self.low, self.high = self.ticks[0], self.ticks[-1]

    def share(self, value: Any) -> float:
        if self.places:
            return (self.places[shown_value(value)] + 0.5) / len(self.places)
        return (float(value) - self.low) / (self.high - self.low)

    @property
    def base(self) -> float:
        """Where bars begin: at zero."""
        return 0.0 if self.places else min(1.0, max(0.0, self.share(0)))

    def marks(self) -> list[_Mark]:
        if not self.places:
            return [_Mark(self.share(tick), _number(tick)) for tick in self.ticks]
        step = math.ceil(len(self.places) / MOST_MARKS)
        labels = list(self.places)[::step]
        return [_Mark((self.places[label] + 0.5) / len(self.places), label) for label in labels]


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers around an interval, about five steps apart."""
    if low == high:
        low, high = (low - 1, high + 1) if abs(low) < 1e15 else (low * 0.9, high * 1.1)
        low, high = min(low, high), max(low, high)
    rough = (high - low) / 5
    size = 10 ** math.floor(math.log10(rough))
    step = next(size * times for times in (1, 2, 5, 10) if size * times >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [n * step for n in range(first, max(last, first + 1) + 1)]


def _number(value: float) -> str:
    return f"{value:,.10g}" if 1e-4 <= abs(value) < 1e9 or value == 0 else f"{value:.4g}"


@final
class _Drawing:
    """A chart whose margins leave room for its labels."""

    def __init__(self, kind: str, names: Sequence[str], rows: Sequence[ChartRow]) -> None:
        self.shape, self.names, self.rows = Shape.of(kind), names, rows
        bars = self.shape is Shape.BARS
        self.x = _Axis([row[0] for row in rows], beside=bars)
        self.y = _Axis([row[1] for row in rows], zero=bars)
        self.colours = _colours(rows) if len(names) > 2 else {}
        x_texts = [_short(mark.text) for mark in self.x.marks()]
        y_texts = [_short(mark.text) for mark in self.y.marks()]
        named = [_short(name) for name in self.colours][:MOST_NAMED]
        self.left = 20 + LETTER * max(map(len, y_texts))
        self.right = 24 + (24 + LETTER * max(map(len, named)) if named else 0)
        longest = LETTER * max(map(len, x_texts))
        room = (WIDTH - self.left - self.right) / len(x_texts)
        self.turned = longest + 8 > room
        self.bottom = 44 + (longest * math.sin(math.radians(TURNED)) if self.turned else 0)
        if self.turned:  # the first label reaches to the left of its mark
            self.left = max(self.left, longest * math.cos(math.radians(TURNED)) - room / 2 + 8)
        self.top = 36.0

    def place(self, x: float, y: float) -> tuple[float, float]:
        width, height = WIDTH - self.left - self.right, HEIGHT - self.top - self.bottom
        return self.left + width * x, HEIGHT - self.bottom - height * y

    def svg(self) -> str:
        drawn = [*self._axes(), *self._content(), *self._legend()]
        box = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-size="12">{"".join(drawn)}</svg>'
        )

    def _axes(self) -> Iterator[str]:
        left, bottom = self.place(0, 0)
        right, top = self.place(1, 1)
        for mark in self.y.marks():
            _, py = self.place(0, mark.share)
            yield _line(left, py, right, py, "#e4e4e4")
            yield _text(left - 8, py + 4, mark.text, "end")
        for mark in self.x.marks():
            px, _ = self.place(mark.share, 0)
            yield _line(px, bottom, px, bottom + 4, "#888")
            if self.turned:
                yield _text(px + 4, bottom + 16, mark.text, "end", -TURNED)
            else:
                yield _text(px, bottom + 18, mark.text, "middle")
        yield _line(left, bottom, right, bottom, "#888")
        yield _line(left, top, left, bottom, "#888")
        yield _text((left + right) / 2, HEIGHT - 8, self.names[0], "middle", longest=60)
        yield _text(8, 18, self.names[1], "start", longest=60)

    def _content(self) -> Iterator[str]:
        if self.shape is Shape.BARS:
            yield from self._bars()
        elif self.shape is Shape.LINES:
            for colour, rows in self._by_colour():
                at = sorted(self.place(self.x.share(r[0]), self.y.share(r[1])) for r in rows)
                path = " ".join(f"{px:.1f},{py:.1f}" for px, py in at)
                yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        else:
            for colour, rows in self._by_colour():
                for row in rows:
                    px, py = self.place(self.x.share(row[0]), self.y.share(row[1]))
                    yield f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{colour}" fill-opacity="0.6"/>'

    def _bars(self) -> Iterator[str]:
        """Bars from zero; those of one place beside each other."""
        groups: dict[float, list[ChartRow]] = {}
        for row in self.rows:
            groups.setdefault(self.x.share(row[0]), []).append(row)
        most = max(map(len, groups.values()))
        room = (WIDTH - self.left - self.right) / max(1, len(self.x.places)) * 0.8
        width = max(1.0, room / most)
        _, base = self.place(0, self.y.base)
        for share, rows in groups.items():
            middle, _ = self.place(share, 0)
            for number, row in enumerate(rows):
                _, py = self.place(0, self.y.share(row[1]))
                px = middle - width * len(rows) / 2 + width * number
                tooltip = f"<title>{_safe(f'{shown_value(row[0])}: {shown_value(row[1])}')}</title>"
                yield (
                    f'<rect x="{px:.1f}" y="{min(py, base):.1f}" width="{width:.1f}" '
                    f'height="{abs(base - py):.1f}" fill="{self._colour(row)}">{tooltip}</rect>'
                )
        yield _line(*self.place(0, self.y.base), *self.place(1, self.y.base), "#888")

    def _legend(self) -> Iterator[str]:
        for number, (name, colour) in enumerate(list(self.colours.items())[:MOST_NAMED]):
            px, py = WIDTH - self.right + 12, self.top + 18 * number
            yield f'<rect x="{px:.1f}" y="{py:.1f}" width="10" height="10" fill="{colour}"/>'
            yield _text(px + 16, py + 10, name, "start")

    def _colour(self, row: ChartRow) -> str:
        return self.colours[shown_value(row[2])] if self.colours else COLOURS[0]

    def _by_colour(self) -> list[tuple[str, list[ChartRow]]]:
        groups: dict[Any, list[ChartRow]] = {}
        for row in self.rows:
            groups.setdefault(shown_value(row[2]) if self.colours else None, []).append(row)
        return [(self._colour(rows[0]), rows) for rows in groups.values()]


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _text(x: float, y: float, text: str, anchor: str, turn: int = 0, longest: int = LONGEST) -> str:
    short = _short(text, longest)
    turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    whole = f"<title>{_safe(text)}</title>" if short != text else ""
    where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turned}'
    return f"<text {where}>{html.escape(short)}{whole}</text>"


def _colours(rows: Sequence[ChartRow]) -> dict[str, str]:
    values = dict.fromkeys(shown_value(row[2]) for row in rows)
    return {value: COLOURS[i % len(COLOURS)] for i, value in enumerate(values)}


def _is_number(value: Any) -> bool:
    try:
        return abs(float(value)) < 1e300 and not isinstance(value, str | bytes | bool)
    except (TypeError, ValueError, OverflowError):
        return False


def _draw_png(
    target: Path, title: str, kind: str, names: Sequence[str], rows: Sequence[ChartRow]
) -> bool:
    """The same as a PNG, if Matplotlib is installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(7.6, 4.6), dpi=100, layout="constrained")
    axes = figure.subplots()
    shown = _drawable(rows)
    if shown:
        _fill(axes, _Drawing(kind, names, shown))
    axes.set_xlabel(_literal(names[0], 60))
    axes.set_ylabel(_literal(names[1], 40))
    axes.set_title(_literal(title, 60))
    figure.savefig(target)
    return True


def _fill(axes: Any, drawing: _Drawing) -> None:
    """The content of a drawing, by the places it has there."""
    for colour, rows in drawing._by_colour():
        at = [(drawing.x.share(row[0]), drawing.y.share(row[1])) for row in rows]
        name = _literal(shown_value(rows[0][2])) if drawing.colours else None
        if drawing.shape is Shape.BARS:
            _fill_bars(axes, drawing, rows, colour, name)
        elif drawing.shape is Shape.LINES:
            axes.plot(*zip(*sorted(at), strict=True), color=colour, label=name)
        else:
            axes.scatter(*zip(*at, strict=True), s=12, alpha=0.6, color=colour, label=name)
    turned = {"rotation": TURNED, "ha": "right"} if drawing.turned else {}
    marks = drawing.x.marks()
    axes.set_xticks([m.share for m in marks], [_literal(m.text) for m in marks], **turned)
    marks = drawing.y.marks()
    axes.set_yticks([m.share for m in marks], [_literal(m.text) for m in marks])
    axes.set_ylim(*((0, 1.02) if drawing.shape is Shape.BARS else (-0.03, 1.03)))
    axes.grid(axis="y", color="#e4e4e4")
    axes.set_axisbelow(True)
    if drawing.colours and len(drawing.colours) <= MOST_NAMED:
        axes.legend(fontsize=8)


def _fill_bars(
    axes: Any, drawing: _Drawing, rows: Sequence[ChartRow], colour: str, name: str | None
) -> None:
    """Bars from zero, those of one place beside each other, as in the drawing."""
    groups: dict[float, list[int]] = {}
    for number, row in enumerate(drawing.rows):
        groups.setdefault(drawing.x.share(row[0]), []).append(number)
    width = 0.8 / max(1, len(drawing.x.places)) / max(map(len, groups.values()))
    numbers = {id(row): number for number, row in enumerate(drawing.rows)}
    base, places, heights = drawing.y.base, [], []
    for row in rows:
        share = drawing.x.share(row[0])
        among = groups[share]
        places.append(share + width * (among.index(numbers[id(row)]) - (len(among) - 1) / 2))
        heights.append(drawing.y.share(row[1]) - base)
    axes.bar(places, heights, width=width, bottom=base, color=colour, label=name)
    axes.axhline(base, color="#888", linewidth=0.8)


def _literal(text: str, longest: int = LONGEST) -> str:
    """A text without the formulas that dollars would make."""
    return _short(text, longest).replace("$", r"\$")


__all__ = ["as_html", "write_chart"]
