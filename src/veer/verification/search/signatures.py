"""Which signals may be equal, by the values they have on all instances.

A column is known by the values it takes, a signal by how many rows it has; so two signals are
found that compute the same in other operators, with columns in other places under other names. What
is found here is a guess to be proven: signals may agree on all instances by chance.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias, final

from veer.facts.needs import Need
from veer.ir.dag import Dataflow
from veer.verdict import TableSemantics
from veer.verification.proof import Claim, claim_on
from veer.verification.search.obligations import NOTHING
from veer.verification.search.simulation import Simulation, comparable

Key: TypeAlias = tuple[Any, ...]


@final
class Signatures:
    """The values of the signals of two versions, as far as simulation knows them."""

    def __init__(
        self, simulation: Simulation, needed: tuple[dict[str, Need], dict[str, Need]]
    ) -> None:
        self.simulation, self.needed = simulation, needed
        self.sides = simulation.p, simulation.q
        self._columns: dict[tuple[int, str, int, bool], Key] = {}
        self._index = tuple(self._indexed(side) for side in (0, 1))

    def mates(self, side: int, id_: str) -> Iterable[str]:
        """The signals of the other version that have the same values in what is needed of them."""
        found: dict[str, None] = {}
        for key in self._keys(side, id_):
            found.update(dict.fromkeys(self._index[1 - side].get(key, ())))
        return found

    def claim(self, a: str, b: str) -> Claim | None:
        """What may hold of two signals, in what is needed of either; None if nothing does.

        A column belongs to the one with the same values: of the same name if there is one, else to
        one that no other belongs to, if possible.
        """
        ours, theirs = self.needed[0].get(a, NOTHING), self.needed[1].get(b, NOTHING)
        semantics = ours.semantics | theirs.semantics
        counts = semantics is not TableSemantics.SET
        pairs: dict[tuple[int, int], None] = {}
        for i in sorted(ours.columns):
            found = self._partner((0, a, i), (1, b), {j for _, j in pairs}, counts=counts)
            if found is None:
                return None
            pairs[i, found] = None
        for j in sorted(theirs.columns - {j for _, j in pairs}):
            found = self._partner((1, b, j), (0, a), {i for i, _ in pairs}, counts=counts)
            if found is None:
                return None
            pairs[found, j] = None
        claim = claim_on(self.sides[0], a, self.sides[1], b, semantics, frozenset(pairs))
        return claim if self.simulation.agree(claim) else None

    def _partner(
        self, own: tuple[int, str, int], other: tuple[int, str], taken: set[int], *, counts: bool
    ) -> int | None:
        side, id_, place = own
        schema = self._schema(*other)
        wanted = self._values(side, id_, place, counts=counts)
        name = self._schema(side, id_).fields[place].name
        alike = [j for j in range(len(schema)) if self._values(*other, j, counts=counts) == wanted]
        alike.sort(key=lambda j: (schema.fields[j].name != name, j in taken, j != place))
        return alike[0] if alike else None

    def _schema(self, side: int, id_: str) -> Any:
        return self.sides[side].schemas[id_]

    def _indexed(self, side: int) -> dict[Key, list[str]]:
        index: dict[Key, list[str]] = defaultdict(list)
        for id_ in self.sides[side].order:
            for key in self._keys(side, id_):
                index[key].append(id_)
        return index

    def _keys(self, side: int, id_: str) -> list[Key]:
        """By what to look for a signal: its numbers of rows, and its set of values if that will do."""
        need = self.needed[side].get(id_)
        if need is None:
            return []
        rows = tuple(self._rows(side, id_))
        keys: list[Key] = [("rows", *(None if r is None else len(r) for r in rows))]
        if need.semantics is TableSemantics.SET:
            values = {self._values(side, id_, i, counts=False) for i in need.columns}
            keys.append(("values", frozenset(values)))
        return keys

    def _rows(self, side: int, id_: str) -> list[Sequence[tuple[Any, ...]] | None]:
        return self.simulation.rows_of(side, id_)

    def _values(self, side: int, id_: str, place: int, *, counts: bool) -> Key:
        """What a column holds on each instance: each value as often, or whether at all."""
        key = (side, id_, place, counts)
        if key not in self._columns:
            kind: type[Counter[Any]] | type[frozenset[Any]] = Counter if counts else frozenset
            values = (
                None if rows is None else kind(comparable(row[place]) for row in rows)
                for rows in self._rows(side, id_)
            )
            shown = tuple(frozenset(v.items()) if isinstance(v, Counter) else v for v in values)
            self._columns[key] = (self._schema(side, id_).types[place], hash(shown))
        return self._columns[key]


def levels(dataflow: Dataflow) -> dict[str, int]:
    """How many operators stand below each signal, on the longest way down."""
    found: dict[str, int] = {}
    for id_ in dataflow.order:
        found[id_] = 1 + max((found[i] for i in dataflow.inputs[id_]), default=0)
    return found
