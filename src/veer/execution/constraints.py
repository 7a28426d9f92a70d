"""Checks of declared keys and constraints against the data; a proof may rely on those that hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, final

from veer.errors import InputError
from veer.execution.signals import without_declarations
from veer.execution.sources import source_name
from veer.execution.store import Store
from veer.ir import ops
from veer.ir.digests import json_digest
from veer.ir.sources import distinct_sources
from veer.ir.types import quote_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from veer.ir.dag import Dataflow


@final
class Constraints:
    """Keys, foreign keys and NOT NULL of the sources of a run."""

    def __init__(
        self,
        store: Store | None,
        fingerprint: Callable[[ops.Source], str],
        read: Callable[[ops.Source], DataFrame],
        *,
        trust: bool = False,
    ) -> None:
        self._store, self._fingerprint, self._read, self.trust = store, fingerprint, read, trust
        self._seen: dict[tuple[str, str], bool] = {}
        self._tables: dict[str, ops.Source] = {}  # what foreign keys may refer to
        self.violated: dict[str, str] = {}  # by table, in words

    def believed(self, dataflow: Dataflow) -> Dataflow:
        """The dataflow with what was seen to hold, or is trusted, of its sources."""
        self.look(dataflow)
        return without_declarations(dataflow, lambda source: self.trust or bool(self.holds(source)))

    def look(self, dataflow: Dataflow) -> None:
        """Take in the tables of a dataflow."""
        self._tables.update({s.table: s for s in distinct_sources(dataflow)})

    def holds(self, source: ops.Source) -> bool | None:
        """Whether the declarations of a source hold for its content; None if that was not checked."""
        if not _declares(source):
            return True
        key = self._key(source)
        if key is None:
            return False  # what it holds cannot be named, so nobody can have looked at it
        if key not in self._seen and self._store is not None:
            remembered = self._store.constraint(*key)
            if remembered is not None:
                self._seen[key] = remembered
        return self._seen.get(key)

    def check(self, sources: Sequence[ops.Source]) -> bool:
        """Look whether the sources keep what they declare; each content is looked at once."""
        for source in sources:
            if self.trust or self.holds(source) is not None:
                continue
            key = self._key(source)
            assert key is not None
            violation = self._violation(source)
            if violation:
                self.violated[source.table] = violation
            self._seen[key] = not violation
            if self._store is not None:
                self._store.remember_constraint(*key, not violation)
        return all(self.trust or self.holds(source) for source in sources)

    def _key(self, source: ops.Source) -> tuple[str, str] | None:
        """The content a constraint is about, that of the tables referred to too."""
        try:
            parents = [self._tables[f.parent] for f in source.foreign_keys]
            at = json_digest([self._fingerprint(s) for s in (source, *parents)])
        except (InputError, KeyError):
            return None
        declared: list[Any] = [
            source_name(source),
            sorted(f.name for f in source.fields if not f.nullable),
            sorted(source.keys),
            sorted([f.columns, f.parent, f.parent_columns] for f in source.foreign_keys),
            sorted(source.lengths),
            sorted(source.unique),
        ]
        return at, json.dumps(declared)

    def _violation(self, source: ops.Source) -> str:
        """What does not hold, in words."""
        frame = self._read(source)
        required = [f.name for f in source.fields if not f.nullable]
        for name, most in source.lengths:
            if frame.where(f"length({quote_name(name)}) > {most}").limit(1).count():
                return f"a text in {name} of more than {most} characters"
        if required:
            missing = " OR ".join(f"{quote_name(n)} IS NULL" for n in required)
            if frame.where(missing).limit(1).count():
                return f"a null in {' or '.join(required)}, declared NOT NULL"
        # Two nulls in a key are a violation; what is only unique may have any number of them.
        for key in (*source.keys, *source.unique):
            by = [quote_name(n) for n in key]
            present = frame.dropna(subset=list(key)) if key in source.unique else frame
            if present.groupBy(*by).count().where("count > 1").limit(1).count():
                declared = "a key" if key in source.keys else "unique"
                return f"two rows with the same {', '.join(key)}, declared {declared}"
        for foreign in source.foreign_keys:
            violation = self._foreign(frame, foreign)
            if violation:
                return violation
        return ""

    def _foreign(self, frame: DataFrame, foreign: ops.ForeignKey) -> str:
        """A row whose values the parent does not have; one with a null among them needs no partner.

        Columns go by names of their own: child and parent may be the same table.
        """
        parent = self._tables[foreign.parent]
        own = [f"c{i}" for i in range(len(foreign.columns))]
        other = [f"p{i}" for i in range(len(foreign.columns))]
        child = frame.select(*map(quote_name, foreign.columns)).toDF(*own).dropna()
        rows = self._read(parent).select(*map(quote_name, foreign.target(parent))).toDF(*other)
        on = [child[a] == rows[b] for a, b in zip(own, other, strict=True)]
        if child.join(rows, on, "left_anti").limit(1).count():
            return f"a row without partner in {foreign.parent}"
        return ""


def _declares(source: ops.Source) -> bool:
    """Whether anything is declared of a source that a proof may rest on.

    Checks only keep the rows of witnesses legal.
    """
    return bool(
        source.keys
        or source.unique
        or source.foreign_keys
        or source.lengths
        or any(not f.nullable for f in source.fields)
    )


__all__ = ["Constraints"]
