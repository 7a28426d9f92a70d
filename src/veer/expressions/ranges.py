"""Conditions and CASEs about one value compared with constants: by the ranges of that value.

    CASE WHEN n < 10 THEN 'low' WHEN n >= 10 AND n < 20 THEN 'mid' WHEN n >= 20 THEN 'high' END
        =>   CASE WHEN n <= 9 THEN 'low' WHEN n <= 19 THEN 'mid' WHEN n IS NOT NULL THEN 'high' END
    CASE WHEN k = 'b' THEN 2 WHEN k IN ('a', 'c') THEN 1 ELSE 0 END
        =>   CASE WHEN k IN ('a', 'c') THEN 1 WHEN k = 'b' THEN 2 ELSE 0 END
    CASE WHEN n < 10 THEN FALSE WHEN n < 20 THEN TRUE END, where it is true   =>   n >= 10 AND n <= 19

The constants cut the values into cells: those less than the first, the first itself, those between it
and the second, and so on; and null. A condition is true, false or null on all of a cell. So a CASE takes
one branch there, and whatever gives the same value on each cell is the same function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, final

from veer.expressions.constant_folding import COMPARISONS, FALSE, SETTLED, widened
from veer.expressions.law import Simplify, Stage, law
from veer.functions.ordering import sort_key
from veer.ir import expr as ex
from veer.ir.conditions import conjunction, disjunction
from veer.ir.digests import text_of
from veer.ir.types import IntegralType

MOST_CONSTANTS = 60
NULL = -1  # the cell of null; the others are counted from 0


class _OtherValuesError(Exception):
    """A condition is not about the one value alone."""


@final
@dataclass(frozen=True)
class _Cells:
    """A value, and the constants it is compared with: cell 2i + 1 is the i-th, 2i lies below it."""

    value: ex.Expr
    constants: tuple[ex.Literal, ...]

    @cached_property
    def places(self) -> dict[Any, int]:
        """The cell of each constant."""
        key = sort_key(self.value.type)
        return {key(c.value): 2 * i + 1 for i, c in enumerate(self.constants)}

    @cached_property
    def filled(self) -> list[int]:
        """The cells that hold values: there is no integer between one and the next."""
        cells = range(2 * len(self.constants) + 1)
        return [c for c in cells if not self._is_between_next(c)]

    def _is_between_next(self, cell: int) -> bool:
        if cell % 2 or cell in (0, 2 * len(self.constants)) or not self.is_whole:
            return False
        below, above = self.constants[cell // 2 - 1], self.constants[cell // 2]
        return bool(above.value - below.value == 1)

    @property
    def is_whole(self) -> bool:
        """Whether the value is an integer."""
        return isinstance(self.value.type, IntegralType)

    def truth(self, condition: ex.Expr, cell: int) -> bool | None:
        """What a condition is on a cell."""
        match condition:
            case ex.Literal(None | bool() as value):
                return value
            case ex.And(args):
                return _all(self.truth(a, cell) for a in args)
            case ex.Or(args):
                return _not(_all(_not(self.truth(a, cell)) for a in args))
            case ex.Not(arg):
                return _not(self.truth(arg, cell))
            case ex.IsNull(arg) if arg == self.value:
                return cell == NULL
            case ex.InList(arg, options) if arg == self.value:
                parts = [self.truth(ex.Compare("=", arg, o), cell) for o in options]
                return _not(_all(map(_not, parts)))
            case ex.Compare(op, arg, ex.Literal() as constant) if arg == self.value:
                return self._compared(op, cell, constant)
            case _:
                raise _OtherValuesError

    def _compared(self, op: str, cell: int, constant: ex.Literal) -> bool | None:
        if constant.value is None or cell == NULL:
            return None if op != "<=>" else constant.value is None and cell == NULL
        place = self.places[sort_key(self.value.type)(constant.value)]
        return COMPARISONS[op](cell, place)

    # -- conditions that say in which cells a value is -----------------------------------------------

    def up_to(self, cell: int) -> ex.Expr:
        """That the value is in a cell or below it."""
        if cell % 2:
            return ex.Compare("<=", self.value, self.constants[cell // 2])
        return self._beside("<", self.constants[cell // 2], -1)

    def from_on(self, cell: int) -> ex.Expr:
        """That the value is in a cell or above it."""
        if cell % 2:
            return ex.Compare(">=", self.value, self.constants[cell // 2])
        return self._beside(">", self.constants[cell // 2 - 1], 1)

    def _beside(self, op: str, constant: ex.Literal, step: int) -> ex.Expr:
        if self.is_whole:
            near = widened(ex.Literal(constant.value + step, constant.type), constant.type)
            if near is not None:
                return ex.Compare(f"{op}=", self.value, near)
        return ex.Compare(op, self.value, constant)


@law("CASE WHEN n < 10 THEN 'low' WHEN n >= 10 AND n < 20 THEN 'mid' END "
     "=> CASE WHEN n <= 9 THEN 'low' WHEN n <= 19 THEN 'mid' END", ex.Case, stage=Stage.NORMAL)  # fmt: skip
def branches_by_ranges(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """All conditions compare one value with constants of its type, which are ordered alike everywhere."""
    assert isinstance(expr, ex.Case)
    whens = [when for when, _ in expr.branches]
    cells = _cells(whens)
    if cells is None:
        return None
    try:
        taken = {c: _taken(cells, expr, c) for c in (NULL, *cells.filled)}
    except _OtherValuesError:
        return None
    if all(map(_is_equality, whens)):
        return _by_constants(cells, taken)
    others = [c for c in cells.filled if taken[c] != taken[NULL]]
    if others and all(taken[c] == taken[others[0]] for c in others):
        ranges = disjunction(list(_runs(cells, [c in others for c in cells.filled])))
        return ex.Case(((ranges, taken[others[0]]),), taken[NULL])
    return _in_order(cells, taken)


def true_ranges(condition: ex.Case) -> ex.Expr | None:
    """Where a CASE of constants about one value is true, as ranges of it; None of others."""
    cells = _cells([when for when, _ in condition.branches])
    values = [then for _, then in condition.branches] + [condition.otherwise]
    if cells is None or not all(isinstance(v, ex.Literal) for v in values):
        return None
    try:
        true = [_taken(cells, condition, c) == ex.Literal(True, FALSE.type) for c in cells.filled]
        if _taken(cells, condition, NULL) == ex.Literal(True, FALSE.type):
            return None
    except _OtherValuesError:
        return None
    return disjunction(list(_runs(cells, true)) or [FALSE])


def _runs(cells: _Cells, true: Sequence[bool]) -> Iterator[ex.Expr]:
    """Each run of cells in which something is true, as a condition."""
    for is_true, run in groupby(zip(cells.filled, true, strict=True), key=lambda pair: pair[1]):
        if not is_true:
            continue
        members = [cell for cell, _ in run]
        bounds = []
        if members[0] != cells.filled[0]:
            bounds.append(cells.from_on(members[0]))
        if members[-1] != cells.filled[-1]:
            bounds.append(cells.up_to(members[-1]))
        if len(members) == 1 and members[0] % 2:
            bounds = [ex.Compare("=", cells.value, cells.constants[members[0] // 2])]
        yield conjunction(bounds or [ex.Not(ex.IsNull(cells.value))])


def _cells(conditions: Sequence[ex.Expr]) -> _Cells | None:
    """The cells into which the constants of some conditions cut the value they are about."""
    atoms = [a for c in conditions for a in _atoms(c)]
    if not atoms:
        return None
    value = atoms[0][0]
    literals = [c for _, constants in atoms for c in constants if c.value is not None]
    settled = isinstance(value.type, SETTLED) and all(c.type == value.type for c in literals)
    if not settled or not literals or any(v != value for v, _ in atoms):
        return None
    key = sort_key(value.type)
    ordered = {key(c.value): c for c in literals}
    if len(ordered) > MOST_CONSTANTS:
        return None
    return _Cells(value, tuple(ordered[k] for k in sorted(ordered)))


def _atoms(condition: ex.Expr) -> Iterator[tuple[ex.Expr, list[ex.Literal]]]:
    """The values that a condition is about, each with the constants it is compared with."""
    match condition:
        case ex.And(args) | ex.Or(args):
            for arg in args:
                yield from _atoms(arg)
        case ex.Not(arg):
            yield from _atoms(arg)
        case ex.IsNull(arg):
            yield arg, []
        case ex.Compare(_, left, ex.Literal() as constant):
            yield left, [constant]
        case ex.InList(arg, options):
            yield arg, [o for o in options if isinstance(o, ex.Literal)]
        case ex.Literal():
            return
        case _:
            yield condition, []


def _taken(cells: _Cells, case: ex.Case, cell: int) -> ex.Expr:
    """The value of a CASE on a cell."""
    for when, then in case.branches:
        if cells.truth(when, cell):
            return then
    return case.otherwise


def _is_equality(condition: ex.Expr) -> bool:
    match condition:
        case ex.Compare("=", _, ex.Literal()):
            return True
        case ex.InList(_, options):
            return all(isinstance(o, ex.Literal) and o.value is not None for o in options)
        case _:
            return False


def _by_constants(cells: _Cells, taken: dict[int, ex.Expr]) -> ex.Expr:
    """A CASE that asks for constants alone: those of each value together."""
    otherwise = taken[NULL]
    values: list[ex.Expr] = []
    options: list[list[ex.Literal]] = []
    for cell in cells.filled:
        then = taken[cell]
        if cell % 2 and then != otherwise:
            if then not in values:
                values.append(then)
                options.append([])
            options[values.index(then)].append(cells.constants[cell // 2])
    whens = (_is_one_of(cells.value, constants) for constants in options)
    return ex.Case(tuple(zip(whens, values, strict=True)), otherwise) if values else otherwise


def _is_one_of(value: ex.Expr, options: Sequence[ex.Literal]) -> ex.Expr:
    if len(options) == 1:
        return ex.Compare("=", value, options[0])
    return ex.InList(value, tuple(sorted(options, key=text_of)))


def _in_order(cells: _Cells, taken: dict[int, ex.Expr]) -> ex.Expr:
    """A CASE that asks for one range after the other, the lowest first."""
    runs = [(taken[group[0]], group[-1]) for group in _groups(cells.filled, taken)]
    branches = [(cells.up_to(last), then) for then, last in runs[:-1]]
    highest, otherwise = runs[-1][0], taken[NULL]
    if highest != otherwise:
        branches.append((ex.Not(ex.IsNull(cells.value)), highest))
    return ex.Case(tuple(branches), otherwise) if branches else otherwise


def _groups(filled: Sequence[int], taken: dict[int, ex.Expr]) -> Iterator[list[int]]:
    """Adjacent cells on which the CASE gives the same value."""
    group: list[int] = []
    for cell in filled:
        if group and taken[cell] != taken[group[-1]]:
            yield group
            group = []
        group.append(cell)
    yield group


def _all(truths: Iterable[bool | None]) -> bool | None:
    known = list(truths)
    return False if False in known else None if None in known else True


def _not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth
