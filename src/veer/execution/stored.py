"""Versions that a run recorded in a store, named `store:NAME@NUMBER`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veer.errors import InputError, UsageError
from veer.read.inputs import Input, ReadOptions
from veer.verification.versions.version import Version

if TYPE_CHECKING:
    from veer.execution.store import Store

PREFIX = "store:"
DEFAULT_STORE = ".veer"


def is_stored(spec: str) -> bool:
    """Whether a SPEC names a stored version."""
    return spec.startswith(PREFIX)


def parse_stored(spec: str) -> tuple[str, int | None]:
    """The name and number of `store:NAME@NUMBER`; no number for the latest."""
    name, at, number = spec.removeprefix(PREFIX).rpartition("@")
    if not at:
        name, number = number, ""
    if not name or (at and not re.fullmatch("[0-9]{1,9}", number)):
        raise UsageError(f"{spec!r}: expected store:NAME@NUMBER, or store:NAME for the latest")
    return name, int(number) if number else None


def read(source: Input, options: ReadOptions) -> Version:
    """The version as it was recorded."""
    if source.revision or options.args:
        raise UsageError(f"{source.path}: a stored version has no revision and no arguments")
    name, number = parse_stored(source.path)
    with existing_store(options.store) as store:
        version = store.version(name, number)
        if version is None:
            names = ", ".join(store.names()) or "nothing"
            raise InputError(f"not in the store {store.location}, which holds {names}")
    return Version(source.name, version.dataflow, version.stable_ids, code=version.code)


def store_location(given: str) -> str:
    """Where the store is: as given, by VEER_STORE, or in the current directory."""
    return given or os.environ.get("VEER_STORE", "") or DEFAULT_STORE


def existing_store(given: str, spark: Callable[[], Any] | None = None) -> Store:
    """A store that is there; `spark` gives a session where results are reached through one only."""
    from veer.execution.store import Store

    location = store_location(given)
    if "://" not in location and not (Path(location) / "veer.db").is_file():
        raise InputError(f"{location}: there is no store; `veer run` makes one")
    return Store(location, spark=spark, must_exist=True)


def as_stored(version: Version, options: ReadOptions) -> Version:
    """A version as it would be stored: compared with a stored one, secrets are those of the store."""
    with existing_store(options.store) as store:
        optimized = version.optimized and store.seal.dataflow(version.optimized)
        return replace(version, dataflow=store.seal.dataflow(version.dataflow), optimized=optimized)
