"""A report for people: the edits, a verdict per sink, the reason."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Any

from rich.cells import cell_len
from rich.columns import Columns
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from veer.show.as_json import has_rows, recheck_text, report_json
from veer.show.unknown_parts import print_hints, print_resisted, print_suggestion
from veer.verdict import Report
from veer.visible import shown_value, visible, visible_data

STYLES = {"equivalent": "bold green", "inequivalent": "bold red", "unknown": "bold yellow"}
MARKS = {"equivalent": "=", "inequivalent": "≠", "unknown": "?"}
WIDEST = 48  # of a column of a witness
MOST_SHOWN = 8  # operators of a window
EDIT_STYLES = {
    "add operator": ("+", "green"),
    "delete operator": ("-", "red"),
    "modify operator": ("~", "yellow"),
    "add link": ("+", "green"),
    "remove link": ("-", "red"),
}


def print_report(console: Console, report: dict[str, Any]) -> None:
    """Print a report given as JSON data."""
    sinks = report["sinks"]
    report = visible_data({**report, "sinks": [{**s, "witness": None} for s in report["sinks"]]})
    console.print(Text.assemble((report["p"], "bold"), "  →  ", (report["q"], "bold")))
    console.print()
    print_edits(console, report["edits"])
    console.print()
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, pad_edge=False)
    for name in ("sink", "verdict", "why"):
        table.add_column(name, style="" if name == "why" else None, overflow="fold")
    for sink in report["sinks"]:
        table.add_row(_sink_name(sink), _verdict(sink["verdict"]), _why(sink))
    console.print(table)
    for sink in report["sinks"]:
        print_proof(console, sink)
    for sink in sinks:
        print_resisted(console, sink, _sink_name(sink))
        print_hints(console, sink)
    for sink in filter(has_rows, sinks):
        print_witness(console, sink)
    for sink in sinks:
        print_suggestion(console, sink, _sink_name(sink))
    console.print()
    if report["limit"]:
        console.print(f"stopped by the time limit of {report['limit']:g} s (--timeout)")
    summary = f"under {report['semantics']} semantics, {report['seconds']:.3f} s"
    console.print(Text.assemble(_verdict(report["verdict"]), f"  {summary}"))


def plain_text(report: dict[str, Any]) -> str:
    """The same without colours, for files and messages."""
    buffer = StringIO()
    print_report(paper(buffer), report)
    return trimmed(buffer)


def plain_text_of(report: Report) -> str:
    """A report as text, without a line end after it."""
    return plain_text(report_json(report)).rstrip("\n")


def witness_text(sink: dict[str, Any]) -> str:
    """The tables and both results of a witness as text; nothing if there are none."""
    if not has_rows(sink):
        return ""
    buffer = StringIO()
    print_witness(paper(buffer), sink)
    return trimmed(buffer).strip("\n")


def paper(buffer: StringIO) -> Console:
    return Console(file=buffer, width=100, highlight=False, color_system=None, emoji=False)


def trimmed(buffer: StringIO) -> str:
    return "".join(f"{line.rstrip()}\n" for line in buffer.getvalue().splitlines())


def print_proof(console: Console, sink: dict[str, Any]) -> None:
    """Print the windows a proof rests on, the two sides beside each other."""
    used = [w for w in sink["windows"] if w["used"]]
    if not used or sink["verdict"] != "equivalent":
        return
    console.print()
    rest = "" if len(used) == 1 else "s"
    console.print(
        Text.assemble(
            "proof for ",
            _sink_name(sink),
            f": {len(used)} window{rest}; the other operators are the same",
        )
    )
    for window in used:
        console.print(Padding(Text(f"{window['claim']}, by {window['ev']}"), (0, 0, 0, 2)))
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False)
        table.add_column("before", overflow="fold", style="dim")
        table.add_column("after", overflow="fold", style="dim")
        sides = [
            [f"{i}  {text}" for i, text in zip(window[s], window["shown"][s], strict=True)]
            or ["(nothing between)"]
            for s in ("p", "q")
        ]
        for row in range(min(max(map(len, sides)), MOST_SHOWN)):
            table.add_row(*(Text(s[row]) if row < len(s) else "" for s in sides))
        if max(map(len, sides)) > MOST_SHOWN:
            table.add_row("...", "...")
        console.print(Padding(table, (0, 0, 0, 4)))


def print_witness(console: Console, sink: dict[str, Any]) -> None:
    """Print source tables on which a sink differs, and both results."""
    witness = sink["witness"]
    console.print()
    console.print(Text.assemble("witness for ", _sink_name(sink), ": with these tables"))
    width = console.width - 4
    tables = [
        table
        for name, content in witness["tables"].items()
        for table in _rows_tables(name, content["columns"], content["rows"], width)
    ]
    console.print(Padding(Columns(tables, padding=(0, 3)), (0, 0, 0, 2)))
    results = [
        table
        for side, key in (("before", "p_rows"), ("after", "q_rows"))
        for table in _rows_tables(f"result {side}", witness["columns"], witness[key], width)
    ]
    console.print(Padding(Columns(results, padding=(0, 3)), (0, 0, 0, 2)))


def _rows_tables(
    title: str, columns: list[str], rows: list[list[Any]], width: int
) -> Iterator[Table]:
    """Rows as a table, or as several where all columns do not fit beside each other."""
    start = 0
    while start < max(1, len(columns)):
        end, left = start, width
        while end < len(columns):
            texts = [visible(columns[end]), *(shown_value(row[end]) for row in rows)]
            left -= min(WIDEST, max(map(cell_len, texts))) + 3
            if left < 0 and end > start:
                break
            end += 1
        if not rows:
            yield _rows_table(title, columns[:end], rows)
            return
        whole = start == 0 and end >= len(columns)
        part = "" if whole else f" (columns {start + 1} to {end} of {len(columns)})"
        yield _rows_table(title + part, columns[start:end], [row[start:end] for row in rows])
        start = max(end, start + 1)


def _rows_table(title: str, columns: list[str], rows: list[list[Any]]) -> Table:
    shown = Text(visible(title))
    table = Table(
        title=shown,
        title_justify="left",
        title_style="bold",
        show_edge=False,
        min_width=min(WIDEST, shown.cell_len + 1),
    )
    for column in columns:
        table.add_column(Text(visible(column)), overflow="fold", max_width=WIDEST)
    for row in rows:
        table.add_row(*(_cell(v) for v in row))
    if not rows:
        table.add_row(*(["(no rows)"] + [""] * (len(columns) - 1)))
    return table


def _cell(value: Any) -> Text:
    return Text(shown_value(value), style="dim" if value is None else "")


def print_edits(console: Console, edits: list[dict[str, Any]]) -> None:
    """Print edits one per line; links only where no added or deleted operator explains them."""
    edits = visible_data(edits)
    if not edits:
        console.print("no edits")
        return
    shown = [e for e in edits if "operator" in e["kind"] or not _explained(e, edits)]
    links = len(edits) - len(shown)
    noun = "edit" if len(shown) == 1 else "edits"
    follow = f" (and the {links} changed links around them)" if links else ""
    console.print(f"{len(shown)} {noun}{follow}:")
    width = max((len(e["operator"]) for e in shown), default=0)
    for edit in shown:
        mark, style = EDIT_STYLES[edit["kind"]]
        what = edit["kind"].split()[0] if "operator" in edit["kind"] else edit["kind"]
        line = Text.assemble(
            (f"{mark} ", style),
            (f"{edit['operator']:<{width}}", "bold"),
            f"  {what}  ",
            edit["detail"],
        )
        console.print(Padding(line, (0, 0, 0, 2)))


def _explained(edit: dict[str, Any], edits: list[dict[str, Any]]) -> bool:
    """Whether a changed link only goes around operators that were added or deleted."""
    touched = {e["operator"] for e in edits if e["kind"] in ("add operator", "delete operator")}
    around = set(touched)
    for other in edits:
        if "link" in other["kind"] and touched & (ends := _ends(other)):
            around |= ends
    return _ends(edit) <= around


def _ends(edit: dict[str, Any]) -> set[str]:
    return set(edit["detail"].split(" (port")[0].split(" -> "))


def _sink_name(sink: dict[str, Any]) -> Text:
    name = sink["p"] or sink["q"]
    renamed = sink["p"] and sink["q"] and sink["p"] != sink["q"]
    return Text(visible(f"{sink['p']} / {sink['q']}" if renamed else name), style="bold")


def _verdict(verdict: str) -> Text:
    return Text(f"{MARKS[verdict]} {verdict}", style=STYLES[verdict])


def _why(sink: dict[str, Any]) -> Group:
    lines: list[Any] = [Text(sink["reason"])]
    lines += [Text(f"assuming {a}", style="cyan") for a in sink["assumptions"]]
    lines += [Text(f"note: {c}", style="yellow") for c in sink["caveats"]]
    if sink["recheck"] is not None:
        style = "bold red" if sink["recheck"]["disagreed"] else "green"
        lines.append(Text(recheck_text(sink["recheck"]), style=style))
    return Group(*lines)


def message(sink: dict[str, Any]) -> str:
    """A sink's reason, what is to know besides, and the witness, as lines of text."""
    notes = [f"assuming {a}" for a in sink["assumptions"]]
    notes += [f"note: {c}" for c in sink["caveats"]]
    lines = [visible(text) for text in (sink["reason"], *notes)]
    return "\n".join(filter(None, [*lines, witness_text(sink)]))
