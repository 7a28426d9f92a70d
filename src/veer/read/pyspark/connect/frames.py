"""DataFrames while a plan is read: their rows, and the columns that plans above may still use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import final

from veer.errors import UnsupportedError
from veer.ir import expr as ex
from veer.ir.walk import columns_read, replace_down
from veer.read.sql.scope import Plan

Tags = Mapping[int, tuple[Plan, ...]]


@final
@dataclass(frozen=True)
class Frame:
    """The rows of a plan.

    `tags` are the plans below and this one, by the client's numbers, with their columns as they
    are known here. Columns that were left out can be asked for by a filter or an order: `below` is
    where they are, and `again` builds the same rows over wider ones that carry them.
    """

    plan: Plan
    tags: Tags = field(default_factory=dict)
    below: Frame | None = None
    again: Callable[[Frame, Sequence[int]], Plan] | None = None
    needs: tuple[int, ...] = ()  # columns of the frames below that these rows are computed with

    def tagged(self, plan_id: int | None) -> Frame:
        """The frame known by a number of the client's, too."""
        if plan_id is None:
            return self
        return replace(self, tags=merged_tags([self.tags, {plan_id: (self.plan,)}]))

    def place(self, number: int) -> int | None:
        """Where the column of a number is; None if it is not here."""
        return place_of(self.plan, number)

    def reaches(self, number: int) -> bool:
        """Whether the column of a number is here or can be carried here."""
        if self.place(number) is not None:
            return True
        return self.again is not None and self.below is not None and self.below.reaches(number)

    def carrying(self, numbers: Sequence[int]) -> Frame:
        """The same rows with these columns of the frames below, out of sight."""
        if all(self.place(n) is not None for n in numbers):
            return self
        if self.again is None or self.below is None:
            raise UnsupportedError("the job uses a column that was dropped")
        below = self.below.carrying([*self.needs, *numbers])
        return replace(self, plan=self._numbered(self.again(below, numbers)), below=below)

    def _numbered(self, wider: Plan) -> Plan:
        """The same rows built again, their columns known by the numbers they have here."""
        known = self.plan.columns
        columns = [
            replace(new, number=known[i].number)
            if i < len(known) and not known[i].hidden and not new.hidden
            else new
            for i, new in enumerate(wider.columns)
        ]
        return replace(wider, columns=tuple(columns))


def merged_tags(several: Sequence[Tags]) -> Tags:
    """The tags of several frames together."""
    merged: dict[int, tuple[Plan, ...]] = {}
    for tags in several:
        for plan_id, plans in tags.items():
            merged[plan_id] = merged.get(plan_id, ()) + plans
    return merged


def place_of(plan: Plan, number: int) -> int | None:
    """Where the column of a number is in a plan; None if it is not there."""
    places = [i for i, c in enumerate(plan.columns) if c.number == number]
    if len(places) > 1:
        raise UnsupportedError(f"there are two columns {plan.columns[places[0]].name!r}")
    return places[0] if places else None


def number_of(plan: Plan, expr: ex.Expr) -> int:
    """The number of the one column that an expression of a plan reads."""
    (column,) = set(columns_read(expr))
    return plan.columns[plan.schema.place(column.name, column.occurrence)].number


def over(expr: ex.Expr, column: ex.Column) -> ex.Expr:
    """A column, or a field of it, with another column in its place."""
    return replace_down(expr, lambda e: column if isinstance(e, ex.Column) else None)
