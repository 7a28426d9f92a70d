"""The tobacco example end to end: edits, verdicts, and both versions run on generated data."""

from __future__ import annotations

import os
from pathlib import Path

from functions import commerce, topic
from generate import generate
from rich.console import Console
from rich.table import Table

from veer.api import load, verify
from veer.dataflow.ops import RowUdf
from veer.dataflow.pprint import show_dataflow
from veer.interpreter import run_dataflow, same_result
from veer.report.as_json import report_json
from veer.report.as_text import print_report
from veer.verdict import TableSemantics

HERE = Path(__file__).parent


def main() -> None:
    """Show what Veer knows of the two versions, and check it by running them."""
    console = Console(highlight=False)
    os.chdir(HERE)
    p, q = load("v1.yaml"), load("v2.yaml")
    console.rule("version 1, as Veer reads it", align="left")
    console.print(show_dataflow(p.dataflow), markup=False, soft_wrap=True)
    console.rule("veer verify v1.yaml v2.yaml", align="left")
    print_report(console, report_json(verify(p, q)))
    console.rule("both versions run on generated data", align="left")
    users, tweets = generate(200, 2000)
    tables = {"users": users, "tweets": tweets}
    functions = {
        op.identity: commerce if op.kind == "DictionaryMatcher" else topic
        for op in p.dataflow.operators.values()
        if isinstance(op, RowUdf)
    }
    results = [run_dataflow(v.dataflow, tables, functions) for v in (p, q)]
    table = Table("sink", "rows in version 1", "rows in version 2", "on this data")
    for sink in p.dataflow.sinks:
        one, two = results[0][sink], results[1][sink]
        same = same_result(one, two, TableSemantics.BAG)
        table.add_row(sink, str(len(one.rows)), str(len(two.rows)), "same" if same else "different")
    console.print(table)


if __name__ == "__main__":
    main()
