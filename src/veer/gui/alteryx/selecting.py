"""Select, also as a part of other tools: which columns pass, under which names, as which types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from veer.gui.alteryx.config import Config
from veer.gui.alteryx.numbers import SYSTEM
from veer.gui.alteryx.storing import declare, mark_of, stored
from veer.gui.rows import Rows, Value, require, unknown_call
from veer.ir.digests import json_digest
from veer.ir.types import STRING

UNKNOWN = "*Unknown"


@final
@dataclass(frozen=True)
class Listed:
    """What a Select says of a column."""

    field: str
    selected: bool
    rename: str
    type: str
    size: str


@final
@dataclass(frozen=True)
class Selection:
    """The list of a Select; `others` tells whether columns that are not listed pass, if it says so."""

    listed: tuple[Listed, ...]
    told: bool | None
    in_order: bool  # whether the list also gives the order of columns
    others_at: int  # before which entry of the list the others stand

    @property
    def others(self) -> bool:
        """Whether columns that are not listed pass."""
        require(self.told is not None, "whether columns that are not listed pass is not told")
        return bool(self.told)

    def of(self, name: str) -> Listed | None:
        """What is said of a column."""
        return next((one for one in self.listed if one.field.lower() == name.lower()), None)

    def apply(
        self,
        columns: Sequence[tuple[str, str, Value]],  # how it is listed, its name, its value
    ) -> list[tuple[str, Value]]:
        """The columns that pass."""
        if self.in_order:
            places = {one.field.lower(): float(i) for i, one in enumerate(self.listed)}
            columns = sorted(columns, key=lambda c: places.get(c[0].lower(), self.others_at - 0.5))
        passing = []
        for listed_as, name, value in columns:
            said = self.of(listed_as)
            if said is None:
                if self.others:
                    passing.append((name, value))
            elif said.selected:
                passing.append((said.rename or name, stored_as(value, said)))
        names = [name.lower() for name, _ in passing]
        require(len(set(names)) == len(names), "two columns of one name")
        return passing

    def declared(self, rows: Rows, columns: Sequence[tuple[str, str, Value]]) -> Rows:
        """The result, whose columns are declared as the list says."""
        for listed_as, name, _ in columns:
            said = self.of(listed_as)
            if said is None or not said.selected:
                continue
            name = said.rename or name
            if said.type:
                declare(rows, {name: (said.type, said.size)})
            elif said.size:
                mark = json_digest([mark_of(rows, name), said.size])
                rows.flow.declared.tell(rows.id, {name: mark})
        return rows


def selection(config: Config) -> Selection:
    """The list in a configuration."""
    listed: list[Listed] = []
    told: bool | None = None
    at = 0
    for field in config.all("SelectFields", "SelectField"):
        selected = field.get("selected", "True") == "True"
        if field.get("field") == UNKNOWN:
            told, at = selected, len(listed)
            continue
        listed.append(
            Listed(
                field.get("field"),
                selected,
                field.get("rename"),
                field.get("type"),
                field.get("size"),
            )
        )
    names = [one.field.lower() for one in listed]
    require(len(set(names)) == len(names), "a column is listed twice")
    require(not config.is_true("CommaDecimal"), "numbers with a comma")
    return Selection(tuple(listed), told, config.is_true("OrderChanged"), at)


def stored_as(value: Value, said: Listed) -> Value:
    """A value converted to what a Select says of its column."""
    if said.type:
        return stored(value, said.type, said.size)
    if not said.size:
        return value
    if value.known and value.type == STRING:
        return stored(value, "V_WString", said.size)
    return unknown_call(SYSTEM, f"of size {said.size}", value)
