"""The front ends: which inputs each recognises, and the function that reads them.

Plug-ins add theirs (`veer.plugins`), other packages by the entry point group `veer.frontends`
(`docs/adding-a-front-end.md`).
Readers are imported when the first such input is read: parsers and PySpark take time to load.

A front end that looks at the content goes before those that go by the name: a `.json` file of
another system is not a workflow file of Veer. Two of the same rank that recognise one input are an
error, for a guess could compare what was never meant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, TypeAlias, final

from veer.errors import InputError, UnsupportedError, UsageError, VeerError
from veer.ir.dag import Dataflow
from veer.plugins import FRONT_ENDS_GROUP, modules_called
from veer.read.inputs import Input, ReadOptions, parse_spec, place_of
from veer.read.zoned_expressions import questions_of_zone
from veer.settings import current
from veer.verification.versions.version import Version

Reader: TypeAlias = Callable[[Input, ReadOptions], Version | Dataflow]
PairReader: TypeAlias = Callable[[Input, Input, ReadOptions], tuple[Version, Version]]


@final
@dataclass(frozen=True)
class FrontEnd:
    """A kind of input: how it is recognised, and how it is read."""

    name: str
    expects: str  # what a user gives, for messages: "a .sql file"
    reader: str | Reader  # or `module:function`, imported when needed
    prefix: str = ""  # of SPECs that name no file, with its colon
    suffixes: tuple[str, ...] = ()  # of files, in lower case
    recognises: Callable[[Input], bool] | None = None  # by content, of what exists
    takes_arguments: bool = False  # `--arg`
    stable_ids: bool = True  # of a Dataflow it gives: operators keep their ids between versions
    starts_process: bool = False  # worth reading both versions of a pair side by side
    pair_reader: str | PairReader = ""  # of two versions of this kind, as `reader` of one
    has_models: bool = True  # models of opaque functions may lie beside the file
    counterpart: str = ""  # `module:function`: a version as it is compared with one of this kind
    description: str = ""  # `module:function` that prints what else is known of a version

    def read(self, source: Input, options: ReadOptions) -> Version:
        """The version an input holds."""
        result: object = self._reader()(source, options)
        if isinstance(result, Dataflow):
            for question in questions_of_zone(result, current().zone):
                raise UnsupportedError(
                    f"front end {self.name!r} reads in another time zone than {current().zone}: {question}"
                )
            place = place_of(source.path)
            return Version(source.name, result, stable_ids=self.stable_ids, place=place)
        if not isinstance(result, Version):
            kind = type(result).__name__
            raise UsageError(f"front end {self.name!r} gives a {kind}, not a Dataflow or Version")
        return result

    def read_pair(self, p: Input, q: Input, options: ReadOptions) -> tuple[Version, Version]:
        """The versions two inputs hold, by the reader of pairs."""
        reader: PairReader = _imported(self.pair_reader)
        return reader(p, q, options)

    def as_counterpart(self, version: Version, options: ReadOptions) -> Version:
        """A version as it is compared with one of this kind."""
        if not self.counterpart:
            return version
        compared: Version = _imported(self.counterpart)(version, options)
        return compared

    def describe(self, source: Input, options: ReadOptions) -> None:
        """Print what else is known of a version."""
        if self.description:
            _imported(self.description)(source, options)

    def _reader(self) -> Reader:
        reader: Reader = _imported(self.reader)
        return reader


def _imported(reader: Any) -> Any:
    """A reader given by itself, or by the name of its module and its own."""
    if not isinstance(reader, str):
        return reader
    module, _, function = reader.partition(":")
    return getattr(import_module(module), function)


CORE = (
    FrontEnd(
        "job",
        "a PySpark function (FILE.py:FUNCTION)",
        "veer.read.pyspark.front_end:read",
        suffixes=(".py",),
        takes_arguments=True,
        pair_reader="veer.read.pyspark.front_end:read_pair",
    ),
    FrontEnd("sql", "a .sql file", "veer.read.sql.front_end:read", suffixes=(".sql",)),
    FrontEnd(
        "workflow",
        "a workflow file (.json, .yaml, .yml)",
        "veer.read.workflow.front_end:read",
        suffixes=(".json", ".yaml", ".yml"),
    ),
)


@cache
def built_in() -> tuple[FrontEnd, ...]:
    """The front ends of this distribution: those of the core, and of its plug-ins."""
    of_plugins = (each for m in modules_called("front_ends") for each in m.FRONT_ENDS)
    return (*CORE, *of_plugins)


def parse(text: str, revision: str = "") -> Input:
    """A SPEC parsed, `revision` given beside it; with a prefix, it has no parts of its own."""
    if _by_prefix(text) is not None:
        return Input(text, text, revision)
    return parse_spec(text, revision)


def front_end_of(source: Input) -> FrontEnd:
    """The one front end that recognises an input."""
    prefixed = _by_prefix(source.path)
    if prefixed is not None:
        return prefixed
    external, problems = _external()
    everyone = (*built_in(), *external)
    by_content = [f for f in everyone if f.recognises is not None]
    ranks = (
        [f for f in by_content if _recognises(f, source)] if by_content and source.exists else [],
        [f for f in everyone if source.suffix in f.suffixes],
    )
    for claims in ranks:
        if len(claims) > 1:
            names = " and ".join(f.name for f in claims)
            raise UsageError(f"{source.name}: recognised by more than one front end: {names}")
        if claims:
            return claims[0]
    expected = ", ".join(f.expects for f in everyone)
    raise UsageError("; ".join([f"{source.name}: expected one of {expected}", *problems]))


def _by_prefix(text: str) -> FrontEnd | None:
    """The front end of SPECs that begin like this; most name a file."""
    if ":" not in text:
        return None
    everyone = (*built_in(), *_external()[0])
    return next((f for f in everyone if f.prefix and text.startswith(f.prefix)), None)


def _recognises(front_end: FrontEnd, source: Input) -> bool:
    assert front_end.recognises is not None
    try:
        return bool(front_end.recognises(source))
    except InputError:
        return False  # it cannot even be looked at, as when a folder is read like a file
    except Exception as error:
        raise InputError(
            f"{source.name}: front end {front_end.name!r} fails to look at it: {error}"
        ) from error


@cache
def _external() -> tuple[tuple[FrontEnd, ...], tuple[str, ...]]:
    """The front ends of installed packages, and why some of them cannot be loaded.

    One that cannot be loaded is as if it were not installed, so that it stops nobody who does not
    need it; where nothing recognises an input, the reason is given.
    """
    loaded, problems = [], []
    for point in sorted(entry_points(group=FRONT_ENDS_GROUP), key=lambda p: p.name):
        try:
            front_end = point.load()
        except Exception as error:
            problems.append(f"front end {point.name!r} cannot be loaded: {error}")
            continue
        if isinstance(front_end, FrontEnd):
            loaded.append(_guarded(front_end))
        else:
            kind = type(front_end).__name__
            problems.append(f"front end {point.name!r} is a {kind}, not a FrontEnd")
    return tuple(loaded), tuple(problems)


def _guarded(front_end: FrontEnd) -> FrontEnd:
    """A front end whose failures are problems of its input, not defects of Veer."""

    def read(source: Input, options: ReadOptions) -> Version | Dataflow:
        try:
            return front_end.read(source, options)
        except VeerError:
            raise
        except Exception as error:
            raise InputError(f"front end {front_end.name!r} cannot read it: {error}") from error

    fields: dict[str, Any] = {**vars(front_end), "reader": read}
    return FrontEnd(**fields)
