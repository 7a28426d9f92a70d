"""What the result of every signal depends on: its computation, its sources, where it ran.

Two results with the same key are the same; for others of the same sources and environment a proof
is needed.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, assert_never, final
from uuid import uuid4
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from veer.errors import NoFingerprintError
from veer.execution.sources import source_name
from veer.execution.sql import is_python_call
from veer.facts.call_kinds import adds_in_double
from veer.facts.determinism import chooses_by_batches, operator_kind
from veer.facts.fingerprint import fingerprints
from veer.facts.run_times import may_be_of_today
from veer.functions.registry import Kind
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow, Link
from veer.ir.digests import json_digest
from veer.ir.schema import Schema
from veer.ir.sources import distinct_sources, map_sources, undeclared
from veer.ir.walk import operator_exprs, parts, subqueries
from veer.read.function_bodies import VERSION, Bodies

PYTHON_SAYS = "python"  # what only matters to Python functions
RESULT = "result"  # the sink of a signal looked at alone


@final
@dataclass(frozen=True, slots=True)
class Unrepeatable:
    """Why the rows of a signal may be others in another run, so that no stored ones stand for them."""

    text: str


@final
class Signals:
    """The signals of one version in one environment; `fingerprint` looks at a source now.

    What is `declared` of sources is relied on only as far as `dataflow` says it too.
    """

    def __init__(
        self,
        dataflow: Dataflow,
        declared: Dataflow,
        fingerprint: Callable[[ops.Source], str],
        bodies: Bodies,
        environment: Mapping[str, Any],
        *,
        trust: bool = False,
    ) -> None:
        self.dataflow, self.declared = dataflow, declared
        self._trust = trust  # that functions of batches give the same however rows are batched
        self._fingerprint = fingerprint
        self._bodies = bodies
        self._environment = environment
        self._contents: dict[ops.Source, str] = {}
        self._digests: dict[str, str | None] = {}

    def unrepeatable(self, id_: str) -> Unrepeatable | None:
        """Why the rows of a signal may be others in another run; None if they are the same."""
        return self._unrepeatable[id_]

    @cached_property
    def _unrepeatable(self) -> dict[str, Unrepeatable | None]:
        """For each signal the first reason among its own operator's and those below it."""
        reasons: dict[str, Unrepeatable | None] = {}
        for id_ in self.dataflow.order:
            below = (reasons[i] for i in self.dataflow.inputs[id_])
            inherited = next((reason for reason in below if reason is not None), None)
            reasons[id_] = inherited or self._own_reason(id_)
        return reasons

    def _own_reason(self, id_: str) -> Unrepeatable | None:
        operator = self.dataflow.operators[id_]
        # Sums of doubles depend on the order in which Spark happens to bring the rows together.
        if any(adds_in_double(c) for inner in with_subqueries(operator) for c in _calls(inner)):
            return Unrepeatable(f"operator {id_!r} adds floating-point numbers in any order")
        kind = operator_kind(self.dataflow, id_)
        if self._trust and kind is Kind.CHOICE and chooses_by_batches(self.dataflow, id_):
            kind = Kind.PURE
        match kind:
            case Kind.CHOICE:
                return Unrepeatable(f"operator {id_!r} can give other results in the next run")
            case Kind.PARTITION:
                return Unrepeatable(f"operator {id_!r} depends on how rows are distributed")
            case Kind.RUN_CONSTANT:
                return Unrepeatable(f"operator {id_!r} depends on the time of the run")
            case Kind.PURE:
                pass
        try:
            for inner in with_subqueries(operator):
                if isinstance(inner, ops.Source):
                    self.content(inner)
                elif isinstance(inner, ops.AnyUdf):
                    if self._body(inner) is None:
                        return Unrepeatable(
                            f"it is not known what the values of {inner.identity!r} depend on"
                        )
        except NoFingerprintError as error:
            return Unrepeatable(str(error))
        return None

    def look(self) -> None:
        """Look at everything results depend on, now.

        What is looked at only after the rows were read may have changed in between.
        """
        _ = self._needs, self.read

    def content(self, source: ops.Source) -> str:
        """The fingerprint of what a source holds, looked at once."""
        if source not in self._contents:
            self._contents[source] = self._fingerprint(source)
        return self._contents[source]

    def _body(self, operator: ops.AnyUdf) -> str | None:
        """The digest of a function's body, looked at once."""
        if operator.identity not in self._digests:
            self._digests[operator.identity] = self._bodies.of(operator).digest
        return self._digests[operator.identity]

    @cached_property
    def read(self) -> dict[str, str]:
        """The fingerprints of all sources that have one."""
        prints = {}
        for source in distinct_sources(self.dataflow):
            with suppress(NoFingerprintError):
                prints[source_name(source)] = self.content(source)
        return prints

    def reads(self, id_: str) -> frozenset[ops.Source]:
        """The sources a signal reads."""
        return self._reads[id_]

    def sources(self, id_: str) -> dict[str, str]:
        """The fingerprints of what a signal reads."""
        return {source_name(source): self.content(source) for source in self._reads[id_]}

    @cached_property
    def _reads(self) -> dict[str, frozenset[ops.Source]]:
        """The sources below each signal, those of subqueries too."""
        reads: dict[str, frozenset[ops.Source]] = {}
        for id_ in self.dataflow.order:
            inner = with_subqueries(self.dataflow.operators[id_])
            own = frozenset(op for op in inner if isinstance(op, ops.Source))
            reads[id_] = own.union(*(reads[i] for i in self.dataflow.inputs[id_]))
        return reads

    def environment(self, id_: str) -> str:
        """Where a signal is computed, as far as its rows depend on it."""
        everywhere = {k: v for k, v in self._environment.items() if k != PYTHON_SAYS}
        return json_digest([everywhere, sorted(self._needs[id_])])

    @cached_property
    def _needs(self) -> dict[str, frozenset[str]]:
        """What of Python each signal without a reason against it depends on."""
        needs: dict[str, frozenset[str]] = {}
        for id_ in self.dataflow.order:
            own: set[str] = set()
            for operator in with_subqueries(self.dataflow.operators[id_]):
                own |= self._own_needs(operator) if self.unrepeatable(id_) is None else set()
            needs[id_] = frozenset(own).union(*(needs[i] for i in self.dataflow.inputs[id_]))
        return needs

    def _own_needs(self, operator: ops.AnyOperator) -> set[str]:
        """What of Python, and of the day, the rows of one operator depend on."""
        needs: set[str] = set()
        if isinstance(operator, ops.AnyUdf):
            needs |= {f"{operator.identity} {self._body(operator)}", *self._of_python}
        for part in (p for e in operator_exprs(operator) for p in parts(e)):
            if is_python_call(part):
                needs |= {f"expressions {VERSION}", *self._of_python}
            elif isinstance(part, ex.OpaqueCall) and part.identity.startswith("python "):
                needs |= {f"Python {platform.python_version()}", *self._of_python}
            elif may_be_of_today(part):
                needs.add(f"on {self._today}")
        return needs

    @property
    def _today(self) -> str:
        """The day it is now, in the zone of the session and anywhere else."""
        try:
            here = datetime.now(ZoneInfo(str(self._environment.get("zone", "UTC"))))
        except (ZoneInfoNotFoundError, ValueError):
            return uuid4().hex  # no other result is of that day
        return f"{here:%Y-%m-%d}"

    @cached_property
    def _of_python(self) -> tuple[str, ...]:
        """What Python functions depend on beside their bodies."""
        return _zone(), f"variables {json_digest(self._environment.get(PYTHON_SAYS, {}))}"

    def exact(self, id_: str) -> str:
        """A key that only the same computation on the same sources has."""
        operator = self.dataflow.operators[id_]
        computed: Any = fingerprints(self.dataflow)[id_]
        if isinstance(operator, ops.Sink):
            # By what it shows, not by its name or target: they do not change its rows.
            (below,) = self.dataflow.inputs[id_]
            rows = self.dataflow.schemas[below]
            names = list(self.dataflow.schemas[id_].names)
            computed = [fingerprints(self.dataflow)[below], operator.places(rows), names]
        types = [str(t) for t in self.dataflow.schemas[id_].types]
        return json_digest(
            [computed, types, sorted(self.sources(id_).items()), self.environment(id_)]
        )

    def cone(self, id_: str) -> Dataflow:
        """A signal as a dataflow of its own, with everything declared of its sources."""
        return cone(self.declared, id_)


