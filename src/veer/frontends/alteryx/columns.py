"""Finding columns by name, as Alteryx does: without regard to case."""

from __future__ import annotations

from collections.abc import Iterable

from veer.frontends.gui.rows import ColumnWanted, NotModelled, Rows, Value


def name_of(rows: Rows, name: str) -> str:
    """The name under which a table has a column; an open table may be asked for another one."""
    if name in rows.names:
        return name
    alike = [known for known in rows.names if known.lower() == name.lower()]
    if len(alike) == 1:
        return alike[0]
    if len(rows.origins) == 1:
        wanted = rows.flow.wanted.get(rows.origins[0], ())
        if any(known.lower() == name.lower() for known in wanted):
            # It was there, and is called otherwise or gone by now.
            raise NotModelled(f"there is no column {name!r}")
        raise ColumnWanted(rows.origins[0], {name: None})
    rows.column(name)
    return name


def want_all(rows: Rows, names: Iterable[str]) -> None:
    """Ask an open table for columns at once, of which some may turn out to be none of its own."""
    if len(rows.origins) != 1:
        return
    known = {name.lower() for name in (*rows.names, *rows.flow.wanted.get(rows.origins[0], ()))}
    missing = {name.lower(): name for name in names if name and name.lower() not in known}
    if missing:
        raise ColumnWanted(rows.origins[0], dict.fromkeys(missing.values()))


def column(rows: Rows, name: str) -> Value:
    """A column of a table."""
    return rows.column(name_of(rows, name))


def has_column(rows: Rows, name: str) -> bool:
    """Whether a table has a column; an open one is asked for it and has it then."""
    try:
        name_of(rows, name)
    except NotModelled:
        return False
    return True
