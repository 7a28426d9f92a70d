"""A query in the making: the clauses of one SELECT, for people to read (`sql_text`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

from veer.ir.types import quote_name

WIDTH = 60  # of a line, where there is a place to break it
FEW = 3  # columns that are listed though all are kept


@final
@dataclass(frozen=True)
class Shown:
    """A column of a select list: how it is computed, and its name."""

    text: str
    name: str

    def __str__(self) -> str:
        name = quote_name(self.name)
        plain = self.text == name or self.text.endswith(f".{name}")
        return self.text if plain else f"{self.text} AS {name}"


@final
@dataclass(frozen=True)
class Select:
    """A query in the making; `names` say how the columns of its rows are written inside it.

    `columns` None stands for all of them. `tables` are the names that stand in FROM. A `finished`
    query, a union for instance, takes no further clause.
    """

    names: tuple[str, ...]
    tables: tuple[str, ...] = ()
    source: tuple[str, ...] = ()  # lines after FROM
    columns: tuple[Shown, ...] | None = None
    distinct: bool = False
    where: tuple[str, ...] = ()
    group: tuple[str, ...] | None = None
    having: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    limit: str = ""
    finished: tuple[str, ...] = ()

    @property
    def is_table(self) -> bool:
        """Whether it is nothing but a table."""
        return self.is_open and len(self.tables) == 1 == len(self.source) and not self.where

    @property
    def is_open(self) -> bool:
        """Whether a condition, a grouping or a select list can still be added."""
        return self.columns is None and not (self.order or self.limit or self.finished)

    @property
    def is_grouped(self) -> bool:
        """Whether it is a plain grouping, to which a HAVING can be added."""
        closed = self.order or self.limit or self.finished or self.distinct
        return self.group is not None and not closed

    @property
    def shown_names(self) -> tuple[str, ...]:
        """The columns as what comes after the select list writes them."""
        if self.columns is None:
            return self.names
        return tuple(quote_name(column.name) for column in self.columns)

    def qualified(self, alias: str) -> tuple[str, ...]:
        """The columns of the only table, each with the name of the table before it."""
        own = f"{self.tables[0]}."
        return tuple(f"{alias}.{name.removeprefix(own)}" for name in self.names)

    def lines(self) -> list[str]:
        """The query, a clause per line; longer lists an item per line."""
        if self.finished:
            return list(self.finished)
        columns = self._listed()
        lines = clause("SELECT DISTINCT" if self.distinct else "SELECT", columns, ",")
        if self.source:
            lines += [f"FROM {self.source[0]}", *(f"  {line}" for line in self.source[1:])]
        lines += clause("WHERE", self.where, " AND")
        lines += clause("GROUP BY", self.group or (), ",")
        lines += clause("HAVING", self.having, " AND")
        lines += clause("ORDER BY", self.order, ",")
        return [*lines, self.limit] if self.limit else lines

    def _listed(self) -> list[str]:
        """The select list; many columns that all are kept are a star."""
        if self.columns is None:
            return ["*"]
        shown = list(map(str, self.columns))
        width = len(self.names)
        if width > FEW and tuple(shown[:width]) == self.names:
            return ["*", *shown[width:]]
        return shown


def clause(word: str, items: Sequence[str], separator: str) -> list[str]:
    """A clause on one line, or with an item per line."""
    if not items:
        return []
    line = f"{word} {f'{separator} '.join(items)}"
    if len(line) <= WIDTH or len(items) == 1:
        return [line]
    return [word, *(f"  {item}{separator}" for item in items[:-1]), f"  {items[-1]}"]


def on_one_line(lines: list[str]) -> list[str]:
    """A join and its condition on one line, if that is short."""
    line = " ".join(lines)
    return [line] if len(lines) <= 2 and len(line) <= WIDTH else lines


def without_plain_list(query: Select) -> Select:
    """A query whose select list only picks columns, without the list: they keep their inner names."""
    plain = query.columns is not None and all(c.text in query.names for c in query.columns)
    if not plain or query.columns is None or query.distinct or query.group is not None:
        return query
    if query.order or query.limit:
        return query
    return replace(query, names=tuple(c.text for c in query.columns), columns=None)