def _calls(operator: ops.AnyOperator) -> list[ex.AggregateCall | ex.OverCall]:
    """The calls that see many rows at once; those of subqueries are seen by `with_subqueries`."""
    match operator:
        case ops.Aggregate(_, calls) | ops.GlobalAggregate(calls):
            return [named.call for named in calls]
        case ops.Over(calls):
            return [named.call for named in calls]
        case (
            ops.Source()
            | ops.Values()
            | ops.Filter()
            | ops.Project()
            | ops.Join()
            | ops.Union()
            | ops.Sort()
            | ops.Limit()
        ):
            return []
        case (
            ops.IntersectAll()
            | ops.ExceptAll()
            | ops.Deduplicate()
            | ops.Unnest()
            | ops.Lateral()
            | ops.Sample()
        ):
            return []
        case ops.RowUdf() | ops.TableUdf() | ops.Sink():
            return []
        case _:
            assert_never(operator)


def _zone() -> str:
    """The time zone of this process, in which Python functions see times."""
    return f"zone {os.environ.get('TZ', '')} {' '.join(time.tzname)}"


def cone(dataflow: Dataflow, id_: str) -> Dataflow:
    """What a signal is computed by, under a sink of its own."""
    part = dataflow.ancestors(id_)
    operators = {i: dataflow.operators[i] for i in part}
    links = [link for link in dataflow.links if link.src in part and link.dst in part]
    operator = operators[id_]
    if isinstance(operator, ops.Sink):
        operators[id_] = ops.Sink(RESULT, columns=operator.columns)
        return Dataflow(operators, links)
    top = next(name for name in ("sink", *(f"sink{n}" for n in range(99))) if name not in part)
    operators[top] = ops.Sink(RESULT)
    return Dataflow(operators, [*links, Link(id_, top)])


