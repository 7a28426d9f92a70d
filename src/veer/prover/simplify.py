"""Terms, conditions and expressions in a simpler form that means the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from veer.expressions.laws import fold, simplified
from veer.model.expr import (
    And,
    Call,
    Case,
    Compare,
    Expr,
    IsNull,
    Literal,
    Not,
    OpaqueCall,
    Or,
    RowColumn,
    Symbol,
)
from veer.model.types import DataType, StringType, has_floats
from veer.model.walk import parts
from veer.prover.conditions import (
    EqualityClasses,
    can_be_null,
    is_never,
    is_strict,
)
from veer.prover.context import Context
from veer.prover.rules import BAG_RULES, EXISTS_RULES
from veer.prover.rules.eliminate_domain import eliminate_domain
from veer.prover.terms import FALSE, TRUE, Term
from veer.smt import Holds
from veer.smt.formula import ADDED, MULTIPLIED, SAME

MOST_NULLABLE = 3  # texts that are joined
MOST_BRANCHES = 3  # of a CASE that is taken out of a concatenation
ROUNDS = 40  # each removes an atom, or an EXISTS; a bound all the same


def simplify(context: Context, term: Term, *, in_exists: bool = False) -> Term | None:
    """The same bag (or, in an EXISTS, the same emptiness) in fewer atoms; None if empty."""
    rules = EXISTS_RULES if in_exists else BAG_RULES
    for _ in range(ROUNDS):
        conditions = simplify_conditions(context, term.conditions)
        if conditions is None:
            return None
        term = replace(term, conditions=conditions)
        for rule in rules:
            changed = rule(context, term)
            if changed is not None:
                term = changed
                break
        else:
            return _with_known_outputs(context, term)
    return term


def without_domains(context: Context, term: Term) -> Term:
    """The term without the values that its conditions make equal to others."""
    for _ in range(ROUNDS):
        conditions = simplify_conditions(context, term.conditions)
        if conditions is None:
            return replace(term, conditions=(FALSE,))
        term = replace(term, conditions=conditions)
        changed = eliminate_domain(context, term)
        if changed is None:
            return term
        term = changed
    return term


def _with_known_outputs(context: Context, term: Term) -> Term:
    """Outputs in terms of constants and outer columns where equalities allow it."""
    if not term.outputs:
        return term
    classes = EqualityClasses.of(term.conditions)
    bound = {a.var for a in term.atoms}
    table: dict[RowColumn, Expr] = {}
    for column in frozenset().union(*map(context.free, term.outputs)):
        if column.variable in bound:
            for member in classes.members(column):
                if bound.isdisjoint(context.variables(member)):
                    table[column] = member
                    break
    if not table:
        return term
    return replace(term, outputs=tuple(context.substitute(o, table) for o in term.outputs))


# -- conditions ------------------------------------------------------------------------------------


def simplify_conditions(context: Context, conditions: Iterable[Expr]) -> tuple[Expr, ...] | None:
    """The parts of a conjunction, each once; None if one of them is never true.

    A condition keeps a row only where it is true, so null counts as false throughout: `a = b`
    is `a <=> b` with `a` not null, and `NOT NOT p` is `p`.
    """
    kept: dict[Expr, None] = {}
    stack = list(reversed(tuple(conditions)))
    while stack:
        condition = stack.pop()
        instead = _split(condition)
        if instead is not None:
            stack.extend(reversed(instead))
            continue
        condition = _decided(condition)
        if condition == TRUE:
            continue
        if isinstance(condition, Literal):
            return None
        if isinstance(condition, Compare) and _compares_nullables(condition):
            stack.append(Not(IsNull(condition.left)))
        condition = _null_safe(condition)
        # Constants alone: the solver may compute them. What it cannot decide stays.
        if condition not in kept and not reads_variables(condition):
            if context.solver.refutes([Holds(condition)]):
                return None
            if context.solver.proves(Holds(condition)):
                continue
        kept[condition] = None
    return tuple(kept)


def _split(condition: Expr) -> tuple[Expr, ...] | None:
    """Conditions that are all true exactly where this one is; None if there are no simpler ones."""
    match condition:
        case And(args):
            return args
        case Not(Not(arg)) | Case(((arg, Literal(True)),), Literal(False)):
            return (arg,)
        case Case(((arg, Literal(True)), (_, Literal(None))), Literal(False)):
            return (arg,)  # IN: null is not true either
        case Not(Or(args)):
            return tuple(map(Not, args))
        case Not(IsNull(Call(function, args))) if is_strict(function):
            return tuple(Not(IsNull(a)) for a in args)
        case Compare("=", left, right) if left == right:
            return (Not(IsNull(left)),)
        case _:
            return None


def _decided(condition: Expr) -> Expr:
    """TRUE or FALSE where that is what a condition always is, else itself."""
    match condition:
        case Not(And(args)) if any(map(is_never, args)):
            return TRUE
        case Not(IsNull(RowColumn(nullable=False) | Symbol(nullable=False))):
            return TRUE
        case Not(IsNull(OpaqueCall(identity))) if identity in (ADDED, MULTIPLIED):
            return TRUE  # their arguments are never null where they are read
        case Not(IsNull(Literal(value))):
            return FALSE if value is None else TRUE
        case IsNull(RowColumn(nullable=False) | Symbol(nullable=False)):
            return FALSE
        case Compare("<=>", left, right) if left == right:
            return TRUE
        case OpaqueCall(identity, (left, right)) if identity == SAME and left == right:
            return TRUE
        case _:
            return fold(condition)


def _compares_nullables(condition: Compare) -> bool:
    return (
        condition.op == "="
        and not has_floats(condition.left.type)
        and can_be_null(condition.left)
        and can_be_null(condition.right)
    )


def _null_safe(condition: Expr) -> Expr:
    """`<=>` for an `=` of which a side is not null; on floats both take 0.0 for -0.0."""
    match condition:
        case Compare("=", left, right) if not has_floats(left.type):
            return Compare("<=>", left, right)
        case _:
            return condition


# -- expressions -----------------------------------------------------------------------------------


def simplify_node(context: Context, expr: Expr) -> Expr:
    """The expression without tests and branches whose outcome is known beforehand.

    Looks at its top only. Constants are computed, and conditions written in one way.
    """
    match expr:
        case IsNull(arg) if not can_be_null(arg):
            return FALSE
        case Call("concat", args, type_) if isinstance(type_, StringType):
            return _concatenation(args, type_)
        case Call("concat_ws", (Literal(str()) as separator, *args)) if _are_texts(args):
            return _joined(separator, args, expr.type)
        case Case():
            return _without_known_branches(context, expr)
        case _:
            return simplified(expr)


def _concatenation(args: tuple[Expr, ...], type_: DataType) -> Expr:
    """Texts put together, by the branches of a CASE or COALESCE among them.

    Only so do the constants of a branch stand beside those around it.
    """
    for place, arg in enumerate(args):
        case = _as_case(arg)
        if case is None or len(case.branches) > MOST_BRANCHES:
            continue
        before, after = args[:place], args[place + 1 :]
        branches = tuple(
            (when, _concatenation((*before, then, *after), type_)) for when, then in case.branches
        )
        return Case(branches, _concatenation((*before, case.otherwise, *after), type_))
    return simplified(Call("concat", args, type_))


def _as_case(expr: Expr) -> Case | None:
    """A CASE, or what a COALESCE with a constant is as one."""
    match expr:
        case Case():
            return expr
        case Call("coalesce", (first, Literal() as constant)):
            return Case(((Not(IsNull(first)), first),), constant)
        case _:
            return None


def _are_texts(args: Sequence[Expr]) -> bool:
    """Whether these are texts, of which few can be null."""
    nullable = sum(can_be_null(a) for a in args)
    return nullable <= MOST_NULLABLE and all(isinstance(a.type, StringType) for a in args)


def _joined(
    separator: Expr, args: Sequence[Expr], type_: DataType, taken: tuple[Expr, ...] = ()
) -> Expr:
    """Texts with a separator between them, by which of them are null: those are left out."""
    if not args:
        between = [part for text in taken for part in (separator, text)]
        return _concatenation(tuple(between[1:]), type_)
    first, rest = args[0], args[1:]
    present = _joined(separator, rest, type_, (*taken, first))
    if not can_be_null(first):
        return present
    return Case(((IsNull(first), _joined(separator, rest, type_, taken)),), present)


def _without_known_branches(context: Context, case: Case) -> Expr:
    """A CASE without branches that are never taken, or come after one that always is."""
    kept: list[tuple[Expr, Expr]] = []
    otherwise = case.otherwise
    for when, then in case.branches:
        if not reads_variables(when):
            if context.solver.refutes([Holds(when)]):
                continue  # false or null: never taken
            if context.solver.proves(Holds(when)):
                otherwise = then
                break
        kept.append((when, then))
    if not kept:
        return otherwise
    return case if len(kept) == len(case.branches) else Case(tuple(kept), otherwise)


def reads_variables(expr: Expr) -> bool:
    """Whether an expression depends on the rows at all."""
    return any(isinstance(node, RowColumn | Symbol) for node in parts(expr))
