"""A report as HTML: a page of its own, or what a notebook shows."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from veer.report.as_json import has_rows, recheck_text, report_json
from veer.verdict import Report
from veer.visible import shown_value, visible

COLORS = {"equivalent": "#1a7f37", "inequivalent": "#cf222e", "unknown": "#9a6700"}
MARKS = {"equivalent": "=", "inequivalent": "≠", "unknown": "?"}
STYLE = (
    ".veer table{border-collapse:collapse}"
    ".veer td,.veer th{padding:.15rem .9rem .15rem 0;vertical-align:top;text-align:left}"
    ".veer .rows td,.veer .rows th{border:1px solid #d0d7de;padding:.1rem .5rem;"
    "white-space:pre-wrap;overflow-wrap:anywhere}"
    ".veer .rows th{background:#f6f8fa}"
    ".veer .rows i{color:#6e7781}"
    ".veer .tables{display:flex;flex-wrap:wrap;gap:1.2rem;margin-bottom:1rem}"
    ".veer code{overflow-wrap:anywhere}"
    ".veer pre{background:#f6f8fa;padding:.5rem .8rem;overflow-x:auto}"
)


def page(report: dict[str, Any]) -> str:
    """A page on its own, from the JSON report."""
    title = f"{html_text(report['p'])} → {html_text(report['q'])}"
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        f"<title>Veer: {title}</title><style>body{{font:16px/1.5 system-ui,sans-serif;"
        "max-width:60rem;margin:2rem auto;padding:0 1rem}</style></head>"
        f"<body>{fragment(report)}</body></html>\n"
    )


def notebook(report: Report) -> str:
    """What a notebook shows of a report."""
    return fragment(report_json(report))


def fragment(report: dict[str, Any]) -> str:
    """Verdict, sinks, witnesses and edits."""
    limit = f"; stopped by the time limit of {report['limit']:g} s" if report["limit"] else ""
    parts = [
        f"<div class='veer'><style>{STYLE}</style>",
        f"<h3>{html_text(report['p'])} → {html_text(report['q'])}</h3>",
        f"<p>{_colored(report['verdict'])} under {report['semantics']} semantics, "
        f"{report['seconds']:.2f} s{limit}</p>",
        "<table><tr><th>sink</th><th>verdict</th><th>why</th></tr>",
        *(_sink(s) for s in report["sinks"]),
        "</table>",
        *(resisted_html(s) for s in report["sinks"] if s["resisted"]),
        *(hints_html(s) for s in report["sinks"] if s["hints"]),
        *(witness_html(s) for s in report["sinks"] if has_rows(s)),
        *(_suggestion(s) for s in report["sinks"] if s["suggestion"]),
        _edits(report["edits"]),
        "</div>",
    ]
    return "".join(parts)


def html_text(text: Any) -> str:
    """Somebody's text inside HTML."""
    return escape(visible(str(text)))


def _colored(verdict: str) -> str:
    return f"<b style='color:{COLORS[verdict]}'>{MARKS[verdict]} {verdict}</b>"


def _sink(sink: dict[str, Any]) -> str:
    notes = [f"assuming {a}" for a in sink["assumptions"]]
    notes += [f"note: {c}" for c in sink["caveats"]]
    notes += [recheck_text(sink["recheck"])] if sink["recheck"] else []
    why = "<br>".join(map(html_text, [sink["reason"], *notes]))
    name = html_text(sink["p"] or sink["q"])
    return f"<tr><td>{name}</td><td>{_colored(sink['verdict'])}</td><td>{why}</td></tr>"


def _edits(edits: Sequence[dict[str, Any]]) -> str:
    if not edits:
        return "<p>no edits</p>"
    items = (
        f"<li><b>{html_text(e['operator'])}</b> {html_text(e['kind'])}: "
        f"<code>{html_text(e['detail'])}</code></li>"
        for e in edits
    )
    return f"<h4>Edits</h4><ul>{''.join(items)}</ul>"


def _lines(text: str) -> str:
    """A text of several lines inside HTML."""
    return "\n".join(map(html_text, text.splitlines()))


def resisted_html(sink: dict[str, Any]) -> str:
    """Both sides of what resisted, beside each other where there is room."""
    resisted = sink["resisted"]
    what = "the smallest part that resisted" if resisted["agrees"] else "where they part"
    sides = (
        f"<div><b>{side.upper()}: {html_text(resisted[side])}</b>"
        f"<pre>{_lines(resisted[f'{side}_sql'])}</pre></div>"
        for side in ("p", "q")
    )
    given = (
        f"<p>{html_text(g['name'])}: {html_text(g['p'])} of P, {html_text(g['q'])} of Q, taken as equal</p>"
        for g in resisted["given"]
    )
    name = html_text(sink["p"] or sink["q"])
    return f"<h4>{name}: {what}</h4><div class='tables'>{''.join(sides)}</div>{''.join(given)}"


def hints_html(sink: dict[str, Any]) -> str:
    items = (f"<li>{html_text(hint['text'])}</li>" for hint in sink["hints"])
    return f"<h4>{html_text(sink['p'] or sink['q'])}: what would settle it</h4><ul>{''.join(items)}</ul>"


def _suggestion(sink: dict[str, Any]) -> str:
    """Declarations under which a sink is equivalent, and how to check them."""
    suggestion = sink["suggestion"]
    items = (
        f"<li><code>{html_text(d['ddl'] or d['text'])}</code>"
        f"<ul>{''.join(f'<li>check: <code>{html_text(c)}</code></li>' for c in d['checks'])}</ul></li>"
        for d in suggestion["declarations"]
    )
    name = html_text(sink["p"] or sink["q"])
    return f"<h4>{name}: {html_text(suggestion['text'])}</h4><ul>{''.join(items)}</ul>"


def witness_html(sink: dict[str, Any]) -> str:
    """Source tables on which a sink differs, then what both versions make of them."""
    witness = sink["witness"]
    tables = (
        _table(name, table["columns"], table["rows"]) for name, table in witness["tables"].items()
    )
    results = (
        _table(f"{side} gives", witness["columns"], witness[key])
        for side, key in (("P", "p_rows"), ("Q", "q_rows"))
    )
    title = f"<h4>{html_text(sink['p'] or sink['q'])}: a difference, with these tables</h4>"
    return (
        f"{title}<div class='tables'>{''.join(tables)}</div>"
        f"<div class='tables'>{''.join(results)}</div>"
    )


def _table(name: str, columns: Sequence[Any], rows: Sequence[Sequence[Any]]) -> str:
    head = "".join(f"<th>{html_text(c)}</th>" for c in columns)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(v)}</td>' for v in row)}</tr>" for row in rows)
    body = body or f"<tr><td colspan='{max(1, len(columns))}'><i>no rows</i></td></tr>"
    return f"<div><b>{html_text(name)}</b><table class='rows'><tr>{head}</tr>{body}</table></div>"


def _cell(value: Any) -> str:
    return "<i>null</i>" if value is None else escape(shown_value(value))
