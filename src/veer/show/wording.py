"""Assumptions, caveats and reasons in words: the only place that words them.

Every `match` is closed: a new class fails the type check here until it has words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from veer import assumptions, caveats
from veer.ir.schema import listing
from veer.reasons import (
    AtCutPoint,
    CannotRefute,
    Cause,
    ClaimNotShown,
    ColumnCounts,
    Contradicted,
    DecompositionBudget,
    DifferentColumns,
    DifferentComputation,
    DifferentType,
    DiffersOn,
    FailsInOneVersion,
    Message,
    NeverAsked,
    NoDifference,
    NotProven,
    NotShown,
    ProofRefuted,
    Proven,
    QuestionsAsked,
    Reason,
    Restricted,
    SaidBy,
    SameOperators,
    Several,
    SinkAdded,
    SinkRemoved,
    TimeLimit,
    TooLarge,
    UnknownVerifier,
    Unsupported,
    WindowNotShown,
    WrittenDifferently,
    ZeroSignShown,
)
from veer.verdict import Answer, Rule

MOST_NAMES = 5  # of columns in a reason
CAUSES = {
    Cause.NO_PROOF_FOUND: "no proof found",
    Cause.SOLVER_BUDGET: "the solver's budget ran out",
    Cause.QUESTION_BUDGET: "the budget ran out: a larger --budget goes on",
    Cause.NESTED_TOO_DEEPLY: "nested too deeply",
    Cause.DIFFERENT_TYPES: "the columns have different types",
    Cause.SORTED_DIFFERENTLY: "the results are sorted differently",
    Cause.DIFFER_ON_INSTANCE: "the two sides differ on a small instance",
    Cause.DIFFER_IN_SIMULATION: (
        "the two sides differ on a small instance, as far as it can be simulated"
    ),
    Cause.NO_CUT_POINT: "no cut point could be shown",
    Cause.NO_VERIFIER: "no verifier to ask",
    Cause.NO_EDITS: "no edits, but another computation",
    Cause.NO_COUNTERPART: "a signal leaving it has no counterpart in the other version",
    Cause.CATALYST_DIFFERS: "Spark's optimizer leaves different plans",
    Cause.CATALYST_KNOWS_MORE: "Spark's optimizer knows more than holds for every source",
    Cause.COLUMNS_MOVED: "the columns come in another order, and the sink goes by position",
    Cause.NOTHING_NEEDED_CHANGES: "nothing that is needed changes",
}
RULES = {
    Rule.CONGRUENCE: "the same operator on inputs shown equal; needs no solver",
    Rule.PASS_THROUGH: (
        "an operator of one side changes nothing of what is claimed; needs no solver"
    ),
    Rule.SINK: "a sink shows what feeds it; needs no solver",
    Rule.NORMALIZE: "shown of the normalized versions, where columns are computed elsewhere",
    Rule.VERIFIER: "a verifier shows it of the operators between",
}


def assumption_text(assumption: assumptions.Assumption) -> str:
    """What an EQUIVALENT rests on, to stand after "assuming"."""
    match assumption:
        case assumptions.KeyHolds():
            return f"{', '.join(assumption.columns)} is a key of {assumption.table}"
        case assumptions.UniqueHolds():
            return f"{', '.join(assumption.columns)} is unique in {assumption.table}"
        case assumptions.ForeignKeyHolds():
            columns = ", ".join(assumption.columns)
            return f"{columns} of {assumption.table} refers to {assumption.parent}"
        case assumptions.SameChoice():
            return f"same choice at {assumption.p!r} ({assumption.shown})"
        case assumptions.BatchIndependent():
            return (
                f"what {assumption.p!r} ({assumption.shown}) gives does not depend on how rows are "
                "batched"
            )
        case assumptions.RowWise():
            return f"{assumption.function} works row by row, as declared"
        case assumptions.PackageIsPure():
            return f"functions of {assumption.package} depend on their arguments alone, as declared"
        case assumptions.MergeStops():
            return (
                f"MERGE into {assumption.table} stops wherever a row has several partners: so does "
                "Spark's own, but Delta where a clause acts on several"
            )
        case assumptions.ColumnsAsUsed(remembered=True):
            told = ", ".join(assumption.columns)
            return f"the columns of {assumption.table} are those of the last run ({told})"
        case assumptions.ColumnsAsUsed():
            used = ", ".join(assumption.columns) or "none that is named"
            others = ", and others of other names" if assumption.others else ""
            return f"the columns of {assumption.table} are those used ({used}){others}; of any type"
        case assumptions.SameTable():
            return f"{assumption.p} and {assumption.q} hold the same rows, as given"
        case assumptions.ReadWith(value=None):
            return f"read with {assumption.name} not set, as given"
        case assumptions.ReadWith():
            return f"read with {assumption.name}={assumption.value}, as given"
        case assumptions.StatedAssumption():
            return assumption.text
        case _:
            assert_never(assumption)


def caveat_text(caveat: caveats.Caveat) -> str:
    """What to know besides a verdict, to stand after "note:"."""
    match caveat:
        case caveats.MayFail(side=side):
            guards = f" where {' and '.join(caveat.guards)}" if caveat.guards else ""
            return (
                f"{side.value} may fail where {side.other.value} does not: "
                f"{caveat.expression}{guards}"
            )
        case caveats.MoreMayFail():
            return f"{caveat.count} more expressions may fail in one version only"
        case caveats.ShownDifferently():
            return f"shown as {caveat.p} in P, as {caveat.q} in Q"
        case caveats.OtherColumnNames():
            return "other column names; the table goes by position"
        case caveats.NamesDifferInCase():
            return "column names differ in letter case"
        case caveats.OtherColumnOrder():
            return "the columns come in another order"
        case caveats.GeneratedName():
            return f"the name {caveat.name!r} is generated; an alias makes it certain"
        case _:
            assert_never(caveat)


def answer_text(answer: Answer) -> str:
    """A verifier's answer: the verdict, and why if it says so."""
    why = "" if answer.reason is None else f": {reason_text(answer.reason)}"
    return f"{answer.verdict.value}{why}"


