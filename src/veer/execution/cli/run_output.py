"""What a run would do or did, as JSON data and as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veer.cli.terminal import console, marked

if TYPE_CHECKING:
    from veer.execution.jobs import JobOutcome, NotKept
    from veer.execution.reuse import RunPlan
    from veer.execution.run import RunOutcome
    from veer.execution.start import Started
    from veer.ir.dag import Dataflow

STYLES = {"reused": "green", "computed": "yellow", "not kept": "red"}


def plan_json(plan: RunPlan, dataflow: Dataflow) -> dict[str, Any]:
    """What a run would read and compute, as JSON data."""
    from veer.ir.pprint import show_operator

    needed = dataflow.ancestors(*plan.computed, stop=plan.cuts) - plan.cuts.keys()
    read = [
        {
            "operator": id_,
            "does": show_operator(dataflow.operators[id_]),
            "why": reused.why,
            "rows": reused.result.rows,
            "seconds": round(reused.result.seconds, 3),
        }
        for id_, reused in plan.cuts.items()
    ]
    return {
        "sinks": [_sink_json(plan, sink) for sink in dataflow.sinks],
        "read": read,
        "computed": [i for i in dataflow.order if i in needed],
        "skipped": [i for i in dataflow.order if i not in needed and i not in plan.cuts],
        "kept": list(plan.keep),
        "proving": round(plan.proving, 3),
        "notes": list(plan.notes),
    }


def _sink_json(plan: RunPlan, sink: str) -> dict[str, Any]:
    """Whether a sink would be read from the store or computed, and why."""
    if sink in plan.served:
        reused = plan.served[sink]
        return {"sink": sink, "how": "reused", "why": reused.why, "rows": reused.result.rows}
    return {"sink": sink, "how": "computed", "why": plan.computed[sink], "rows": None}


def outcome_json(outcome: RunOutcome, started: Started, written: Sequence[Path]) -> dict[str, Any]:
    """What a run did, as JSON data; `written` are the copies of its sinks."""
    assert outcome.version is not None
    data = plan_json(outcome.plan, started.dataflow)
    where = {sink: started.store.files.path(r.id) for sink, r in outcome.results.items()}
    for sink, recorded in zip(data["sinks"], outcome.sinks, strict=True):
        sink |= {"how": recorded.how, "rows": recorded.rows, "result": where.get(sink["sink"], "")}
        if recorded.how == "not kept":
            sink["why"] = recorded.note
    return {
        "version": outcome.version.label,
        "new": outcome.is_new,
        "edits": list(outcome.version.edits),
        **data,
        "notes": outcome.notes,
        "planning": round(outcome.planning, 3),
        "seconds": round(outcome.seconds, 3),
        "written": list(map(str, written)),
    }


def job_plan_json(name: str, plan: tuple[RunPlan, Dataflow] | NotKept) -> dict[str, Any]:
    """What would be done for a frame of a PySpark job, or why it would only be computed."""
    if not isinstance(plan, tuple):
        sinks = [{"sink": name, "how": "computed", "why": _why_not_kept(plan), "rows": None}]
        parts = dict.fromkeys(("read", "computed", "skipped", "kept", "notes"), ())
        return {"frame": name, "sinks": sinks, **parts}
    data = plan_json(*plan)
    data["sinks"][0]["sink"] = name
    return {"frame": name, **data}


def _why_not_kept(frame: NotKept) -> str:
    return f"computed, not kept: {frame.problem}"


def job_outcome_json(job: JobOutcome) -> list[dict[str, Any]]:
    """What was done for each frame of a PySpark job."""
    from veer.execution.jobs import NotKept

    frames: list[dict[str, Any]] = []
    for name, outcome in job.frames:
        if isinstance(outcome, NotKept):
            why = _why_not_kept(outcome)
            frames.append({"frame": name, "how": "not kept", "why": why, "rows": None})
            continue
        (sink,) = outcome.sinks
        frames.append(
            {
                "frame": name,
                "version": outcome.version.label if outcome.version else "",
                "how": sink.how,
                "why": sink.note,
                "rows": sink.rows,
                "read": list(outcome.plan.cuts),
                "result": job.results.get(name, ""),
                "seconds": round(outcome.seconds, 3),
            }
        )
    return frames


# -- as text -------------------------------------------------------------------------------------


def print_plan(plan: dict[str, Any]) -> None:
    """Print what a run would do."""
    from rich.table import Table

    out, shown = console(), marked(plan)
    table = Table("sink", "", "why", box=None, pad_edge=False)
    for sink in shown["sinks"]:
        style = "green" if sink["how"] == "reused" else "yellow"
        how = "would be read" if sink["how"] == "reused" else "would be computed"
        table.add_row(sink["sink"], f"[{style}]{how}[/]", sink["why"])
    out.print(table)
    _print_parts(out, shown)


def _print_parts(out: Any, shown: dict[str, Any]) -> None:
    """Print which operators are read, computed, skipped and kept, and the notes."""
    for part in shown["read"]:
        out.print(
            f"[green]read[/] {part['operator']}: {part['does']} "
            f"[dim]({row_count(part['rows'])} rows; {part['why']}; took {part['seconds']:.1f} s)[/]"
        )
    if shown["computed"]:
        out.print(f"[yellow]computed[/] {', '.join(shown['computed'])}")
    if shown["skipped"]:
        out.print(f"[dim]not run {', '.join(shown['skipped'])}[/]")
    if shown["kept"]:
        out.print(f"[dim]kept for later {', '.join(shown['kept'])}[/]")
    for note in shown["notes"]:
        out.print(f"[bold]note[/] {note}")


def print_outcome(outcome: dict[str, Any]) -> None:
    """Print what a run did."""
    from rich.table import Table

    out, shown = console(), marked(outcome)
    again = "" if shown["new"] else ", as it was recorded before"
    out.print(
        f"[bold]{shown['version']}[/]{again}  in {shown['seconds']:.1f} s "
        f"[dim](planning {shown['planning']:.1f} s, including proving {shown['proving']:.1f} s)[/]"
    )
    table = Table("sink", "rows", "", "why", box=None, pad_edge=False)
    for sink in shown["sinks"]:
        style = STYLES[sink["how"]]
        table.add_row(
            sink["sink"], row_count(sink["rows"]), f"[{style}]{sink['how']}[/]", sink["why"]
        )
    out.print(table)
    _print_parts(out, shown)
    for sink in shown["sinks"]:
        if sink["result"]:
            out.print(f"[dim]{sink['sink']}: {sink['result']}[/]", soft_wrap=True)
    for path in shown["written"]:
        out.print(f"[dim]wrote {path}[/]", soft_wrap=True)


def print_job(name: str, frames: list[dict[str, Any]], seconds: float) -> None:
    """Print what was done for each frame of a PySpark job."""
    from rich.table import Table

    out = console()
    out.print(f"[bold]{marked(name)}[/]  in {seconds:.1f} s")
    table = Table("frame", "rows", "", "why", box=None, pad_edge=False)
    for frame in marked(frames):
        style = STYLES[frame["how"]]
        label = frame.get("version") or frame["frame"]
        table.add_row(label, row_count(frame["rows"]), f"[{style}]{frame['how']}[/]", frame["why"])
    out.print(table)
    if not frames:
        out.print("[dim]the job wrote and returned no DataFrame[/]")


def row_count(count: int | None) -> str:
    """A number of rows for people; a dash if it is not known."""
    return "-" if count is None else f"{count:,}"
