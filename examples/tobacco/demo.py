"""The tobacco example end to end: edits, verdicts, then both versions run on Spark with a store."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import generate
from rich.console import Console

from veer.api import load, verify
from veer.execution.cli.run_output import outcome_json, print_outcome
from veer.execution.session import Session
from veer.execution.start import RunOptions, export, start
from veer.ir.pprint import show_dataflow
from veer.show.as_json import report_json
from veer.show.as_text import print_report

HERE = Path(__file__).parent
USERS, TWEETS = 1_000, 60_000


def main() -> None:
    """Show what Veer knows of the two versions, and what that saves when they run."""
    console = Console(highlight=False)
    os.chdir(HERE)
    p, q = load("v1.yaml"), load("v2.yaml")
    console.rule("version 1, as Veer reads it", align="left")
    console.print(show_dataflow(p.dataflow), markup=False, soft_wrap=True)
    console.rule("veer verify v1.yaml v2.yaml", align="left")
    print_report(console, report_json(verify(p, q)))
    with tempfile.TemporaryDirectory(prefix="veer-demo-") as folder:
        console.rule("generated data", align="left")
        generate.main(f"{folder}/data", USERS, TWEETS)
        session = Session()
        for spec in ("v1.yaml", "v2.yaml"):
            console.rule(f"veer run {spec} --name tobacco", align="left")
            options = RunOptions(
                store=f"{folder}/store",
                name="tobacco",
                data=folder,
                models=str(HERE / "models"),
                share=1.0,  # a small run: whatever proving takes, it is shown
            )
            started = start(spec, options, session)
            with started.store:
                outcome = started.running.run()
                written = export(outcome, started, "")
                print_outcome(outcome_json(outcome, started, written))
        session.stop()


if __name__ == "__main__":
    main()
