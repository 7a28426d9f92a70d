"""Predicates implied by others that are true of a row.

    a = b, b > 3   =>   a > 3, a IS NOT NULL, b IS NOT NULL

Only conditions that follow on every row are given, so adding them to a filter changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from veer.expressions.laws import normal_node
from veer.facts.facts import rows_kept
from veer.facts.fingerprint import part_identity
from veer.facts.keys import Signals
from veer.functions.registry import Nulls, scalar_function
from veer.ir import expr as ex, types as ty
from veer.ir.conditions import conjunction, conjuncts, disjunction
from veer.ir.digests import text_of
from veer.ir.schema import Schema
from veer.ir.walk import columns_read, parts, query_of, substitute_columns

MOST_DERIVED = 200
NULL_WITH_ARGUMENTS = (Nulls.STRICT, Nulls.PROPAGATE)

Columns = frozenset[ex.Column]
NONE: Columns = frozenset()


def has_query(expr: ex.Expr) -> bool:
    """Whether an expression has a subquery."""
    return any(query_of(n) is not None for n in parts(expr))


def rejects_nulls_of(condition: ex.Expr) -> Columns:
    """The columns that are not null wherever a condition is true."""
    match condition:
        case ex.And(args):
            return NONE.union(*map(rejects_nulls_of, args))
        case ex.Or(args):
            return _common(map(rejects_nulls_of, args))
        case ex.Not(arg):
            return _not_null_where_false(arg)
        case ex.InQuery(args):
            return NONE.union(*map(_null_with, args))
        case _:
            return _null_with(condition)


def _not_null_where_false(condition: ex.Expr) -> Columns:
    match condition:
        case ex.Or(args):
            return NONE.union(*map(_not_null_where_false, args))
        case ex.And(args):
            return _common(map(_not_null_where_false, args))
        case ex.Not(arg):
            return rejects_nulls_of(arg)
        case ex.IsNull(arg):
            return _null_with(arg)
        case _:
            return _null_with(condition)


def _null_with(expr: ex.Expr) -> Columns:
    """The columns with which an expression is null."""
    match expr:
        case ex.Column():
            return frozenset([expr])
        case ex.Cast(arg) | ex.GetField(arg) | ex.Not(arg) | ex.InList(arg):
            return _null_with(arg)
        case ex.Compare(op, left, right) if op != "<=>":
            return _null_with(left) | _null_with(right)
        case ex.Call(function, args) if scalar_function(function).nulls in NULL_WITH_ARGUMENTS:
            return NONE.union(*map(_null_with, args))
        case ex.And(args) | ex.Or(args):
            return _common(map(_null_with, args))
        case _:
            return NONE


def _common(sets: Iterable[Columns]) -> Columns:
    first, *others = sets
    return first.intersection(*others)


def consequences(conditions: Sequence[ex.Expr]) -> list[ex.Expr]:
    """The conditions and what follows from them, each once."""
    every = {text_of(c): c for c in conditions}
    classes = equal_columns(conditions)
    for condition in list(every.values()):
        for derived in _ofequal_columns(condition, classes):
            if len(every) < MOST_DERIVED:
                every.setdefault(text_of(derived), derived)
    for condition in list(every.values()):
        for column in sorted(rejects_nulls_of(condition), key=text_of):
            present = ex.Not(ex.IsNull(column))
            every.setdefault(text_of(present), present)
    return list(every.values())


def equal_columns(conditions: Sequence[ex.Expr]) -> dict[ex.Column, list[ex.Column]]:
    """For each column those that have its value wherever the conditions are true."""
    classes: dict[ex.Column, list[ex.Column]] = {}
    for condition in conditions:
        match condition:
            case ex.Compare("=", ex.Column() as a, ex.Column() as b) if a != b and _is_exact(a, b):
                merged = list(dict.fromkeys([*classes.get(a, [a]), *classes.get(b, [b])]))
                classes.update((column, merged) for column in merged)
    return classes


def _is_exact(a: ex.Column, b: ex.Column) -> bool:
    """Whether equal values of two columns are the same value: 0.0 equals -0.0."""
    return a.type == b.type and not ty.has_floats(a.type)


def _ofequal_columns(
    condition: ex.Expr, classes: dict[ex.Column, list[ex.Column]]
) -> Iterable[ex.Expr]:
    """The condition about columns that equal its only one; equalities are followed through."""
    if has_query(condition):
        return
    match condition:
        case ex.Compare("=", ex.Column() as a, ex.Column() as b) if a in classes and b in classes:
            members = classes[a]
            for place, one in enumerate(members):
                for other in members[place + 1 :]:
                    yield ex.Compare("=", *sorted((one, other), key=text_of))
            return
    read = set(columns_read(condition))
    if len(read) == 1 and (only := read.pop()) in classes:
        for other in classes[only]:
            yield substitute_columns(condition, lambda _, other=other: other)  # type: ignore[misc]


def smallest(conditions: Sequence[ex.Expr], schema: Schema) -> list[ex.Expr]:
    """The conditions without those that follow from the others, in an order of their own.

    The order goes by where columns stand, not by their names.
    """
    parts_ = (p for c in conditions for p in _simpler(c))
    turned = (_turned(c, schema) for c in parts_ if c != ex.Literal(True, c.type))
    every = {_place_text(c, schema): c for c in turned}
    kept = []
    for text, condition in sorted(every.items()):
        match condition:
            case ex.Not(ex.IsNull(ex.Column() as column)):
                others = (c for t, c in every.items() if t != text)
                if any(column in rejects_nulls_of(c) for c in others):
                    continue
        kept.append(condition)
    return kept


def _turned(condition: ex.Expr, schema: Schema) -> ex.Expr:
    """An equality of columns with these in order."""
    match condition:
        case ex.Compare("=" | "<=>" as op, ex.Column() as left, ex.Column() as right):
            first, second = (schema.place(c.name, c.occurrence) for c in (left, right))
            return condition if first <= second else ex.Compare(op, right, left)
        case _:
            return condition


def is_never(condition: ex.Expr) -> bool:
    """Whether a condition is a constant that is not true."""
    return isinstance(condition, ex.Literal) and condition.value is not True


def one_sided(condition: ex.Expr, is_side: Callable[[ex.Expr], bool]) -> ex.Expr | None:
    """What an OR requires of one side: of each alternative what it requires there.

    (a = 1 AND x = 1) OR (a = 2 AND y = 2)   =>   a = 1 OR a = 2, for the side of a
    """
    if not isinstance(condition, ex.Or):
        return None
    alternatives = [[c for c in conjuncts(arg) if is_side(c)] for arg in condition.args]
    if not all(alternatives):
        return None
    return normal_node(disjunction([conjunction(each) for each in alternatives]))


def _simpler(condition: ex.Expr) -> Iterator[ex.Expr]:
    """A condition as several; only where they are true matters.

    That what is null exactly with its arguments is not null says that they are not.
    """
    match condition:
        case ex.Not(ex.IsNull(ex.Call(function, args))) if (
            scalar_function(function).nulls is Nulls.STRICT
        ):
            for arg in args:
                yield from _simpler(ex.Not(ex.IsNull(arg)))
        case ex.Not(ex.IsNull(ex.Cast(arg, _, ty.CastMode.ANSI))):
            yield from _simpler(ex.Not(ex.IsNull(arg)))
        case ex.Not(ex.IsNull(ex.Literal(value))) if value is not None:
            return
        case ex.And(args):
            for arg in args:
                yield from _simpler(arg)
        case ex.Case(((when, then),), ex.Literal(None | False)):
            yield from _simpler(when)
            yield from _simpler(then)
        case _:
            yield condition


def _place_text(condition: ex.Expr, schema: Schema) -> str:
    """What a condition says, columns by where they stand; those of rows around by name."""
    try:
        return part_identity(condition, schema)
    except IndexError:  # it reads rows around a query
        return text_of(condition)


def refined_schema(signals: Signals, id_: str, known: dict[str, Schema]) -> Schema:
    """The columns of a signal, with what can be null; `known` holds the results so far, and grows."""
    waiting = [id_]
    while waiting:
        here = waiting[-1]
        inputs = signals.inputs[here]
        missing = [i for i in inputs if i not in known]
        if here not in known and not missing:
            operator = signals.operators[here]
            schema = operator.output([known[i] for i in inputs])
            for condition in rows_kept(operator)[1]:
                schema = _where(schema, condition)
            known[here] = schema
        if here in known:
            waiting.pop()
        else:
            waiting += missing
    return known[id_]


def _where(schema: Schema, condition: ex.Expr) -> Schema:
    """Columns of the rows on which a condition is true."""
    columns = rejects_nulls_of(condition)
    present = {schema.place(c.name, c.occurrence) for c in columns}
    fields = enumerate(schema.fields)
    return Schema(tuple(replace(f, nullable=False) if i in present else f for i, f in fields))
