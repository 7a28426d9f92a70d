"""The report on a project for people: a table of jobs, witnesses, then what follows."""

from __future__ import annotations

from io import StringIO
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from veer.projects.show.as_json import cause_text, looked_at, summary
from veer.show.as_json import has_rows
from veer.show.as_text import paper, print_witness, trimmed
from veer.show.unknown_parts import print_hints
from veer.visible import visible, visible_data

STYLES = {
    "unchanged": "dim",
    "equivalent": "bold green",
    "changed": "bold red",
    "unknown": "bold yellow",
    "new": "bold cyan",
    "removed": "bold magenta",
}
MARKS = {
    "unchanged": "·",
    "equivalent": "=",
    "changed": "≠",
    "unknown": "?",
    "new": "+",
    "removed": "-",
}


def print_project(console: Console, report: dict[str, Any]) -> None:
    """Print the report on a project, given as JSON data."""
    shown = visible_data(report["base"])
    dirty = " with uncommitted changes" if report["head"]["dirty"] else ""
    commit = f" ({shown['commit'][:10]})" if shown["commit"] else ""
    console.print(Text.assemble((shown["name"], "bold"), commit, "  →  ", f"now{dirty}"))
    console.print()
    jobs = looked_at(report)
    if jobs:
        console.print(_table(jobs))
    rest = len(report["jobs"]) - len(jobs)
    if rest:
        more = " other" if jobs else ""
        console.print(f"{rest}{more} job{'' if rest == 1 else 's'} unchanged", style="dim")
    for job in jobs:
        _print_evidence(console, job)
    _print_follows(console, report)
    if report["command"]:
        console.print()
        console.print(Text(visible(report["command"]), style="bold"), soft_wrap=True)
    for note in report["notes"]:
        console.print(Text(f"note: {visible(note)}", style="yellow"))
    console.print()
    console.print(
        Text.assemble(
            verdict_text(report["verdict"]), f"  {summary(report)}; {report['seconds']:.1f} s"
        )
    )


def _table(jobs: list[dict[str, Any]]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, pad_edge=False)
    for name in ("job", "sink", "verdict", "why", "s"):
        table.add_column(name, overflow="fold", justify="right" if name == "s" else "left")
    for job in jobs:
        seconds = f"{job['seconds']:.1f}" if job["compared"] else ""
        seconds = "cache" if job["remembered"] else seconds
        rows = job["sinks"] or [None]
        for i, sink in enumerate(rows):
            table.add_row(
                Text(visible(job["job"]), style="bold") if i == 0 else "",
                Text(visible(sink["target"] or sink["sink"])) if sink else "",
                verdict_text(sink["verdict"] if sink else job["verdict"]),
                _why(job, sink),
                seconds if i == 0 else "",
            )
    return table


def verdict_text(verdict: str) -> Text:
    """A verdict in its colour, with its mark."""
    return Text(f"{MARKS[verdict]} {verdict}", style=STYLES[verdict])


def _why(job: dict[str, Any], sink: dict[str, Any] | None) -> Text:
    """Why a sink has its verdict, with what to know besides, as lines."""
    lines = [(job["why"], "")]
    if sink is not None:
        lines.append((sink["reason"], ""))
        if sink["with_jobs"]:
            lines.append((f"compared together with {', '.join(sink['with_jobs'])}", ""))
        if sink["spared"]:
            lines.append((f"unaffected by {', '.join(sink['spared'])}, which it reads", "green"))
        lines += [(f"assuming {a}", "cyan") for a in sink["assumptions"]]
        lines += [(f"note: {c}", "yellow") for c in sink["caveats"]]
    return Text("\n").join(Text(visible(text), style=style) for text, style in lines if text)


def _print_evidence(console: Console, job: dict[str, Any]) -> None:
    """Witnesses, and the way out of what is unknown."""
    shown: list[Any] = []  # one witness is often that of several sinks
    for sink in job["sinks"]:
        named = {**sink, "p": f"{job['job']}, {sink['target'] or sink['sink']}", "q": ""}
        if has_rows(sink) and sink["verdict"] == "changed":
            if sink["witness"] not in shown:
                print_witness(console, named)
            shown.append(sink["witness"])
        elif sink["verdict"] == "unknown" and sink["hints"]:
            print_hints(console, named)


def _print_follows(console: Console, report: dict[str, Any]) -> None:
    """What must be computed again, and what need not be."""
    again, kept = report["recompute"], [k for k in report["keep"] if k["verdict"] != "unchanged"]
    spared = [k for k in report["keep"] if k["spared"]]
    if again:
        console.print()
        console.print(Text("must be computed again", style="bold"))
        for each in again:
            _print_line(console, each, cause_text(each))
    if kept or spared:
        console.print()
        console.print(Text("need not be computed again", style="bold"))
        for each in [*kept, *(s for s in spared if s not in kept)]:
            told = (
                f"unaffected by {', '.join(each['spared'])}" if each["spared"] else each["verdict"]
            )
            _print_line(console, each, told)


def _print_line(console: Console, each: dict[str, Any], told: str) -> None:
    name = visible(each["target"] or f"{each['job']} {each['sink']}")
    console.print(Padding(Text.assemble((name, "bold"), f"  {visible(told)}"), (0, 0, 0, 2)))


def plain_text(report: dict[str, Any]) -> str:
    """The same without colours."""
    buffer = StringIO()
    print_project(paper(buffer), report)
    return trimmed(buffer)
