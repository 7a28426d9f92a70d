"""Whether the rows of an earlier version are also the rows of a later one."""

from __future__ import annotations

from veer import assumptions
from veer.caveats import Caveat, MayFail, Side
from veer.verdict import SinkReport, Verdict


def may_serve(sink: SinkReport, trust: bool = False) -> bool:
    """Whether the stored rows of P, computed without failure, are those of the new version Q.

    EQUIVALENT alone is not enough. What is assumed or to be known besides must be of a kind that
    is known to do no harm here, or be trusted by the user; any other kind, and one that is new, is
    not served.
    """
    return (
        sink.verdict is Verdict.EQUIVALENT
        and all(_is_harmless_assumption(a, trust) for a in sink.assumptions)
        and all(map(_is_harmless_caveat, sink.caveats))
    )


def _is_harmless_assumption(assumption: assumptions.Assumption, trust: bool) -> bool:
    match assumption:
        case assumptions.KeyHolds() | assumptions.UniqueHolds() | assumptions.ForeignKeyHolds():
            return True  # only what was checked against the data, or is trusted, was declared
        case assumptions.BatchIndependent():
            return trust
        case _:
            return False  # the stored rows are one choice, the run would make another


def _is_harmless_caveat(caveat: Caveat) -> bool:
    match caveat:
        case MayFail(side=Side.P):
            return True  # it did not: its rows are there
        case _:
            return False


def may_keep(sink: SinkReport) -> bool:
    """Whether rows of P that are stored somewhere are rows that the new version Q may give.

    Nobody runs anything again, so a choice that was made stays made: what rests on the same choice may
    be kept. What users declare is believed, as everywhere in a verdict.
    """
    return (
        sink.verdict is Verdict.EQUIVALENT
        and all(map(_may_stay, sink.assumptions))
        and all(map(_is_harmless_caveat, sink.caveats))
    )


def _may_stay(assumption: assumptions.Assumption) -> bool:
    match assumption:
        case (
            assumptions.KeyHolds()
            | assumptions.UniqueHolds()
            | assumptions.ForeignKeyHolds()
            | assumptions.RowWise()
            | assumptions.PackageIsPure()
        ):
            return True
        case assumptions.SameChoice() | assumptions.BatchIndependent() | assumptions.ReadWith():
            return True
        case _:
            return False
