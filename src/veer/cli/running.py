"""The commands that run versions and look after the store: `run`, `log`, `gc`."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veer.cli.terminal import choice, console, marked, progress
from veer.errors import UsageError
from veer.visible import json_text, visible

if TYPE_CHECKING:
    from veer.execution.reuse import RunPlan
    from veer.execution.run import RunOutcome
    from veer.execution.start import Started
    from veer.model.dag import Dataflow
    from veer.store import StoredVersion

STORE_HELP = (
    "The store: a folder, or postgresql://USER@HOST/DATABASE; VEER_STORE, or .veer, by default."
)
KEEP = ("sinks", "cuts", "none")
FORMATS = ("text", "json")
NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]*)?")
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
STYLES = {"reused": "green", "computed": "yellow", "not kept": "red"}
AGES = {"h": 3600, "d": 86_400, "w": 7 * 86_400}


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(run)
    app.command()(log)
    app.command()(gc)


def run(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="The version to run.")],
    store: Annotated[str, typer.Option(metavar="DIR|URL", help=STORE_HELP)] = "",
    name: Annotated[
        str, typer.Option(help="What its versions are called; by default as its file.")
    ] = "",
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what would be read and computed; run nothing.")
    ] = False,
    no_reuse: Annotated[
        bool, typer.Option("--no-reuse", help="Compute everything, whatever is stored.")
    ] = False,
    keep: Annotated[
        str,
        typer.Option(
            help="What is kept for later versions: sinks; cuts, also small parts below the edits; none."
        ),
    ] = "sinks",
    trust: Annotated[
        bool,
        typer.Option(
            "--trust", help="Believe declared keys, foreign keys and NOT NULL without looking."
        ),
    ] = False,
    proof_share: Annotated[
        float,
        typer.Option(
            metavar="X", min=0, help="Prove for at most X times the seconds a result once took."
        ),
    ] = 0.05,
    data: Annotated[
        str, typer.Option(metavar="DIR", help="Where relative paths and tables by name are.")
    ] = ".",
    content: Annotated[
        bool,
        typer.Option("--content", help="Tell sources apart by content, not by size and time."),
    ] = False,
    schema: Annotated[
        str, typer.Option(metavar="DDL", help="CREATE TABLE statements of what SQL reads.")
    ] = "",
    arg: Annotated[
        list[str] | None,
        typer.Option(metavar="K=V", help="Argument of a PySpark function; several times."),
    ] = None,
    functions: Annotated[
        str, typer.Option(metavar="FILE", help="A Python file with the functions a workflow names.")
    ] = "",
    models: Annotated[
        str, typer.Option(metavar="DIR", help="Model files of classifiers; models in --data.")
    ] = "",
    trust_code: Annotated[
        bool, typer.Option("--trust-code", help="Run code that stands in a workflow file.")
    ] = False,
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Also copy every sink there, as Parquet.")
    ] = "",
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite",
            help="Let targets and --out replace data that Veer did not write; never a source.",
        ),
    ] = False,
    trust_targets: Annotated[
        bool,
        typer.Option(
            "--trust-targets", help="Let a version write to targets outside of the project."
        ),
    ] = False,
    results: Annotated[
        str,
        typer.Option(
            metavar="PATH", help="Where a new store keeps results: any path Hadoop can write to."
        ),
    ] = "",
    master: Annotated[str, typer.Option(metavar="URL", help="The Spark master.")] = "local[*]",
    conf: Annotated[
        list[str] | None,
        typer.Option(metavar="K=V", help="A setting of Spark; may be given several times."),
    ] = None,
    format: Annotated[str, typer.Option(help="text or json.")] = "text",
) -> None:
    """Run a version on Spark, reading stored results instead of computing equal ones again.

    Examples:

      veer run report.yaml

      veer run report.yaml --explain

      veer run report.sql --schema tables.ddl --data warehouse/ --out results/

      veer run jobs/report.py:build --arg day=2024-01-01

    Every run is recorded as a version of the store: see `veer log`, `veer show store:report@1`,
    `veer diff store:report@1 store:report@2`. A sink proven equal to a stored result is not computed;
    below the others the largest stored parts are read. Sources are looked at before and after. A
    PySpark function runs as it is; what it writes or returns goes through the store.

    A sink with a target is written there too: inside of the project, and only over what Veer wrote.
    """
    choice("--keep", keep, KEEP)
    choice("--format", format, FORMATS)
    from veer.execution.start import RunOptions, destinations, export, start

    options = RunOptions(
        store=store,
        results=results,
        name=name,
        schema=schema,
        args=tuple(arg or ()),
        data=data,
        content=content,
        models=models,
        functions=functions,
        trust_code=trust_code,
        overwrite=overwrite,
        trust_targets=trust_targets,
        keep=keep,
        reuse="none" if no_reuse else "proven",
        trust=trust,
        share=proof_share,
        master=master,
        conf=_pairs(conf or []),
    )
    if _is_job(spec):
        refused = {
            "--out": bool(out),
            "--overwrite": overwrite,
            "--trust-targets": trust_targets,
        }
        if given := [option for option, is_set in refused.items() if is_set]:
            raise UsageError(f"{given[0]} is for workflow files and SQL; a job runs as it is")
        _run_job(spec, options, explain, format)
        return
    with progress() as say, start(spec, options, progress=say) as started:
        if explain:
            begun = time.perf_counter()
            plan = started.running.plan().plan
            shown = _plan_json(plan, started.dataflow)
            shown["seconds"] = round(time.perf_counter() - begun, 3)
        else:
            destinations(started, out)  # refused before anything is computed
            outcome = started.running.run()
            if outcome.results:
                say("writing results")
            shown = _outcome_json(outcome, started, export(outcome, started, out))
    if format == "json":
        typer.echo(json_text(shown))
    elif explain:
        _print_plan(shown)
    else:
        _print_outcome(shown)


def print_run(outcome: RunOutcome, started: Started, written: Sequence[Path]) -> None:
    """What a run did, as people read it."""
    _print_outcome(_outcome_json(outcome, started, written))


def _is_job(spec: str) -> bool:
    from veer.frontends.spec import STORED, parse_spec

    return not spec.startswith(STORED) and bool(parse_spec(spec).function)


def _run_job(spec: str, options: Any, explain: bool, format_: str) -> None:
    """A PySpark function: it runs as it is, its frames go through the store."""
    if explain:
        _explain_job(spec, options, format_)
        return
    from veer.execution.jobs import run_job

    begun = time.perf_counter()
    with progress() as say:
        done = run_job(spec, options, say)
    frames: list[dict[str, Any]] = []
    for name, outcome in done.frames:
        if isinstance(outcome, str):
            frames.append({"frame": name, "how": "not kept", "why": outcome, "rows": None})
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
                "result": done.results.get(name, ""),
                "seconds": round(outcome.seconds, 3),
            }
        )
    shown = {"job": done.name, "frames": frames, "seconds": round(time.perf_counter() - begun, 3)}
    if format_ == "json":
        typer.echo(json_text(shown))
        return
    from rich.table import Table

    out_, frames = console(), marked(frames)
    out_.print(f"[bold]{marked(done.name)}[/]  in {shown['seconds']:.1f} s")
    table = Table("frame", "rows", "", "why", box=None, pad_edge=False)
    for frame in frames:
        style = STYLES[frame["how"]]
        label = frame.get("version") or frame["frame"]
        table.add_row(label, _rows(frame["rows"]), f"[{style}]{frame['how']}[/]", frame["why"])
    out_.print(table)
    if not frames:
        out_.print("[dim]the job wrote and returned no DataFrame[/]")


def _explain_job(spec: str, options: Any, format_: str) -> None:
    """What would be done for each frame of a job."""
    from veer.execution.jobs import explain_job

    begun = time.perf_counter()
    with progress() as say:
        found = explain_job(spec, options, say)
    frames: list[dict[str, Any]] = []
    for name, plan in found:
        if isinstance(plan, str):
            sinks = [{"sink": name, "how": "computed", "why": plan, "rows": None}]
            parts = dict.fromkeys(("read", "computed", "skipped", "kept", "notes"), ())
            frames.append({"frame": name, "sinks": sinks, **parts})
            continue
        shown = _plan_json(*plan)
        shown["sinks"][0]["sink"] = name
        frames.append({"frame": name, **shown})
    if format_ == "json":
        taken = round(time.perf_counter() - begun, 3)
        typer.echo(json_text({"job": spec, "frames": frames, "seconds": taken}))
        return
    for shown in frames:
        _print_plan(shown)
    if not frames:
        console().print("[dim]the job would write and return no DataFrame[/]")


def log(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Versions of this name only.")] = "",
    store: Annotated[str, typer.Option(metavar="DIR|URL", help=STORE_HELP)] = "",
    format: Annotated[str, typer.Option(help="text or json.")] = "text",
) -> None:
    """List the versions of a store: when they ran, what changed, what was reused."""
    choice("--format", format, FORMATS)
    from veer.errors import InputError
    from veer.frontends.spec import existing_store

    with existing_store(store) as opened:
        names = opened.names()
        if name and name not in names:
            raise InputError(f"no versions of {name!r} in {opened.location}")
        found = [v for n in ([name] if name else names) for v in opened.versions(n)]
    if format == "json":
        typer.echo(json_text([version_json(v) for v in found]))
        return
    from rich.table import Table

    table = Table("version", "run", "seconds", "edits", "sinks", box=None, pad_edge=False)
    for version in found:
        edits = [e for e in version.edits if "operator" in e["kind"]]
        changed = ", ".join(f"{e['kind'].split()[0]} {e['operator']}" for e in edits[:3])
        table.add_row(
            marked(version.label),
            time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(version.started)),
            f"{version.seconds:.1f}",
            marked(changed + (f" and {len(edits) - 3} more" if len(edits) > 3 else "")) or "-",
            marked(", ".join(f"{s.sink}: {_rows(s.rows)} {s.how}" for s in version.sinks)),
        )
    console().print(table)


def gc(
    store: Annotated[str, typer.Option(metavar="DIR|URL", help=STORE_HELP)] = "",
    max_bytes: Annotated[
        str, typer.Option(metavar="SIZE", help="Keep at most so much: 500M, 20G.")
    ] = "",
    older_than: Annotated[
        str, typer.Option(metavar="AGE", help="Remove what was not used for so long: 12h, 30d, 8w.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be removed.")
    ] = False,
    format: Annotated[str, typer.Option(help="text or json.")] = "text",
) -> None:
    """Remove what nobody needs from a store: leftovers, damaged results, and what limits ask for.

    Results worth least go first: those no version shows, then those that are large, old and fast to
    compute. The results of the latest version of each name stay, and whatever somebody is reading.
    """
    choice("--format", format, FORMATS)
    from veer.execution.session import Session
    from veer.frontends.spec import existing_store
    from veer.store.gc import collect

    limit = _size(max_bytes) if max_bytes else None
    age = _age(older_than) if older_than else None
    with existing_store(store, Session()) as opened:
        done = collect(opened, max_bytes=limit, max_age=age, dry=dry_run)
    if format == "json":
        typer.echo(json_text(vars(done)))
        return
    verb = "would remove" if dry_run else "removed"
    typer.echo(f"{verb} {len(done.removed)} results ({_bytes(done.bytes)})")
    if done.orphans:
        typer.echo(f"{verb} {len(done.orphans)} folders of runs that did not end")
    for problem in done.problems:
        typer.echo(visible(problem))
    typer.echo(f"{done.kept} results stay ({_bytes(done.kept_bytes)})")


def show_stored(spec: str, store: str) -> None:
    """What is recorded of a stored version, beside its dataflow."""
    from rich.table import Table

    from veer.frontends.spec import existing_store, parse_stored

    name, number = parse_stored(spec)
    with existing_store(store) as opened:
        version = opened.version(name, number)
        assert version is not None
        shown = console()
        ran = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(version.started))
        shown.print(
            f"[bold]{marked(version.label)}[/]  of {marked(version.spec)}, run {ran}, {version.seconds:.1f} s"
        )
        shown.print(
            f"Spark {version.environment.get('spark')}, Veer {version.environment.get('veer')}"
        )
        table = Table("sink", "rows", "how", "result", box=None, pad_edge=False)
        for sink in version.sinks:
            where = opened.files.path(sink.result) if sink.result else sink.note
            table.add_row(marked(sink.sink), _rows(sink.rows), sink.how, marked(where))
        shown.print(table)
        for source, fingerprint in sorted(version.sources.items()):
            shown.print(f"read {marked(str(json.loads(source)[0]))}  [dim]{fingerprint}[/]")
    shown.print()


# -- as JSON and as text -------------------------------------------------------------------------


def version_json(version: StoredVersion) -> dict[str, Any]:
    """A recorded version as JSON data."""
    return {
        "name": version.name,
        "number": version.number,
        "spec": version.spec,
        "started": version.started,
        "seconds": round(version.seconds, 3),
        "fingerprint": version.fingerprint,
        "edits": list(version.edits),
        "sources": dict(version.sources),
        "environment": dict(version.environment),
        "sinks": [vars(s) for s in version.sinks],
    }


def _plan_json(plan: RunPlan, dataflow: Dataflow) -> dict[str, Any]:
    from veer.model.pprint import show_operator

    needed = dataflow.ancestors(*plan.computed, stop=plan.cuts) - plan.cuts.keys()
    return {
        "sinks": [
            {
                "sink": s,
                "how": "reused",
                "why": plan.served[s].why,
                "rows": plan.served[s].result.rows,
            }
            if s in plan.served
            else {"sink": s, "how": "computed", "why": plan.computed[s], "rows": None}
            for s in dataflow.sinks
        ],
        "read": [
            {
                "operator": i,
                "does": show_operator(dataflow.operators[i]),
                "why": r.why,
                "rows": r.result.rows,
                "seconds": round(r.result.seconds, 3),
            }
            for i, r in plan.cuts.items()
        ],
        "computed": [i for i in dataflow.order if i in needed],
        "skipped": [i for i in dataflow.order if i not in needed and i not in plan.cuts],
        "kept": list(plan.keep),
        "proving": round(plan.proving, 3),
        "notes": list(plan.notes),
    }


def _outcome_json(outcome: RunOutcome, started: Started, written: Sequence[Path]) -> dict[str, Any]:
    assert outcome.version is not None
    found = _plan_json(outcome.plan, started.dataflow)
    where = {sink: started.store.files.path(r.id) for sink, r in outcome.results.items()}
    for sink, recorded in zip(found["sinks"], outcome.sinks, strict=True):
        sink |= {"how": recorded.how, "rows": recorded.rows, "result": where.get(sink["sink"], "")}
        if recorded.how == "not kept":
            sink["why"] = recorded.note
    return {
        "version": outcome.version.label,
        "new": outcome.is_new,
        "edits": list(outcome.version.edits),
        **found,
        "notes": outcome.notes,
        "planning": round(outcome.planning, 3),
        "seconds": round(outcome.seconds, 3),
        "written": list(map(str, written)),
    }


def _print_plan(shown: dict[str, Any]) -> None:
    from rich.table import Table

    out, shown = console(), marked(shown)
    table = Table("sink", "", "why", box=None, pad_edge=False)
    for sink in shown["sinks"]:
        style = "green" if sink["how"] == "reused" else "yellow"
        how = "would be read" if sink["how"] == "reused" else "would be computed"
        table.add_row(sink["sink"], f"[{style}]{how}[/]", sink["why"])
    out.print(table)
    _print_parts(out, shown)


def _print_parts(out: Any, shown: dict[str, Any]) -> None:
    for part in shown["read"]:
        out.print(
            f"[green]read[/] {part['operator']}: {part['does']} "
            f"[dim]({_rows(part['rows'])} rows; {part['why']}; took {part['seconds']:.1f} s)[/]"
        )
    if shown["computed"]:
        out.print(f"[yellow]computed[/] {', '.join(shown['computed'])}")
    if shown["skipped"]:
        out.print(f"[dim]not run {', '.join(shown['skipped'])}[/]")
    if shown["kept"]:
        out.print(f"[dim]kept for later {', '.join(shown['kept'])}[/]")
    for note in shown["notes"]:
        out.print(f"[bold]note[/] {note}")


def _print_outcome(shown: dict[str, Any]) -> None:
    from rich.table import Table

    out, shown = console(), marked(shown)
    again = "" if shown["new"] else ", as it was recorded before"
    out.print(
        f"[bold]{shown['version']}[/]{again}  in {shown['seconds']:.1f} s "
        f"[dim](planning {shown['planning']:.1f} s, of it proving {shown['proving']:.1f} s)[/]"
    )
    table = Table("sink", "rows", "", "why", box=None, pad_edge=False)
    for sink in shown["sinks"]:
        style = STYLES[sink["how"]]
        table.add_row(sink["sink"], _rows(sink["rows"]), f"[{style}]{sink['how']}[/]", sink["why"])
    out.print(table)
    _print_parts(out, shown)
    for sink in shown["sinks"]:
        if sink["result"]:
            out.print(f"[dim]{sink['sink']}: {sink['result']}[/]", soft_wrap=True)
    for path in shown["written"]:
        out.print(f"[dim]wrote {path}[/]", soft_wrap=True)


def _rows(count: int | None) -> str:
    return "-" if count is None else f"{count:,}"


def _bytes(count: int) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
        count = count // 100 / 10  # type: ignore[assignment]
    raise AssertionError


def _size(text: str) -> int:
    number, unit = text.rstrip("bB")[:-1], text.rstrip("bB")[-1:].lower()
    if unit.isdigit():
        number, unit = number + unit, ""
    if unit not in UNITS or not NUMBER.fullmatch(number):
        raise UsageError(f"--max-bytes {text}: expected a number, or one with K, M, G or T")
    return int(float(number) * UNITS[unit])


def _age(text: str) -> float:
    if text[-1:] not in AGES or not NUMBER.fullmatch(text[:-1]):
        raise UsageError(f"--older-than {text}: expected hours, days or weeks: 12h, 30d, 8w")
    return float(text[:-1]) * AGES[text[-1]]


def _pairs(given: list[str]) -> tuple[tuple[str, str], ...]:
    found = []
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise UsageError(f"--conf {text!r}: expected KEY=VALUE")
        found.append((key, value))
    return tuple(found)
