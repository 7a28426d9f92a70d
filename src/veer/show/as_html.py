"""A report as HTML: a page of its own, or what a notebook shows."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from veer.show.as_json import has_rows, recheck_text, viewed_json
from veer.show.page import one_file
from veer.verdict import Report
from veer.visible import shown_value, visible, visible_data

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
    ".veer .equivalent{color:#1a7f37}.veer .inequivalent{color:#cf222e}.veer .unknown{color:#9a6700}"
)
FRAME_HEIGHT = "min(44rem, 80vh)"  # of the view inside a notebook


def page(report: dict[str, Any]) -> str:
    """A page of its own, from the JSON report with its view."""
    title = f"Veer: {visible(report['p'])} → {visible(report['q'])}"
    return one_file(title, page_data(report), fragment(report))


def notebook(report: Report) -> str:
    """What a notebook shows of a report: the verdict, the view in a frame, and a static report.

    Where frames or scripts are taken out (a page that shows notebooks, a diff), the rest stays.
    """
    data = viewed_json(report)
    title = f"Veer: {visible(report.p)} → {visible(report.q)}"
    framed = one_file(title, page_data(data), fragment(data), bounded=True)
    return (
        f"<div class='veer'><style>{STYLE}</style><p>{_colored(data['verdict'])} "
        f"{html_text(report.p)} → {html_text(report.q)}</p>"
        f"<iframe title='{html_text(title)}' sandbox='allow-scripts' srcdoc='{escape(framed)}' "
        f"style='width:100%;height:{FRAME_HEIGHT};border:1px solid #d0d7de'></iframe>"
        f"<details><summary>The same as text</summary>{fragment(data)}</details></div>"
    )


def page_data(report: dict[str, Any]) -> dict[str, Any]:
    """What the view is given: the report and its graph, every text safe to show."""
    without_view = {name: value for name, value in report.items() if name != "view"}
    sinks = [
        {**s, "recheck_text": recheck_text(s["recheck"]) if s["recheck"] else ""}
        | {"witness": _shown_witness(s["witness"])}
        for s in report["sinks"]
    ]
    shown: dict[str, Any] = visible_data(
        {"report": {**without_view, "sinks": sinks}, "view": report.get("view")}, lines=True
    )
    return shown


def _shown_witness(witness: dict[str, Any] | None) -> dict[str, Any] | None:
    """A witness with its values as people read them; null stays."""
    if witness is None:
        return None

    def rows(given: Sequence[Sequence[Any]]) -> list[list[str | None]]:
        return [[None if v is None else shown_value(v) for v in row] for row in given]

    tables = {
        name: {"columns": table["columns"], "rows": rows(table["rows"])}
        for name, table in witness["tables"].items()
    }
    return {
        **witness,
        "tables": tables,
        "p_rows": rows(witness["p_rows"]),
        "q_rows": rows(witness["q_rows"]),
    }


def fragment(report: dict[str, Any]) -> str:
    """Verdict, sinks, witnesses and edits, without scripts."""
    limit = f"; stopped by the time limit of {report['limit']:g} s" if report["limit"] else ""
    parts = [
        "<div class='veer'>",
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
    """A text as HTML."""
    return escape(visible(str(text)))


def _colored(verdict: str) -> str:
    return f"<b class='{verdict}'>{MARKS[verdict]} {verdict}</b>"


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
    """The parts that are not proven equal, side by side where there is room."""
    resisted = sink["resisted"]
    what = (
        "the smallest part not proven equal" if resisted["agrees"] else "where the versions differ"
    )
    sides = (
        f"<div><b>{label}: {html_text(resisted[side])}</b>"
        f"<pre>{_lines(resisted[f'{side}_sql'])}</pre></div>"
        for side, label in (("p", "before"), ("q", "after"))
    )
    given = (
        f"<p>{html_text(g['name'])}: {html_text(g['p'])} before, {html_text(g['q'])} after, taken as equal</p>"
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
        _table(f"result {side}", witness["columns"], witness[key])
        for side, key in (("before", "p_rows"), ("after", "q_rows"))
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
