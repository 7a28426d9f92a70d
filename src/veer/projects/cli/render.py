"""`veer render`: the report of a check once more, in another format."""

from __future__ import annotations

from typing import Annotated

from veer.cli.declare import Argument, Option
from veer.cli.terminal import console, write_out
from veer.errors import ParseError
from veer.projects.show import formats
from veer.read.inputs import Input
from veer.read.json_text import read_json


def render(
    report: Annotated[
        str, Argument(metavar="REPORT", help="A report of `veer check --format json`.")
    ],
    format: Annotated[
        str, Option(metavar="|".join(formats.names()), help="The format to write.")
    ] = "text",
    out: Annotated[
        str, Option(metavar="FILE", help="Write it to this file instead of printing it.")
    ] = "",
) -> None:
    """Write the JSON report of `veer check` in another format, without checking again.

    Examples:

      veer check --format json --out report.json

      veer render report.json --format markdown --out comment.md

      veer render report.json --format stale
    """
    output = formats.get(format, "--format")
    data = read_json(Input(report, report).read_text())
    if not isinstance(data, dict) or data.get("veer_check") != formats.VERSION:
        raise ParseError(f"{report}: not a report of `veer check` by this version of Veer")
    if output.name == "text" and not out:
        from veer.projects.show.as_text import print_project

        print_project(console(), data)
        return
    try:
        text = output.render(data)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise ParseError(f"{report}: not a complete report of `veer check`: {error!r}") from None
    write_out(text, out)
