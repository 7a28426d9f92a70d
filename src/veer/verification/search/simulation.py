"""Runs of both versions on the same small instances, with the rows of every signal.

Signals that differ on an instance cannot be proven equal; signals that agree may be. What fails on
an instance, or grows too large, says nothing there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from veer.errors import VeerError
from veer.facts.congruence import Pairs
from veer.facts.fingerprint import fingerprints
from veer.functions.registry import Failure
from veer.interpreter import Program, Run, Signal
from veer.ir.dag import Dataflow
from veer.ir.types import has_floats
from veer.refute.instances import Instances, Tables
from veer.refute.search import rounded
from veer.verdict import TableSemantics
from veer.verification.proof import Claim, pairs_of

INSTANCES = 16
MOST_ROWS = 1_000
SEED = 5


class Simulation:
    """The signals of two versions on a growing list of instances."""

    def __init__(self, p: Dataflow, q: Dataflow) -> None:
        self.p, self.q = p, q
        self._programs = [Program(d, every_signal=True) for d in (p, q)]
        self.instances: list[Tables] = []
        self._runs: list[tuple[dict[str, Signal], dict[str, Signal]]] = []
        self._agree: dict[Claim, bool] = {}
        stream = Instances((p, q), SEED)
        self._likely = stream.constants
        for number in range(0 if stream.conflict else INSTANCES):
            self.add(stream.make(number))

    def add(self, tables: Tables) -> None:
        """Run both versions on one instance more."""
        computed: dict[str, Signal] = {}  # by fingerprint
        scope = (Run(tables, likely=self._likely),)
        ours, theirs = (_signals(program, scope, computed) for program in self._programs)
        self._runs.append((ours, theirs))
        self.instances.append(tables)
        # What differed still does.
        self._agree = {claim: False for claim, agreed in self._agree.items() if not agreed}

    def rows_of(self, side: int, id_: str) -> list[Sequence[tuple[Any, ...]] | None]:
        """The rows of a signal of P (0) or of Q (1) on each instance; None where it has none."""
        signals = (run[side].get(id_) for run in self._runs)
        return [None if signal is None else signal.rows for signal in signals]

    def agree(self, claim: Claim) -> bool:
        """Whether no instance contradicts a claim."""
        agreed = self._agree.get(claim)
        if agreed is None:
            agreed = next(self.differing(claim), None) is None
            self._agree[claim] = agreed
        return agreed

    def differing(self, claim: Claim) -> Iterator[Tables]:
        """The instances that contradict a claim."""
        pairs = pairs_of(claim, self.p, self.q)
        straight = all(i == j for i, j in pairs)
        for tables, (ours, theirs) in zip(self.instances, self._runs, strict=True):
            one, two = ours.get(claim.p), theirs.get(claim.q)
            if one is None or two is None or (straight and one.rows == two.rows):
                continue
            left = self._shown(self.p, claim.p, one, pairs, 0, claim.semantics)
            if left != self._shown(self.q, claim.q, two, pairs, 1, claim.semantics):
                yield tables

    def _shown(
        self,
        dataflow: Dataflow,
        id_: str,
        signal: Signal,
        pairs: Pairs,
        side: int,
        semantics: TableSemantics,
    ) -> object:
        places = [pair[side] for pair in sorted(pairs)]
        floats = any(has_floats(dataflow.schemas[id_].types[i]) for i in places)

        def shown(row: tuple[Any, ...]) -> tuple[Any, ...]:
            picked = tuple(row[i] for i in places)
            return tuple(map(comparable, picked)) if floats else picked

        rows = map(shown, signal.rows)
        # Ordered results as bags: rows that tie come in any order, which is no contradiction.
        return frozenset(rows) if semantics is TableSemantics.SET else Counter(rows)


def comparable(value: Any) -> Any:
    """A value as it is compared: floats up to rounding, NaN equal to itself."""
    return repr(rounded(value)) if isinstance(value, float | tuple) else value


def _signals(program: Program, scope: tuple[Run], computed: dict[str, Signal]) -> dict[str, Signal]:
    """Every signal of one version; what is computed alike is computed once.

    So a choice that both versions make alike comes out alike, and does not count as a difference.
    """
    prints = fingerprints(program.dataflow)
    signals: dict[str, Signal] = {}
    for id_, inputs, step in program.steps:
        signal = computed.get(prints[id_])
        if signal is None:
            if any(i not in signals for i in inputs):
                continue
            try:
                signal = step([signals[i] for i in inputs], scope)
            except (Failure, VeerError, RecursionError):
                continue
            if len(signal.rows) > MOST_ROWS:
                continue
            computed[prints[id_]] = signal
        signals[id_] = signal
    return signals