def reason_text(reason: Reason | None) -> str:
    """Why a verdict is what it is; nothing where no reason is given."""
    match reason:
        case None:
            return ""
        case Cause():
            return CAUSES[reason]
        case (
            TimeLimit()
            | SinkRemoved()
            | SinkAdded()
            | ColumnCounts()
            | DifferentColumns()
            | DifferentType()
            | WrittenDifferently()
        ):
            return _before_comparing(reason)
        case SameOperators():
            return f"the same {reason.count} operators on the same sources"
        case Proven():
            return _proven(reason)
        case QuestionsAsked():
            return f"{reason.count} questions"
        case DiffersOn():
            return _differs(reason)
        case FailsInOneVersion():
            return f"the results are the same, but {caveat_text(reason.failure)}"
        case ZeroSignShown():
            return (
                f"{reason.expression} tells 0.0 from -0.0 of a float that is compared or grouped "
                "by: which of them Spark gives depends on its plan"
            )
        case Contradicted():
            count = reason.questions
            return f"{reason.solver} contradicts {count} of the solver's answers behind the proof"
        case ProofRefuted():
            return (
                "a defect of Veer: there is a proof, and yet the versions differ on "
                f"{reason.tables}; please report this with both versions"
            )
        case DifferentComputation():
            return _different_computation(reason)
        case NoDifference():
            return f"no difference on {reason.instances} small instances"
        case UnknownVerifier():
            return f"there is no verifier {reason.ev!r} to ask"
        case NeverAsked():
            return f"{reason.ev} was never asked this"
        case CannotRefute() | Restricted() | Unsupported() | TooLarge() | Message():
            return reason.text
        case (
            NotProven()
            | NotShown()
            | SaidBy()
            | AtCutPoint()
            | WindowNotShown()
            | ClaimNotShown()
            | DecompositionBudget()
            | Several()
        ):
            return _nested(reason)
        case _:
            assert_never(reason)


