"""The parts of two versions that are not proven equal, and what would help, as text for people."""

from __future__ import annotations

from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from veer.visible import visible

MOST_LINES = 40  # of a side
GAP = 3  # between the two sides


def print_resisted(console: Console, sink: dict[str, Any], name: Text) -> None:
    """Print the parts that are not proven equal as SQL, side by side where the terminal is wide."""
    resisted = sink["resisted"]
    if resisted is None:
        return
    console.print()
    what = (
        ": the smallest part not proven equal"
        if resisted["agrees"]
        else ": where the versions differ"
    )
    console.print(Text.assemble(name, what))
    sides = [
        (visible(f"{label}: {resisted[s]}"), _shortened(resisted[f"{s}_sql"]))
        for s, label in (("p", "before"), ("q", "after"))
    ]
    widths = [max(map(cell_len, [title, *lines])) for title, lines in sides]
    if sum(widths) + GAP + 2 <= console.width:
        table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, show_edge=False)
        for title, _ in sides:
            table.add_column(Text(title), no_wrap=True)
        table.add_row(*(Text("\n".join(lines)) for _, lines in sides))
        console.print(Padding(table, (0, 0, 0, 2)))
    else:
        for title, lines in sides:
            console.print(Padding(Text(title, style="bold"), (0, 0, 0, 2)))
            console.print(Padding(Text("\n".join(lines)), (0, 0, 0, 4)))
    for given in resisted["given"]:
        text = visible(f"given: {_given_text(given)}")
        console.print(Padding(Text(text, style="dim"), (0, 0, 0, 2)))


def _given_text(given: dict[str, str]) -> str:
    """An input of both sides, taken as equal."""
    name, p, q = given["name"], given["p"], given["q"]
    if p == q == name:
        return f"{name} is the same in both"
    return f"{name} is {p!r} before and {q!r} after, taken as equal"


def _shortened(text: str) -> list[str]:
    lines = list(map(visible, text.split("\n")))
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[:MOST_LINES], f"... ({len(lines) - MOST_LINES} more lines in --format json)"]


def print_hints(console: Console, sink: dict[str, Any]) -> None:
    """Print what would settle an unknown."""
    if sink["hints"]:
        console.print("what would settle it:")
    for hint in sink["hints"]:
        line = Table.grid(padding=(0, 1, 0, 0))
        line.add_row("-", Text(visible(hint["text"])))
        console.print(Padding(line, (0, 0, 0, 2)))


def print_suggestion(console: Console, sink: dict[str, Any], name: Text) -> None:
    """Print the declarations that were found, as DDL with how to check them."""
    suggestion = sink["suggestion"]
    if suggestion is None:
        return
    console.print()
    console.print(Text.assemble(name, visible(f": {suggestion['text']}")))
    for declaration in suggestion["declarations"]:
        shown = visible(declaration["ddl"] or declaration["text"])
        console.print(Padding(Text(shown, style="bold"), (0, 0, 0, 2)))
        for check in declaration["checks"]:
            line = Table.grid(padding=(0, 1, 0, 0))
            line.add_row(Text("check:", style="dim"), Text(visible(check), style="dim"))
            console.print(Padding(line, (0, 0, 0, 4)))
    if suggestion["declarations"]:
        console.print("  Each holds if its checks, run on the real data, give no rows or 0.")
