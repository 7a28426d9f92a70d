"""Loading what a user names as a version (a SPEC).

`jobs/q.sql`, `main:jobs/q.sql`, `flow.yaml`, `jobs/report.py:build`, `store:report@3`: which front
end reads it is decided by the registry (`veer.frontends.registry`).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from veer.errors import InputError, ParseError, UsageError
from veer.frontends.inputs import ReadOptions
from veer.frontends.live_frames import is_connect_frame
from veer.frontends.registry import front_end_of, parse
from veer.frontends.stored import existing_store, is_stored, sealed
from veer.model.ops import Sink
from veer.versions.version import Version


def load(
    text: str,
    *,
    schema: str = "",
    revision: str = "",
    args: Sequence[str] = (),
    store: str = "",
) -> Version:
    """The version a SPEC names; `schema` is DDL or the path of a file with DDL.

    `args` are NAME=VALUE, for a PySpark function; `store` is where stored versions are.
    """
    source = parse(text, revision)
    front_end = front_end_of(source)
    if args and not front_end.takes_arguments:
        raise UsageError(f"--arg belongs to PySpark functions; {source.name} is none")
    try:
        return front_end.read(source, ReadOptions(schema, args, store))
    except RecursionError:
        raise ParseError(f"{source.name}: nested too deeply") from None
    except InputError as error:
        raise type(error)(f"{source.name}: {error}") from None


def load_pair(
    p: str,
    q: str,
    *,
    schema: str = "",
    revision: str = "",
    args: Sequence[str] = (),
    store: str = "",
) -> tuple[Version, Version]:
    """Two versions, `p` at a revision if one is given; PySpark jobs start side by side."""
    load_p = partial(load, p, schema=schema, revision=revision, args=args, store=store)
    load_q = partial(load, q, schema=schema, args=args, store=store)
    sources = parse(p, revision), parse(q)
    if all(front_end_of(source).starts_process for source in sources):
        with ThreadPoolExecutor(2) as pool:
            futures = pool.submit(load_p), pool.submit(load_q)
            return futures[0].result(), futures[1].result()
    versions = load_p(), load_q()
    # A stored version was stored without its secrets: the other must lose them in the same way.
    if is_stored(p) == is_stored(q):
        return versions
    with existing_store(store) as opened:
        return sealed(versions[0], opened), sealed(versions[1], opened)


def version_of(given: Version | str | Any, name: str, schema: str = "") -> Version:
    """A version given loaded, as a SPEC, or as a DataFrame of a running session, classic or Connect."""
    if isinstance(given, Version):
        return given
    if isinstance(given, str):
        return load(given, schema=schema)
    if is_connect_frame(given):
        from veer.frontends.connect.live import read_connect_frames

        return Version(name, read_connect_frames([(given, Sink("result"))]), stable_ids=False)
    from veer.frontends.spark import read_dataframe

    return Version(name, read_dataframe(given), stable_ids=False)
