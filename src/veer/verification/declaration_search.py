"""The search for the fewest declarations about tables with which a pair of sinks is proven."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import final

from veer import hints
from veer.assumptions import ForeignKeyHolds, KeyHolds
from veer.errors import VeerError
from veer.ir.dag import Dataflow
from veer.ir.sources import tables_read
from veer.verdict import SinkReport, Suggestion, Verdict, Witness
from veer.verification import declarations as verification_declarations
from veer.verification.comparison import Comparison

MOST_TRIALS = 40  # of one pair of sinks

Verify = Callable[[Dataflow, Dataflow, Comparison], SinkReport | None]


@final
@dataclass
class Trials:
    """One pair of sinks, verified under several declarations; each set of them once.

    `verify` gives the report on the pair, None if it cannot tell.
    """

    p: Dataflow
    q: Dataflow
    comparison: Comparison
    verify: Verify
    left: int = MOST_TRIALS
    _reports: dict[frozenset[hints.Declaration], SinkReport | None] = field(default_factory=dict)

    def report(self, declarations: Sequence[hints.Declaration]) -> SinkReport | None:
        """The report with these declared; None if it cannot be told, or there were too many."""
        wanted = verification_declarations.with_targets(declarations, tables_read([self.p, self.q]))
        key = frozenset(wanted)
        if key not in self._reports:
            if self.left <= 0:
                return None
            self.left -= 1
            self._reports[key] = self._verified(wanted)
        return self._reports[key]

    def _verified(self, declarations: Sequence[hints.Declaration]) -> SinkReport | None:
        try:
            p, q = (
                verification_declarations.declaring(side, declarations) for side in (self.p, self.q)
            )
            return self.verify(p, q, self.comparison)
        except VeerError:
            return None  # declarations that contradict each other, or the rest of a schema

    def proves(self, declarations: Sequence[hints.Declaration]) -> bool:
        """Whether the pair is equivalent with these declared."""
        report = self.report(declarations)
        return report is not None and report.verdict is Verdict.EQUIVALENT


def suggest(trials: Trials, witness: Witness | None = None) -> Suggestion:
    """Declarations under which a pair is proven: few, likely ones, and none to spare.

    With everything declared at once first: what differs then differs under any part of it. Then
    from what is likeliest to hold on to what hardly does, until the pair is proven. Where a
    `witness` shows a difference, only what can be expected to hold is tried, and nothing at all if
    that witness keeps it.
    """
    least = (
        verification_declarations.Likelihood.HARDLY
        if witness is None
        else verification_declarations.Likelihood.PERHAPS
    )
    rated = verification_declarations.candidates(trials.p, trials.q, least)
    every = [declaration for declaration, _ in rated]
    if witness is not None and not verification_declarations.violated(every, witness.tables):
        return Suggestion((), len(every), Verdict.INEQUIVALENT)
    at_most = trials.report(every) if every else None
    verdict = Verdict.UNKNOWN if at_most is None else at_most.verdict
    if verdict is not Verdict.INEQUIVALENT:
        for tier in _tiers(rated):
            if trials.proves(tier):
                return Suggestion(_weakened(trials, _least(trials, tier)), len(every), verdict)
    return Suggestion((), len(every), verdict)


def _tiers(
    rated: Sequence[tuple[hints.Declaration, verification_declarations.Likelihood]],
) -> list[list[hints.Declaration]]:
    """Growing sets of declarations: never null; likely keys; what they are referred by; the rest."""
    tiers: list[list[hints.Declaration]] = [[d for d, _ in rated if isinstance(d, hints.NotNull)]]
    for least in (
        verification_declarations.Likelihood.LIKELY,
        verification_declarations.Likelihood.PERHAPS,
        verification_declarations.Likelihood.HARDLY,
    ):
        known = [d for d, rate in rated if rate >= least]
        tiers.append([d for d in known if not isinstance(d, hints.References)])
        tiers.append(known)
    return [tier for n, tier in enumerate(tiers) if tier and tier not in tiers[:n]]


def _least(trials: Trials, declarations: Sequence[hints.Declaration]) -> list[hints.Declaration]:
    """A part of some declarations under which a pair is still proven, none of it to spare.

    First what the proof names as its assumptions, with the columns that are never null, which it
    does not name; then halves and single ones are left out, the least likely first.
    """
    kept = list(reversed(declarations))
    relied = [d for d in kept if isinstance(d, hints.NotNull) or _is_named(d, trials.report(kept))]
    if trials.proves(relied):
        kept = relied
    width = len(kept)
    while width >= 1:
        start = 0
        while start < len(kept):
            rest = kept[:start] + kept[start + width :]
            if trials.proves(rest):
                kept = rest
            else:
                start += width
        width //= 2
    return list(reversed(kept))


def _is_named(declaration: hints.Declaration, report: SinkReport | None) -> bool:
    """Whether a proof rests on a declaration by its own words, or on a reference to its table."""
    assumptions = () if report is None else report.assumptions
    match declaration:
        case hints.Key(table, columns):
            return KeyHolds(table, columns) in assumptions or any(
                isinstance(a, ForeignKeyHolds) and a.parent.lower() == table.lower()
                for a in assumptions
            )
        case hints.References(table, columns, parent, _):
            return any(
                isinstance(a, ForeignKeyHolds)
                and (a.table, a.columns, a.parent.lower()) == (table, columns, parent.lower())
                for a in assumptions
            )
        case hints.NotNull() | hints.Unique():
            return True


def _weakened(
    trials: Trials, declarations: list[hints.Declaration]
) -> tuple[hints.Declaration, ...]:
    """Keys that need not be: unique is enough where nulls may repeat."""
    for place, declaration in enumerate(declarations):
        if isinstance(declaration, hints.Key):
            weaker = hints.Unique(declaration.table, declaration.columns)
            changed = [*declarations[:place], weaker, *declarations[place + 1 :]]
            if trials.proves(changed):
                declarations = changed
    return tuple(declarations)


def only_proofs(comparison: Comparison) -> Comparison:
    """The same comparison without the search for witnesses, and without anything beside a verdict."""
    return replace(comparison, witnesses=False, evidence=False, recheck=None, suggest_keys=False)
