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
    Cause.QUESTION_BUDGET: "the budget ran out; a larger --budget lets the search continue",
    Cause.NESTED_TOO_DEEPLY: "the expressions or operators are nested too deeply",
    Cause.DIFFERENT_TYPES: "the columns have different types",
    Cause.SORTED_DIFFERENTLY: "the results are sorted differently",
    Cause.DIFFER_ON_INSTANCE: "the two sides differ on a small instance",
    Cause.DIFFER_IN_SIMULATION: (
        "the two sides differ on a small instance, as far as it can be simulated"
    ),
    Cause.NO_CUT_POINT: "no intermediate results of the two versions could be proven equal",
    Cause.NO_VERIFIER: "no verifier is selected",
    Cause.NO_EDITS: "the versions have no edits, and still no proof was found",
    Cause.NO_COUNTERPART: "one of its outputs has no counterpart in the other version",
    Cause.CATALYST_DIFFERS: "Spark's optimizer gives the two versions different plans",
    Cause.CATALYST_KNOWS_MORE: "Spark's optimizer used facts that do not hold for every source",
    Cause.COLUMNS_MOVED: "the columns are in another order, and the sink writes them by position",
    Cause.NOTHING_NEEDED_CHANGES: "the edits change no value that is needed",
}
SIDES = {caveats.Side.P: "before", caveats.Side.Q: "after"}
RULES = {
    Rule.CONGRUENCE: "the same operator on inputs shown equal; needs no solver",
    Rule.PASS_THROUGH: (
        "an operator of one version does not change the columns of the claim; needs no solver"
    ),
    Rule.SINK: "a sink gives the rows of its input; needs no solver",
    Rule.NORMALIZE: "proven for the normalized versions, where other operators compute some columns",
    Rule.VERIFIER: "a verifier proves it for the operators in between",
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
            return (
                f"{assumption.p!r} ({assumption.shown}) gives the same result in both versions, "
                "though Spark does not guarantee it"
            )
        case assumptions.BatchIndependent():
            return (
                f"the result of {assumption.p!r} ({assumption.shown}) does not depend on how Spark "
                "divides rows into batches"
            )
        case assumptions.RowWise():
            return f"{assumption.function} works row by row, as declared"
        case assumptions.PackageIsPure():
            return f"functions of {assumption.package} depend only on their arguments, as declared"
        case assumptions.MergeStops():
            return (
                f"MERGE into {assumption.table} fails if a row matches several rows: Spark's own "
                "tables do so, Delta only if a clause changes such a row"
            )
        case assumptions.ColumnsAsUsed(remembered=True):
            columns = ", ".join(assumption.columns)
            return f"{assumption.table} has the columns of the last run ({columns})"
        case assumptions.ColumnsAsUsed():
            used = ", ".join(assumption.columns) or "none by name"
            others = ", and others with other names" if assumption.others else ""
            return f"{assumption.table} has the columns used ({used}){others}, of any type"
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
                f"an expression may fail {SIDES[side]} but not {SIDES[side.other]}: "
                f"{caveat.expression}{guards}"
            )
        case caveats.MoreMayFail():
            return f"{caveat.count} more expressions may fail in only one version"
        case caveats.ShownDifferently():
            return f"shown as {caveat.p} before, as {caveat.q} after"
        case caveats.OtherColumnNames():
            return "the column names are different; the table takes columns by position"
        case caveats.NamesDifferInCase():
            return "column names differ in upper and lower case"
        case caveats.OtherColumnOrder():
            return "the columns are in another order"
        case caveats.GeneratedName():
            return f"Spark generates the name {caveat.name!r}; an alias makes it certain"
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
                f"the result of {reason.expression} is different for 0.0 and -0.0, and Spark's plan "
                "decides which of the two it gets: a comparison or grouping takes them as equal"
            )
        case Contradicted():
            count = reason.questions
            return (
                f"{reason.solver} contradicts {count} of the solver's answers that the proof uses"
            )
        case ProofRefuted():
            return (
                "a defect of Veer: there is a proof, and yet the versions differ on "
                f"{reason.tables}; please report this with both versions"
            )
        case DifferentComputation():
            return _different_computation(reason)
        case NoDifference():
            return f"{reason.instances} small instances show no difference"
        case UnknownVerifier():
            return f"there is no verifier called {reason.ev!r}"
        case NeverAsked():
            return f"{reason.ev} did not answer this question before"
        case CannotRefute():
            return f"Veer did not look for a difference: {reason.text}"
        case Restricted() | Unsupported() | TooLarge() | Message():
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
            return f"{reason.p} columns before, {reason.q} after: {_only_in(reason)}"
        case DifferentColumns(generated=name):
            alias = f"; give {name!r} an alias to be sure of its name" if name else ""
            return f"different columns: {_only_in(reason)}{alias}"
        case DifferentType():
            decides = "; the type of the target table decides" if reason.table_decides else ""
            return f"column {reason.column!r} is {reason.p} before, {reason.q} after{decides}"
        case WrittenDifferently():
            return f"written as {reason.p} before, as {reason.q} after"
        case _:
            assert_never(reason)


