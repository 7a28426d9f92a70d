"""Python functions as parts of a plan: what they compute, or a function known by its identity."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from veer.errors import UnsupportedError
from veer.facts.determinism import worst
from veer.functions.registry import Kind
from veer.functions.zone_rules import UTC_ZONE
from veer.ir import expr as ex, types as ty
from veer.ir.ops import TableUdf
from veer.ir.schema import Field
from veer.read.inputs import declarations
from veer.read.python.codes import unlike
from veer.read.python.identity import Identity, identify
from veer.read.python.purity import Arguments, argument
from veer.read.python.purity.traits import TABLES
from veer.read.python.reading import NotRead, read_function
from veer.read.zoned_expressions import holds_timestamps
from veer.settings import current

ROW_WISE = (100, 101)  # evalTypes of functions of one row: pickled, by Arrow
BATCHED = (200, 204, 250, 251)  # of functions of batches of rows: pandas and Arrow, by iterators


def python_call(
    function: Any | None,
    name: str,
    args: Sequence[tuple[str, ex.Expr]],
    type_: ty.DataType,
    eval_type: int,
    deterministic: bool,
) -> ex.Expr:
    """The call of a Python function; arguments have names where they were given by name.

    `function` is None where it cannot be had: it equals nothing then.
    """
    if eval_type not in (*ROW_WISE, *BATCHED):
        raise UnsupportedError(f"a Python function of evalType {eval_type}")
    is_row_wise = eval_type in ROW_WISE
    arguments = [(n, argument(a.type)) for n, a in args]
    identity = _identity(function, arguments if is_row_wise else TABLES)
    kind = identity.kind if deterministic else worst(identity.kind, Kind.CHOICE)
    declared = not is_row_wise and declarations().is_row_wise(function, name)
    batched = kind is Kind.PURE and not is_row_wise and not declared
    if not is_row_wise and not declared:
        kind = worst(kind, Kind.CHOICE)  # it sees how rows are spread over batches
    zone = _zone([type_, *(a.type for _, a in args)])
    readable = is_row_wise and identity.certain and not identity.trusted and not zone
    if kind is Kind.PURE and readable and function is not None:
        try:
            return read_function(function, list(args), type_, eval_type)
        except NotRead:
            pass
    keywords = " ".join(n for n, _ in args if n)
    shown = f"python {name} {identity.digest} {eval_type} {keywords}".rstrip() + zone
    row_wise = name if declared and kind is Kind.PURE else ""
    given = tuple(a for _, a in args)
    return ex.OpaqueCall(
        shown, given, type_, kind, batched, row_wise=row_wise, trusted=identity.trusted
    )


def python_table(
    function: Any | None,
    name: str,
    eval_type: int,
    deterministic: bool,
    scope: str,
    keys: tuple[ex.Column, ...],
    fields: tuple[Field, ...],
    more: Sequence[Any] = (),
) -> TableUdf:
    """A Python function of batches, groups or whole tables, known by its code.

    `scope` says of what: "batch" (`mapInPandas`), "group" (`applyInPandas`), "table" (`cogroup`);
    `more` is what else tells it from others. It sees in which order and how rows are batched.
    """
    identity = _identity(function, TABLES)
    # What keeps state between groups is never the same choice twice.
    digest = unlike() if identity.kind is Kind.PARTITION else identity.digest
    zone = _zone([ty.TIMESTAMP])  # which columns it is given is not told here
    text = f"python {name} {json.dumps([digest, eval_type, *more], default=str)}{zone}"
    batched = deterministic and identity.kind is Kind.PURE
    return TableUdf(
        text, fields, scope, keys, deterministic=False, batched=batched, trusted=identity.trusted
    )


def _zone(types: Sequence[ty.DataType]) -> str:
    """The session's time zone in words, if a function sees timestamps as they are there."""
    zone = current().zone
    return f" in {zone}" if zone != UTC_ZONE and any(map(holds_timestamps, types)) else ""


def _identity(function: Any | None, arguments: Arguments) -> Identity:
    if function is None:
        return Identity(unlike(), Kind.CHOICE, False)
    return identify(function, arguments)