def _before_comparing(
    reason: TimeLimit
    | SinkRemoved
    | SinkAdded
    | ColumnCounts
    | DifferentColumns
    | DifferentType
    | WrittenDifferently,
) -> str:
    match reason:
        case TimeLimit():
            return f"timeout after {reason.seconds:g} s"
        case SinkRemoved():
            return f"sink {reason.sink!r} was removed"
        case SinkAdded():
            return f"sink {reason.sink!r} was added"
        case ColumnCounts():
            return f"{reason.p} columns in P, {reason.q} in Q: {_only_in(reason)}"
        case DifferentColumns(generated=name):
            alias = f"; give {name!r} an alias to be sure of its name" if name else ""
            return f"different columns: {_only_in(reason)}{alias}"
        case DifferentType():
            decides = "; the table written decides" if reason.table_decides else ""
            return f"column {reason.column!r} is {reason.p} in P, {reason.q} in Q{decides}"
        case WrittenDifferently():
            return f"written as {reason.p} in P, as {reason.q} in Q"
        case _:
            assert_never(reason)


def _only_in(reason: ColumnCounts | DifferentColumns) -> str:
    """Names of columns that only one version has."""
    sides = (("P", reason.only_p), ("Q", reason.only_q))
    parts = (f"only in {side}: {listing(names, MOST_NAMES)}" for side, names in sides if names)
    return "; ".join(parts) or "repeated names"


def _proven(reason: Proven) -> str:
    parts = []
    if reason.evs:
        count = f" in {reason.windows} windows" if reason.windows > 1 else ""
        parts.append(f"proven by {' and '.join(reason.evs)}{count}")
    if reason.normalized:
        parts.append("columns are computed elsewhere, to the same effect")
    if reason.unseen:
        verb = "edit changes" if reason.unseen == 1 else "edits change"
        parts.append(f"{reason.unseen} {verb} nothing that is needed")
    return "; ".join(parts)


def _differs(reason: DiffersOn) -> str:
    instance = f"an instance of {reason.rows} row{'' if reason.rows == 1 else 's'}"
    text = f"they differ on {instance}"
    if reason.only_order:
        text = f"they give the same rows in another order on {instance}"
    if reason.run_at is not None:
        text += f", in a run on {reason.run_at:%Y-%m-%d at %H:%M:%S}"
    return text


def _different_computation(reason: DifferentComputation) -> str:
    p = f"{reason.p!r} [{reason.p_shown}] in P"
    if reason.q_shown:
        return f"not the same computation: {p}, {reason.q!r} [{reason.q_shown}] in Q"
    if reason.how:
        return f"not the same computation: {p}, {reason.q!r} in Q: {reason.how}"
    return f"not the same computation: what feeds {p}, {reason.q!r} in Q"


def _nested(
    reason: NotProven
    | NotShown
    | SaidBy
    | AtCutPoint
    | WindowNotShown
    | ClaimNotShown
    | DecompositionBudget
    | Several,
) -> str:
    """Reasons that hold others."""
    match reason:
        case NotProven():
            return f"not proven: {reason_text(reason.reason)}"
        case NotShown():
            return f"{reason.ev} does not show it: {reason_text(reason.reason)}"
        case SaidBy():
            return f"{', '.join(reason.evs)}: {reason_text(reason.reason)}"
        case AtCutPoint():
            return f"cut point {reason.p!r} ~ {reason.q!r}: {reason_text(reason.reason)}"
        case WindowNotShown():
            p, q = (", ".join(ids) or "-" for ids in (reason.p, reason.q))
            return f"window [{p} | {q}]: {_joined(reason.reasons) or 'not shown'}"
        case ClaimNotShown():
            return f"{reason.p!r} ~ {reason.q!r} is not shown: {_joined(reason.reasons)}"
        case DecompositionBudget():
            spent = f"the budget of {reason.decompositions} decompositions ran out"
            return f"{spent}; {reason_text(reason.reason)}"
        case Several():
            return _joined(reason.reasons)
        case _:
            assert_never(reason)


def _joined(reasons: Iterable[Reason]) -> str:
    return "; ".join(map(reason_text, reasons))
