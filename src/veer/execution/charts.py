"""Visualization sinks as pictures: an HTML page with a drawing, and a PNG where that can be made."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WIDTH, HEIGHT, MARGIN = 720, 440, 56
MOST_POINTS = 5_000
COLOURS = ("#3366cc", "#dc3912", "#ff9900", "#109618", "#990099", "#0099c6", "#dd4477", "#66aa00")
Row = Sequence[Any]


def write_chart(
    target: Path, title: str, kind: str, names: Sequence[str], rows: Sequence[Row], total: int
) -> list[Path]:
    """Draw rows of x, y and perhaps colour; gives the files that were written."""
    target.parent.mkdir(parents=True, exist_ok=True)
    page = target.with_name(f"{target.name}.html")
    page.write_text(as_html(title, kind, names, rows, total), encoding="utf-8")
    picture = target.with_name(f"{target.name}.png")
    return [page, picture] if _draw_png(picture, title, kind, names, rows) else [page]


def as_html(title: str, kind: str, names: Sequence[str], rows: Sequence[Row], total: int) -> str:
    """A page of its own, which loads nothing."""
    shown = [row for row in rows if row[0] is not None and row[1] is not None][:MOST_POINTS]
    less = f", {len(shown):,} of them drawn" if len(shown) < total else ""
    return (
        '<!doctype html><html><head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title></head>"
        f'<body style="font-family:sans-serif"><h2>{html.escape(title)}</h2>'
        f"<p>{html.escape(kind)} of {total:,} rows{less}</p>"
        f"{_svg(kind, names, shown)}</body></html>\n"
    )


def _svg(kind: str, names: Sequence[str], rows: Sequence[Row]) -> str:
    x, y = (_Axis([row[i] for row in rows]) for i in (0, 1))
    colours = {v: COLOURS[i % len(COLOURS)] for i, v in enumerate(_distinct(rows))}
    inner_width, inner_height = WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN
    points = [
        (
            MARGIN + inner_width * x.share(row[0]),
            HEIGHT - MARGIN - inner_height * y.share(row[1]),
            colours[str(row[2])] if len(names) > 2 else COLOURS[0],
        )
        for row in rows
    ]
    drawn = [
        f'<line x1="{MARGIN}" y1="{HEIGHT - MARGIN}" x2="{WIDTH - MARGIN}" y2="{HEIGHT - MARGIN}" stroke="#888"/>',
        f'<line x1="{MARGIN}" y1="{MARGIN}" x2="{MARGIN}" y2="{HEIGHT - MARGIN}" stroke="#888"/>',
    ]
    if "bar" in kind:
        width = max(1.0, inner_width / max(1, len(points)) * 0.6)
        drawn += [
            f'<rect x="{px - width / 2:.1f}" y="{py:.1f}" width="{width:.1f}" '
            f'height="{HEIGHT - MARGIN - py:.1f}" fill="{colour}"/>'
            for px, py, colour in points
        ]
    elif "line" in kind:
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py, _ in sorted(points))
        drawn.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[0]}"/>')
    else:
        drawn += [
            f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{colour}" fill-opacity="0.6"/>'
            for px, py, colour in points
        ]
    for i, axis in enumerate((x, y)):
        for share, text in axis.marks():
            px = MARGIN + inner_width * share if i == 0 else MARGIN - 6
            py = HEIGHT - MARGIN + 18 if i == 0 else HEIGHT - MARGIN - inner_height * share
            anchor = "middle" if i == 0 else "end"
            drawn.append(_text(px, py, text, anchor))
    drawn.append(_text(WIDTH / 2, HEIGHT - 12, names[0], "middle"))
    drawn.append(_text(MARGIN, MARGIN - 14, names[1], "middle"))
    return f'<svg width="{WIDTH}" height="{HEIGHT}" font-size="12">{"".join(drawn)}</svg>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _distinct(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(str(row[2]) for row in rows if len(row) > 2))


class _Axis:
    """Numbers by their size, other values one beside the other."""

    def __init__(self, values: Sequence[Any]) -> None:
        numbers = [float(v) for v in values if _is_number(v)]
        self.labels = [] if len(numbers) == len(values) else sorted({str(v) for v in values})
        self.low, self.high = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)

    def share(self, value: Any) -> float:
        if self.labels:
            return (self.labels.index(str(value)) + 0.5) / len(self.labels)
        return (float(value) - self.low) / ((self.high - self.low) or 1.0)

    def marks(self) -> list[tuple[float, str]]:
        if self.labels:
            step = max(1, len(self.labels) // 8)
            return [(self.share(v), v[:16]) for v in self.labels[::step]]
        return [(i / 4, f"{self.low + (self.high - self.low) * i / 4:.4g}") for i in range(5)]


def _is_number(value: Any) -> bool:
    try:
        return abs(float(value)) < float("inf") and not isinstance(value, str | bool)
    except (TypeError, ValueError):
        return False


def _draw_png(
    target: Path, title: str, kind: str, names: Sequence[str], rows: Sequence[Row]
) -> bool:
    """The same as a PNG, if Matplotlib is installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(7.2, 4.4), dpi=100)
    axes = figure.subplots()
    shown = [row for row in rows if row[0] is not None and row[1] is not None][:MOST_POINTS]
    xs, ys = ([_plottable(row[i]) for row in shown] for i in (0, 1))
    if "bar" in kind:
        axes.bar(xs, ys)
    elif "line" in kind:
        axes.plot(*zip(*sorted(zip(xs, ys, strict=True)), strict=True)) if xs else None
    else:
        axes.scatter(xs, ys, s=12, alpha=0.6)
    axes.set_xlabel(names[0])
    axes.set_ylabel(names[1])
    axes.set_title(title)
    figure.savefig(target)
    return True


def _plottable(value: Any) -> Any:
    return float(value) if _is_number(value) else str(value)


__all__ = ["as_html", "write_chart"]
