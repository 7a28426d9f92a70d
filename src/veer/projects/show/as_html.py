"""The report on a project as a page of its own."""

from __future__ import annotations

from typing import Any

from veer.projects.show.as_json import cause_text, looked_at, summary
from veer.show import as_html
from veer.show.as_json import has_rows

COLORS = {
    "unchanged": "#57606a",
    "equivalent": "#1a7f37",
    "changed": "#cf222e",
    "unknown": "#9a6700",
    "new": "#0969da",
    "removed": "#8250df",
}


def page(report: dict[str, Any]) -> str:
    """A page on its own, from the JSON report."""
    title = f"Veer: {as_html.html_text(report['base']['name'])} → now"
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; "
        "style-src 'unsafe-inline'\">",
        f"<title>{title}</title><style>body{{font:16px/1.5 system-ui,sans-serif;max-width:75rem;"
        f"margin:2rem auto;padding:0 1rem}}{as_html.STYLE}</style></head><body><div class='veer'>",
        f"<h2>{title}</h2><p>{_colored(report['verdict'])} {as_html.html_text(summary(report))}; "
        f"{report['seconds']:.1f} s</p>",
        _table(report),
        *(_evidence(job) for job in report["jobs"]),
        _follows(report),
        *(f"<p>note: {as_html.html_text(note)}</p>" for note in report["notes"]),
        "</div></body></html>\n",
    ]
    return "".join(parts)


def _colored(verdict: str) -> str:
    return f"<b style='color:{COLORS[verdict]}'>{verdict}</b>"


def _table(report: dict[str, Any]) -> str:
    jobs = looked_at(report)
    rest = len(report["jobs"]) - len(jobs)
    rows = [_row(job, sink) for job in jobs for sink in job["sinks"] or [None]]
    head = "<tr><th>job</th><th>sink</th><th>verdict</th><th>why</th><th>s</th></tr>"
    table = f"<table>{head}{''.join(rows)}</table>" if rows else ""
    return f"{table}<p>{rest} {'other ' if rows else ''}jobs unchanged</p>"


def _row(job: dict[str, Any], sink: dict[str, Any] | None) -> str:
    verdict = sink["verdict"] if sink else job["verdict"]
    told = [job["why"]]
    if sink:
        told += [sink["reason"]]
        told += (
            [f"compared together with {', '.join(sink['with_jobs'])}"] if sink["with_jobs"] else []
        )
        told += [f"unaffected by {', '.join(sink['spared'])}"] if sink["spared"] else []
        told += [f"assuming {a}" for a in sink["assumptions"]]
        told += [f"note: {c}" for c in sink["caveats"]]
    why = "<br>".join(as_html.html_text(text) for text in told if text)
    name = as_html.html_text(sink["target"] or sink["sink"]) if sink else ""
    return (
        f"<tr><td>{as_html.html_text(job['job'])}</td><td>{name}</td><td>{_colored(verdict)}</td>"
        f"<td>{why}</td><td>{job['seconds']:.1f}</td></tr>"
    )


def _evidence(job: dict[str, Any]) -> str:
    parts = []
    for sink in job["sinks"]:
        named = {**sink, "p": f"{job['job']}, {sink['target'] or sink['sink']}", "q": ""}
        if sink["verdict"] == "changed" and has_rows(sink):
            parts.append(as_html.witness_html(named))
        elif sink["verdict"] == "unknown":
            parts.append(as_html.resisted_html(named) if sink["resisted"] else "")
            parts.append(as_html.hints_html(named) if sink["hints"] else "")
    return "".join(parts)


def _follows(report: dict[str, Any]) -> str:
    if not report["recompute"]:
        return "<p>nothing must be computed again</p>"
    items = (
        f"<li><code>{as_html.html_text(each['target'] or each['job'] + ' ' + each['sink'])}</code>: "
        f"{as_html.html_text(cause_text(each))}</li>"
        for each in report["recompute"]
    )
    return f"<h4>Must be computed again</h4><ul>{''.join(items)}</ul>"