def without_declarations(
    dataflow: Dataflow, keep: Callable[[ops.Source], bool] = lambda _: False
) -> Dataflow:
    """The dataflow without what is declared of its sources, but of those to keep."""
    return map_sources(dataflow, lambda source: source if keep(source) else undeclared(source))


def with_subqueries(operator: ops.AnyOperator) -> list[ops.AnyOperator]:
    """The operator and all operators of the subqueries inside it."""
    operators = [operator]
    for query in subqueries(operator):
        for inner in query.operators.values():
            operators += with_subqueries(inner)
    return operators


def cannot_store(schema: Schema) -> str | None:
    """Why Parquet does not hold rows of a schema; None if it does."""
    if not len(schema):
        return "it has no columns"
    for field in schema:
        if any(map(_is_unknown_to_parquet, _types(field.type))):
            return f"column {field.name!r} is {field.type}"
    return None


def _is_unknown_to_parquet(type_: ty.DataType) -> bool:
    """Whether files do not hold a type, or Spark does not find its parts again."""
    if isinstance(type_, ty.StructType):
        names = [name.lower() for name, _ in type_.fields]
        return not names or len(set(names)) < len(names)
    return isinstance(type_, ty.NullType | ty.CalendarIntervalType | ty.OpaqueType)


def _types(type_: ty.DataType) -> list[ty.DataType]:
    match type_:
        case ty.ArrayType(element):
            return [type_, *_types(element)]
        case ty.MapType(key, value):
            return [type_, *_types(key), *_types(value)]
        case ty.StructType(inside):
            return [type_, *(t for _, inner in inside for t in _types(inner))]
        case _:
            return [type_]


__all__ = [
    "RESULT",
    "Signals",
    "Unrepeatable",
    "cannot_store",
    "cone",
    "with_subqueries",
    "without_declarations",
]