def _only_in(reason: ColumnCounts | DifferentColumns) -> str:
    """Names of columns that only one version has."""
    sides = (("before", reason.only_p), ("after", reason.only_q))
    parts = (f"only {side}: {listing(names, MOST_NAMES)}" for side, names in sides if names)
    return "; ".join(parts) or "repeated names"


def _proven(reason: Proven) -> str:
    parts = []
    if reason.evs:
        count = f" in {reason.windows} windows" if reason.windows > 1 else ""
        parts.append(f"proven by {' and '.join(reason.evs)}{count}")
    if reason.normalized:
        parts.append("other operators compute some columns, with the same result")
    if reason.unseen:
        verb = "edit changes" if reason.unseen == 1 else "edits change"
        parts.append(f"{reason.unseen} {verb} no value that is needed")
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
    p = f"{reason.p!r} [{reason.p_shown}] before"
    if reason.q_shown:
        return f"not proven equal: {p}, {reason.q!r} [{reason.q_shown}] after"
    if reason.how:
        return f"not proven equal: {p}, {reason.q!r} after: {reason.how}"
    return f"not proven equal: the inputs of {p}, {reason.q!r} after"


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
            return f"{reason.ev} does not prove it: {reason_text(reason.reason)}"
        case SaidBy():
            return _answered(reason)
        case AtCutPoint():
            return f"{_both(reason.p, reason.q)}: {reason_text(reason.reason)}"
        case WindowNotShown():
            p, q = (", ".join(ids) or "-" for ids in (reason.p, reason.q))
            return f"window [{p} | {q}]: {_joined(reason.reasons) or 'not proven'}"
        case ClaimNotShown():
            return f"{_both(reason.p, reason.q)} not proven equal: {_joined(reason.reasons)}"
        case DecompositionBudget():
            spent = f"the budget of {reason.decompositions} decompositions ran out"
            return f"{spent}; {reason_text(reason.reason)}"
        case Several():
            return _joined(reason.reasons)
        case _:
            assert_never(reason)


def _answered(reason: SaidBy) -> str:
    """What verifiers answered: that they cannot take the question, or why they have no proof."""
    names, text = ", ".join(reason.evs), reason_text(reason.reason)
    refused = isinstance(reason.reason, Restricted | Unsupported | TooLarge)
    return f"refused by {names}: {text}" if refused else f"{names}: {text}"


def _both(p: str, q: str) -> str:
    """An operator of each version."""
    return f"{p!r} before and after" if p == q else f"{p!r} before and {q!r} after"


def _joined(reasons: Iterable[Reason]) -> str:
    return "; ".join(map(reason_text, reasons))
