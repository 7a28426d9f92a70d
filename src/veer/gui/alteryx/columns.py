"""Finding columns by name, as Alteryx does: without regard to case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from veer.gui.rows import ColumnWanted, NotModelled, Rows, Value
from veer.ir import ops

MEMORY = "remembered as"  # the option of a source whose columns are those of the last run


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
    doubt_memory(rows, [name])
    rows.column(name)
    return name


def doubt_memory(rows: Rows, names: Iterable[str]) -> None:
    """Open a table whose file remembers columns, if something that it lacks is mentioned below.

    Then what it remembers is not what it has by now.
    """
    known = {name.lower() for name in rows.names}
    missing = [name for name in names if name and name.lower() not in known]
    if rows.is_open or not missing:
        return
    memories = sorted(set(_memories(rows)))
    for memory in memories:
        doubted = {name.lower() for name in rows.flow.wanted.get(memory, ())}
        new = [name for name in missing if name.lower() not in doubted]
        if new and len(memories) == 1:
            raise ColumnWanted(memory, dict.fromkeys(new))
    if len(memories) > 1:
        raise NotModelled(f"which table has the column {missing[0]!r} is not told; --schema would")


def _memories(rows: Rows) -> Iterator[str]:
    """The tables a table gets its columns from, of those whose files remember them."""
    builder = rows.flow.builder
    above: dict[str, list[str]] = {}
    for link in builder.links:
        above.setdefault(link.dst, []).append(link.src)
    waiting, seen = [rows.id], set[str]()
    while waiting:
        id_ = waiting.pop()
        if id_ in seen:
            continue
        seen.add(id_)
        operator = builder.operators[id_]
        if isinstance(operator, ops.Source):
            memory = dict(operator.options).get(MEMORY)
            if memory is not None:
                yield memory
        elif isinstance(
            operator, ops.Filter | ops.Join | ops.Limit | ops.Project | ops.Sort | ops.Union
        ):
            waiting += above.get(id_, [])


def want_all(rows: Rows, names: Iterable[str]) -> None:
    """Ask an open table for several columns at once; some may turn out not to be its own."""
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
