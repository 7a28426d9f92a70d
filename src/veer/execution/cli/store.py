"""`veer log` and `veer gc`: list the versions of a store, and remove results."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Annotated, Any

import click

from veer.cli import options
from veer.cli.declare import Argument, Option
from veer.cli.terminal import console, marked
from veer.errors import InputError, UsageError
from veer.execution.cli.run_output import row_count
from veer.options import TextOrJson
from veer.visible import json_text, visible

if TYPE_CHECKING:
    from veer.execution.store import StoredVersion
    from veer.read.inputs import Input, ReadOptions

NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]*)?")
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
AGES = {"h": 3600, "d": 86_400, "w": 7 * 86_400}


def log(
    name: Annotated[str, Argument(metavar="NAME", help="List only versions of this name.")] = "",
    store: options.StoreLocation = "",
    format: options.ListFormat = TextOrJson.TEXT,
) -> None:
    """List the versions of a store: when they ran, what changed, what was reused."""
    from veer.execution.stored import existing_store

    with existing_store(store) as opened:
        names = opened.names()
        if name and name not in names:
            raise InputError(f"no versions of {name!r} in {opened.location}")
        versions = [v for n in ([name] if name else names) for v in opened.versions(n)]
    if format is TextOrJson.JSON:
        click.echo(json_text([version_json(v) for v in versions]))
        return
    from rich.table import Table

    table = Table("version", "run", "seconds", "edits", "sinks", box=None, pad_edge=False)
    for version in versions:
        edits = [e for e in version.edits if "operator" in e["kind"]]
        changed = ", ".join(f"{e['kind'].split()[0]} {e['operator']}" for e in edits[:3])
        table.add_row(
            marked(version.label),
            time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(version.started)),
            f"{version.seconds:.1f}",
            marked(changed + (f" and {len(edits) - 3} more" if len(edits) > 3 else "")) or "-",
            marked(", ".join(f"{s.sink}: {row_count(s.rows)} {s.how}" for s in version.sinks)),
        )
    console().print(table)


def gc(
    store: options.StoreLocation = "",
    max_bytes: Annotated[
        str, Option(metavar="SIZE", help="Keep results up to this size: 500M, 20G.")
    ] = "",
    older_than: Annotated[
        str, Option(metavar="AGE", help="Remove results not used for this long: 12h, 30d, 8w.")
    ] = "",
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be removed.")] = False,
    format: options.ListFormat = TextOrJson.TEXT,
) -> None:
    """Remove results from a store: leftovers, damaged results, and results beyond the limits given.

    The results of least value go first: those of no version, then those that are large, old and fast to
    compute. The results of the latest version of each name stay, and those that a process is reading.
    """
    from veer.execution.session import Session
    from veer.execution.store.gc import collect
    from veer.execution.stored import existing_store

    limit = _size(max_bytes) if max_bytes else None
    age = _age(older_than) if older_than else None
    with existing_store(store, Session()) as opened:
        done = collect(opened, max_bytes=limit, max_age=age, dry=dry_run)
    if format is TextOrJson.JSON:
        click.echo(json_text(vars(done)))
        return
    verb = "would remove" if dry_run else "removed"
    click.echo(f"{verb} {len(done.removed)} results ({_bytes(done.bytes)})")
    if done.orphans:
        click.echo(f"{verb} {len(done.orphans)} folders of runs that did not end")
    for problem in done.problems:
        click.echo(visible(problem))
    click.echo(f"{done.kept} results stay ({_bytes(done.kept_bytes)})")


def show_stored(asked: Input, given: ReadOptions) -> None:
    """What is recorded of a stored version, beside its dataflow."""
    from rich.table import Table

    from veer.execution.stored import existing_store, parse_stored

    name, number = parse_stored(asked.path)
    with existing_store(given.store) as opened:
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
            table.add_row(marked(sink.sink), row_count(sink.rows), sink.how, marked(where))
        shown.print(table)
        for source, fingerprint in sorted(version.sources.items()):
            shown.print(f"read {marked(str(json.loads(source)[0]))}  [dim]{fingerprint}[/]")
    shown.print()


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


def _bytes(count: int) -> str:
    """A size for people, in powers of ten."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
        count = count // 100 / 10  # type: ignore[assignment]
    raise AssertionError


def _size(text: str) -> int:
    """The bytes in a text like 500M or 20GB."""
    number, unit = text.rstrip("bB")[:-1], text.rstrip("bB")[-1:].lower()
    if unit.isdigit():
        number, unit = number + unit, ""
    if unit not in UNITS or not NUMBER.fullmatch(number):
        raise UsageError(f"--max-bytes {text}: expected a number, or one with K, M, G or T")
    return int(float(number) * UNITS[unit])


def _age(text: str) -> float:
    """The seconds in a text like 12h, 30d or 8w."""
    if text[-1:] not in AGES or not NUMBER.fullmatch(text[:-1]):
        raise UsageError(f"--older-than {text}: expected hours, days or weeks: 12h, 30d, 8w")
    return float(text[:-1]) * AGES[text[-1]]
