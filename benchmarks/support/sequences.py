"""Sequences of versions of a workload, as somebody makes them who looks for an answer.

From the paper (section "Experimental Setup", the real workload of 179 Texera pipelines): 58% of
the versions have a single edit, 22% have two; the function operators are changed most often (17%
of the cases), then projections and filters (6% each). From the same section, "Edit operations":
rewrites as in Calcite's rules keep the results (empty projections, projections and filters
pushed past other operators); new filter conditions and other aggregate functions, as in the
iterations of TPC-DS, change them; places are drawn at random among those where the edit is valid.

Ours, for the paper does not say: the rest has three or four edits; two versions in five keep the
results, one in five undoes edits or returns to an earlier version; edits are drawn near the one
before and rather late in the flow. Only W7 and W8 have functions to change.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import count
from typing import Any, TypeVar

from benchmarks.support.editing.changing import CHANGING, MODELS
from benchmarks.support.editing.keeping import KEEPING, Maker, keeps_shapes
from benchmarks.support.editing.undoing import undone
from benchmarks.support.editing.view import Edit, View
from benchmarks.workloads.data import Tables, rows_for
from benchmarks.workloads.definitions import flows
from benchmarks.workloads.flow import Flow
from veer.errors import InputError
from veer.interpreter import Result, run_dataflow, same_result
from veer.ir.dag import Dataflow
from veer.ir.ops import RowUdf
from veer.verdict import TableSemantics

T = TypeVar("T")
LENGTH = 20
SEED = 7
SAMPLES = tuple((rows, seed) for seed, rows in enumerate((60, 150, 300)))
FEW = 3  # rows that the largest sample leaves in a result at least
UNLIMITED = 1_000_000
ATTEMPTS = 200  # drawings until an edit fits


class Aim(Enum):
    """What a step is for."""

    FIRST = "first"
    KEEP = "keep"
    CHANGE = "change"
    UNDO = "undo"  # of earlier edits, whatever came after
    RETURN = "return"  # to an earlier version


AIMS = {Aim.KEEP: 0.42, Aim.CHANGE: 0.38, Aim.UNDO: 0.14, Aim.RETURN: 0.06}
EDITS = {1: 0.58, 2: 0.22, 3: 0.12, 4: 0.08}


@dataclass(frozen=True)
class Step:
    """A version: its workflow, and what was done to the one before.

    `places` are the operators edited, `same_as` the number of an earlier version, from 0, whose
    workflow is exactly this one.
    """

    flow: Flow
    aim: Aim
    edits: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    same_as: int | None = None

    @property
    def keeping(self) -> bool:
        """Whether all sinks are meant to give what they gave in the version before."""
        return self.aim is Aim.KEEP


@dataclass(frozen=True)
class _Done:
    """An edit as it was made, to be undone."""

    about: str
    place: str
    before: Flow
    after: Flow


def sequence(workload: str, length: int = LENGTH, seed: int = SEED) -> list[Step]:
    """The versions of a workload ("W1" to "W8"), the first one as in its files.

    The same arguments give the same versions.
    """
    return _Author(workload.lower(), seed).write(length)


def functions(dataflow: Dataflow) -> dict[str, Callable[..., Any]]:
    """What the opaque functions of a version do, by their identities."""
    identities = [op.identity for op in dataflow.operators.values() if isinstance(op, RowUdf)]
    return {identity: stand_in(identity) for identity in identities}


def stand_in(identity: str) -> Callable[[str | None], str | None]:
    """A function for a library operator, from the properties its identity holds."""
    kind, _, settings = identity.partition(" ")
    properties = json.loads(settings)
    if kind == "DictionaryMatcher":
        return _Matcher(properties["dictionary"])
    return _Classifier(MODELS[properties["model"]])


@dataclass(frozen=True)
class _Matcher:
    dictionary: Mapping[str, Any]

    def __call__(self, text: str | None) -> str:
        words = (text or "").lower()
        for entry, keywords in self.dictionary.items():
            if isinstance(keywords, list) and any(word in words for word in keywords):
                return entry
        return str(self.dictionary["otherwise"])


@dataclass(frozen=True)
class _Classifier:
    related: tuple[str, ...]

    def __call__(self, text: str | None) -> str | None:
        if text is None:
            return None
        return "related" if any(word in text.lower() for word in self.related) else "other"


class _Author:
    """Makes one version after the other."""

    def __init__(self, workload: str, seed: int) -> None:
        self.workload = workload
        self.random = random.Random(f"{workload} {seed}")
        self.numbers = count(1)
        base = flows()[f"{workload}/v1.yaml"]
        self.steps = [Step(base.edited(base.about), Aim.FIRST)]
        self.done: list[_Done] = []
        self.results: dict[View, list[dict[str, Result]]] = {}

    def write(self, length: int) -> list[Step]:
        aims = self._dealt(AIMS, length - 1)
        # Nothing can be undone before something is done.
        while Aim.UNDO in aims[:2] or Aim.RETURN in aims[:3]:
            self.random.shuffle(aims)
        for aim, number in zip(aims, self._dealt(EDITS, length - 1), strict=True):
            self.steps.append(self._step(aim, number))
        return self.steps

    def _dealt(self, shares: Mapping[T, float], length: int) -> list[T]:
        """So many of each as its share says, in random order."""
        exact = {one: share * length for one, share in shares.items()}
        counts = {one: int(number) for one, number in exact.items()}
        for one in sorted(exact, key=lambda o: counts[o] - exact[o])[
            : length - sum(counts.values())
        ]:
            counts[one] += 1
        cards = [one for one, number in counts.items() for _ in range(number)]
        self.random.shuffle(cards)
        return cards

    def _step(self, aim: Aim, number: int) -> Step:
        if aim is Aim.RETURN:
            return self._returned()
        edits: list[_Done] = []
        for _ in range(number):
            # A version that changes the results changes them first; what follows may tidy up.
            tidying = aim is Aim.CHANGE and edits and self.random.random() < 0.3
            edit = self._edited(edits, Aim.KEEP if tidying else aim)
            if edit is None:
                break
            edits.append(edit)
        if not edits:
            return self._returned()  # nothing left to undo
        if aim is not Aim.UNDO:
            self.done += edits
        return self._finished(
            edits[-1].after, aim, [e.about for e in edits], [e.place for e in edits]
        )

    def _finished(self, flow: Flow, aim: Aim, edits: Iterable[str], places: Iterable[str]) -> Step:
        about = f"{self.workload.upper()}, version {len(self.steps) + 1}, {aim.value}: "
        flow = flow.edited(about + "; ".join(edits) + ".")
        same = (n for n, step in enumerate(self.steps) if _is_same(step.flow, flow))
        return Step(flow, aim, tuple(edits), tuple(places), next(same, None))

    def _returned(self) -> Step:
        """An earlier version again, a late one rather than an early one."""
        current = self.steps[-1].flow
        others = [n for n, s in enumerate(self.steps) if not _is_same(s.flow, current)]
        number = self.random.choices(others, [n + 1 for n in others])[0]
        earlier = self.steps[number]
        # What was done since is gone.
        flow = earlier.flow
        self.done = [d for d in self.done if undone(flow, d.before, d.after) is not None]
        return self._finished(flow, Aim.RETURN, (f"version {number + 1} again",), earlier.places)

    def _edited(self, made: Sequence[_Done], aim: Aim) -> _Done | None:
        """One more edit of the version that is being made."""
        start = self.steps[-1]
        flow = made[-1].after if made else start.flow
        if aim is Aim.UNDO:
            return self._undo(flow)
        view = View(flow, next(self.numbers))
        places = [e.place for e in made]
        earlier = [*(s.flow for s in self.steps), *(e.after for e in made)]
        for edit in self._drawn(view, KEEPING if aim is Aim.KEEP else CHANGING, places):
            # An operator is edited once in a version, and not at once after it is put in.
            if edit.place in places or edit.place not in start.flow.operators:
                continue
            after = _applied(flow, edit)
            if after is None or any(_is_same(after.flow, other) for other in earlier):
                continue
            if keeps_shapes(view, after) if aim is Aim.KEEP else self._is_change(view, after):
                return _Done(edit.about, edit.place, flow, after.flow)
        return None

    def _undo(self, flow: Flow) -> _Done | None:
        """One of the last edits undone, the latest most likely."""
        recent = self.done[-8:]
        chances = {n: self.random.random() ** (1 / (n + 1)) for n in range(len(recent))}
        for number in sorted(chances, key=chances.__getitem__, reverse=True):
            done = recent[number]
            before = undone(flow, done.before, done.after)
            if before is not None and _loads(before) and self._is_decided(View(before)):
                self.done.remove(done)
                return _Done(f"undone: {done.about}", done.place, flow, before)
        return None

    def _drawn(
        self, view: View, makers: Mapping[Maker, float], near: Sequence[str]
    ) -> Iterator[Edit]:
        """Edits drawn again and again: first the maker, then the place, then one of its edits."""
        weights = _place_weights(view, near or self.steps[-1].places)
        chances = dict(makers)
        offers: dict[Maker, list[Edit]] = {}
        for _ in range(ATTEMPTS):
            maker = self._draw(chances)
            if maker not in offers:
                offers[maker] = list(maker(view))
            if not offers[maker]:
                del chances[maker]
                continue
            place = self._draw({e.place: weights[e.place] for e in offers[maker]})
            yield self.random.choice([e for e in offers[maker] if e.place == place])

    def _draw(self, weights: Mapping[T, float]) -> T:
        return self.random.choices(list(weights), list(weights.values()))[0]

    def _is_change(self, before: View, after: View) -> bool:
        """Whether an edit shows in some sample, and leaves something to look at in all results."""
        old, new = self._results(before), self._results(after)
        runs = list(zip(old, new, strict=True))
        shown = any(_differ(p[sink], q[sink]) for p, q in runs for sink in q)
        rows = {sink: max(len(q[sink].rows) for q in new) for sink in after.dataflow.sinks}
        return shown and min(rows.values()) >= FEW and self._is_decided(after)

    def _is_decided(self, view: View) -> bool:
        """Whether sorts decide what limits keep: no two rows of a sample are tied."""
        limits = view.of_type("limit")
        if not limits:
            return True
        unlimited = view.flow.edited("")
        for id_ in limits:
            unlimited.change(id_, count=UNLIMITED)
        peers_of_results = [
            result.peers for run in self._results(View(unlimited)) for result in run.values()
        ]
        return all(
            peers is not None and len(set(peers)) == len(peers) for peers in peers_of_results
        )

    def _results(self, view: View) -> list[dict[str, Result]]:
        if view not in self.results:
            bodies = functions(view.dataflow)
            self.results[view] = [
                run_dataflow(view.dataflow, _tables(self.workload, rows, seed), bodies)
                for rows, seed in SAMPLES
            ]
        return self.results[view]


def _differ(old: Result, new: Result) -> bool:
    same_columns = (old.names, old.types) == (new.names, new.types)
    return not (same_columns and same_result(old, new, TableSemantics.ORDERED_BAG))


def _place_weights(view: View, near: Sequence[str]) -> dict[str, float]:
    """Late operators, and those close to the last edits, more often."""
    distances = view.distances(near)
    return {
        id_: (0.15 + view.lateness(id_) ** 2) * (0.15 + 0.6 ** distances.get(id_, 9))
        for id_ in view.flow.operators
    }


def _applied(flow: Flow, edit: Edit) -> View | None:
    copy = flow.edited(flow.about)
    edit.apply(copy)
    return View(copy) if _loads(copy) else None


def _loads(flow: Flow) -> bool:
    try:
        return bool(View(flow).dataflow.operators)
    except InputError:
        return False


def _is_same(one: Flow, other: Flow) -> bool:
    return (one.operators, one.links) == (other.operators, other.links)


@cache
def _tables(workload: str, rows: int, seed: int) -> Tables:
    return rows_for(View(flows()[f"{workload}/v1.yaml"]).dataflow, rows, seed)
