"""A report as HTML: a page of its own, or what a notebook shows."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from veer.report.as_json import recheck_text, report_json
from veer.verdict import Report

COLORS = {"equivalent": "#1a7f37", "inequivalent": "#cf222e", "unknown": "#9a6700"}
MARKS = {"equivalent": "=", "inequivalent": "≠", "unknown": "?"}
STYLE = (
    ".veer td,.veer th{padding:.15rem .9rem .15rem 0;vertical-align:top;text-align:left}"
    ".veer .rows td,.veer .rows th{border:1px solid #d0d7de;padding:.1rem .5rem}"
    ".veer .tables{display:flex;flex-wrap:wrap;gap:1.2rem}"
)


def page(report: dict[str, Any]) -> str:
    """A page on its own, from the JSON report."""
    title = f"{escape(report['p'])} → {escape(report['q'])}"
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        f"<title>Veer: {title}</title><style>body{{font:16px/1.5 system-ui;max-width:60rem;"
        f"margin:2rem auto;padding:0 1rem}}</style></head><body>{fragment(report)}</body></html>\n"
    )


def notebook(report: Report) -> str:
    """What a notebook shows of a report."""
    return fragment(report_json(report))


def fragment(report: dict[str, Any]) -> str:
    """Verdict, sinks, witnesses and edits."""
    verdict = report["verdict"]
    parts = [
        f"<div class='veer'><style>{STYLE}</style>",
        f"<h3>{escape(report['p'])} → {escape(report['q'])}</h3>",
        f"<p>{_colored(verdict)} under {report['semantics']} semantics, "
        f"{report['seconds']:.2f} s</p>",
        "<table><tr><th>sink</th><th>verdict</th><th>why</th></tr>",
        *(_sink(s) for s in report["sinks"]),
        "</table>",
        *(_witness(s) for s in report["sinks"] if s["witness"] and s["witness"]["tables"]),
        "<h4>Edits</h4><ul>",
        *(
            f"<li><b>{escape(e['operator'])}</b> {escape(e['kind'])}: "
            f"<code>{escape(e['detail'])}</code></li>"
            for e in report["edits"]
        ),
        "</ul></div>",
    ]
    return "".join(parts)


def _colored(verdict: str) -> str:
    return f"<b style='color:{COLORS[verdict]}'>{MARKS[verdict]} {verdict}</b>"


def _sink(sink: dict[str, Any]) -> str:
    notes = [f"assuming {a}" for a in sink["assumptions"]]
    notes += [f"note: {c}" for c in sink["caveats"]]
    notes += [recheck_text(sink["recheck"])] if sink["recheck"] else []
    why = "<br>".join(map(escape, [sink["reason"], *notes]))
    name = escape(sink["p"] or sink["q"])
    return f"<tr><td>{name}</td><td>{_colored(sink['verdict'])}</td><td>{why}</td></tr>"


def _witness(sink: dict[str, Any]) -> str:
    witness = sink["witness"]
    tables = [
        _table(name, table["columns"], table["rows"]) for name, table in witness["tables"].items()
    ]
    tables += [_table("P gives", [], witness["p_rows"]), _table("Q gives", [], witness["q_rows"])]
    title = f"<h4>{escape(sink['p'] or sink['q'])}: a difference</h4>"
    return f"{title}<div class='tables'>{''.join(tables)}</div>"


def _table(name: str, columns: Sequence[Any], rows: Sequence[Sequence[Any]]) -> str:
    head = "".join(f"<th>{escape(str(c))}</th>" for c in columns)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(v)}</td>' for v in row)}</tr>" for row in rows)
    inside = f"<tr>{head}</tr>{body}" if head else body or "<tr><td><i>no rows</i></td></tr>"
    return f"<div><b>{escape(name)}</b><table class='rows'>{inside}</table></div>"


def _cell(value: Any) -> str:
    return "<i>null</i>" if value is None else escape(str(value))
