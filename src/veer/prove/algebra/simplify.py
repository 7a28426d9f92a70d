"""Terms, conditions and expressions in a simpler form that means the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from veer.expressions.laws import fold, simplified
from veer.ir import expr as ex, types as ty
from veer.ir.walk import parts
from veer.prove.algebra.conditions import (
    EqualityClasses,
    can_be_null,
    is_never,
    is_strict,
)
from veer.prove.algebra.context import Context
from veer.prove.algebra.rules import BAG_RULES, EXISTS_RULES
from veer.prove.algebra.rules.eliminate_domain import eliminate_domain
from veer.prove.algebra.terms import FALSE, TRUE, Term
from veer.prove.solver import Holds
from veer.prove.solver.formula import ADDED, MULTIPLIED, SAME

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
    table: dict[ex.RowColumn, ex.Expr] = {}
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


def simplify_conditions(
    context: Context, conditions: Iterable[ex.Expr]
) -> tuple[ex.Expr, ...] | None:
    """The parts of a conjunction, each once; None if one of them is never true.

    A condition keeps a row only where it is true, so null counts as false throughout: `a = b`
    is `a <=> b` with `a` not null, and `NOT NOT p` is `p`.
    """
    kept: dict[ex.Expr, None] = {}
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
        if isinstance(condition, ex.Literal):
            return None
        if isinstance(condition, ex.Compare) and _compares_nullables(condition):
            stack.append(ex.Not(ex.IsNull(condition.left)))
        condition = _null_safe(condition)
        # Constants alone: the solver may compute them. What it cannot decide stays.
        if condition not in kept and not reads_variables(condition):
            if context.solver.refutes([Holds(condition)]):
                return None
            if context.solver.proves(Holds(condition)):
                continue
        kept[condition] = None
    return tuple(kept)


def _split(condition: ex.Expr) -> tuple[ex.Expr, ...] | None:
    """Conditions that are all true exactly where this one is; None if there are no simpler ones."""
    match condition:
        case ex.And(args):
            return args
        case ex.Not(ex.Not(arg)) | ex.Case(((arg, ex.Literal(True)),), ex.Literal(False)):
            return (arg,)
        case ex.Case(((arg, ex.Literal(True)), (_, ex.Literal(None))), ex.Literal(False)):
            return (arg,)  # IN: null is not true either
        case ex.Not(ex.Or(args)):
            return tuple(map(ex.Not, args))
        case ex.Not(ex.IsNull(ex.Call(function, args))) if is_strict(function):
            return tuple(ex.Not(ex.IsNull(a)) for a in args)
        case ex.Compare("=", left, right) if left == right:
            return (ex.Not(ex.IsNull(left)),)
        case _:
            return None


def _decided(condition: ex.Expr) -> ex.Expr:
    """TRUE or FALSE where that is what a condition always is, else itself."""
    match condition:
        case ex.Not(ex.And(args)) if any(map(is_never, args)):
            return TRUE
        case ex.Not(ex.IsNull(ex.RowColumn(nullable=False) | ex.Symbol(nullable=False))):
            return TRUE
        case ex.Not(ex.IsNull(ex.OpaqueCall(identity))) if identity in (ADDED, MULTIPLIED):
            return TRUE  # their arguments are never null where they are read
        case ex.Not(ex.IsNull(ex.Literal(value))):
            return FALSE if value is None else TRUE
        case ex.IsNull(ex.RowColumn(nullable=False) | ex.Symbol(nullable=False)):
            return FALSE
        case ex.Compare("<=>", left, right) if left == right:
            return TRUE
        case ex.OpaqueCall(identity, (left, right)) if identity == SAME and left == right:
            return TRUE
        case _:
            return fold(condition)


def _compares_nullables(condition: ex.Compare) -> bool:
    return (
        condition.op == "="
        and not ty.has_floats(condition.left.type)
        and can_be_null(condition.left)
        and can_be_null(condition.right)
    )


def _null_safe(condition: ex.Expr) -> ex.Expr:
    """`<=>` for an `=` of which a side is not null; on floats both take 0.0 for -0.0."""
    match condition:
        case ex.Compare("=", left, right) if not ty.has_floats(left.type):
            return ex.Compare("<=>", left, right)
        case _:
            return condition


# -- expressions -----------------------------------------------------------------------------------


def simplify_node(context: Context, expr: ex.Expr) -> ex.Expr:
    """The expression without tests and branches whose outcome is known beforehand.

    Looks at its top only. Constants are computed, and conditions written in one way.
    """
    match expr:
        case ex.IsNull(arg) if not can_be_null(arg):
            return FALSE
        case ex.Call("concat", args, type_) if isinstance(type_, ty.StringType):
            return _concatenation(args, type_)
        case ex.Call("concat_ws", (ex.Literal(str()) as separator, *args)) if _are_texts(args):
            return _joined(separator, args, expr.type)
        case ex.Case():
            return _without_known_branches(context, expr)
        case _:
            return simplified(expr)


def _concatenation(args: tuple[ex.Expr, ...], type_: ty.DataType) -> ex.Expr:
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
        return ex.Case(branches, _concatenation((*before, case.otherwise, *after), type_))
    return simplified(ex.Call("concat", args, type_))


def _as_case(expr: ex.Expr) -> ex.Case | None:
    """A CASE, or what a COALESCE with a constant is as one."""
    match expr:
        case ex.Case():
            return expr
        case ex.Call("coalesce", (first, ex.Literal() as constant)):
            return ex.Case(((ex.Not(ex.IsNull(first)), first),), constant)
        case _:
            return None


def _are_texts(args: Sequence[ex.Expr]) -> bool:
    """Whether these are texts, of which few can be null."""
    nullable = sum(can_be_null(a) for a in args)
    return nullable <= MOST_NULLABLE and all(isinstance(a.type, ty.StringType) for a in args)


def _joined(
    separator: ex.Expr, args: Sequence[ex.Expr], type_: ty.DataType, taken: tuple[ex.Expr, ...] = ()
) -> ex.Expr:
    """Texts with a separator between them, by which of them are null: those are left out."""
    if not args:
        between = [part for text in taken for part in (separator, text)]
        return _concatenation(tuple(between[1:]), type_)
    first, rest = args[0], args[1:]
    present = _joined(separator, rest, type_, (*taken, first))
    if not can_be_null(first):
        return present
    return ex.Case(((ex.IsNull(first), _joined(separator, rest, type_, taken)),), present)


def _without_known_branches(context: Context, case: ex.Case) -> ex.Expr:
    """A CASE without branches that are never taken, or come after one that always is."""
    kept: list[tuple[ex.Expr, ex.Expr]] = []
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
    return case if len(kept) == len(case.branches) else ex.Case(tuple(kept), otherwise)


def reads_variables(expr: ex.Expr) -> bool:
    """Whether an expression depends on the rows at all."""
    return any(isinstance(node, ex.RowColumn | ex.Symbol) for node in parts(expr))
