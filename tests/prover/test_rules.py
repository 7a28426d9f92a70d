"""Each rule rewrites the term it is for, and leaves a near miss alone."""

from __future__ import annotations

import pytest

from veer.ir.expr import Compare, Expr, IsNull, Literal, Not, RowColumn
from veer.ir.ops import Source
from veer.ir.schema import Field
from veer.ir.types import BOOLEAN, DOUBLE, INT, LONG, DataType
from veer.prove.algebra.context import Context
from veer.prove.algebra.definitions import SomeRow, value_over_nothing
from veer.prove.algebra.prove import Algebra
from veer.prove.algebra.rules import BAG_RULES, EXISTS_RULES
from veer.prove.algebra.rules.eliminate_domain import eliminate_domain
from veer.prove.algebra.rules.join_existing import join_existing
from veer.prove.algebra.rules.join_unique import join_unique
from veer.prove.algebra.rules.merge_by_key import merge_by_key
from veer.prove.algebra.rules.move_to_exists import move_to_exists
from veer.prove.algebra.simplify import simplify_conditions
from veer.prove.algebra.terms import Atom, Domain, Table, Term
from veer.prove.solver import Solver

KEYED = Table(Source("t", (Field("id", INT, False), Field("v", INT)), keys=(("id",),)))
UNIQUE = Table(Source("u", (Field("id", INT), Field("v", INT)), unique=(("id",),)))
FLOATS = Table(Source("f", (Field("id", DOUBLE, False), Field("v", INT)), keys=(("id",),)))
FREE = Table(Source("free", (Field("id", INT, False), Field("v", INT))))


@pytest.fixture
def context() -> Context:
    return Algebra(Solver())


def atom(context: Context, relation: Table | Domain) -> Atom:
    return Atom(context.fresh(), relation)


def equal(left: Expr, right: Expr, op: str = "<=>") -> Expr:
    return Compare(op, left, right)


def test_the_order_of_the_rules() -> None:
    assert (eliminate_domain, merge_by_key, join_unique, move_to_exists) == BAG_RULES
    assert (eliminate_domain, merge_by_key, join_existing) == EXISTS_RULES


@pytest.mark.parametrize("op", ["<=>", "="])
def test_a_domain_equal_to_a_value_is_that_value(context: Context, op: str) -> None:
    domain, row = atom(context, Domain(INT)), atom(context, FREE)
    value, column = domain.columns[0], row.columns[1]
    term = Term((domain, row), (equal(value, column, op),), (value,))
    changed = eliminate_domain(context, term)
    assert changed is not None
    # SQL's equality leaves nulls out.
    conditions = (Not(IsNull(column)),) if op == "=" else ()
    assert changed == Term((row,), conditions, (column,))


def test_a_domain_without_an_exact_equality_stays(context: Context) -> None:
    domain, row = atom(context, Domain(INT)), atom(context, FREE)
    value, column = domain.columns[0], row.columns[1]
    assert eliminate_domain(context, Term((domain, row), (equal(value, column, "<"),), ())) is None
    itself = Term((domain,), (equal(value, value),), ())
    assert eliminate_domain(context, itself) is None
    doubles = atom(context, Domain(DOUBLE))
    zero = Term((doubles,), (equal(doubles.columns[0], Literal(0.0, DOUBLE), "="),), ())
    assert eliminate_domain(context, zero) is None  # 0.0 and -0.0


def test_rows_that_agree_on_a_key_are_one(context: Context) -> None:
    one, two = atom(context, KEYED), atom(context, KEYED)
    same_id = equal(one.columns[0], two.columns[0])
    changed = merge_by_key(context, Term((one, two), (same_id,), (two.columns[1],)))
    assert changed is not None
    assert (changed.atoms, changed.outputs) == ((one,), (one.columns[1],))
    assert context.keys_used


@pytest.mark.parametrize("table", [UNIQUE, FLOATS, FREE])
def test_rows_that_may_be_two_stay_two(context: Context, table: Table) -> None:
    """Unique columns may both be null, float keys may be 0.0 and -0.0, others may repeat."""
    one, two = atom(context, table), atom(context, table)
    term = Term((one, two), (equal(one.columns[0], two.columns[0]),), (two.columns[1],))
    assert merge_by_key(context, term) is None
    assert not context.keys_used


def test_unique_columns_that_are_not_null_are_a_key(context: Context) -> None:
    one, two = atom(context, UNIQUE), atom(context, UNIQUE)
    conditions = (equal(one.columns[0], two.columns[0]), Not(IsNull(one.columns[0])))
    assert merge_by_key(context, Term((one, two), conditions, ())) is not None


def exists_with(context: Context, table: Table, value: Expr) -> Expr:
    row = atom(context, table)
    return context.exists((Term((row,), (equal(row.columns[0], value),), ()),))


def test_an_exists_inside_an_exists_is_a_join(context: Context) -> None:
    row = atom(context, FREE)
    term = Term((row,), (exists_with(context, FREE, row.columns[1]),), ())
    changed = join_existing(context, term)
    assert changed is not None
    assert [a.relation for a in changed.atoms] == [FREE, FREE]
    assert join_existing(context, Term((row,), (Not(term.conditions[0]),), ())) is None


def test_a_group_of_one_row_is_that_row(context: Context) -> None:
    domain = atom(context, Domain(INT))
    value = domain.columns[0]
    term = Term((domain,), (exists_with(context, KEYED, value),), (value,))
    changed = join_unique(context, term)
    assert changed is not None
    assert [a.relation for a in changed.atoms] == [Domain(INT), KEYED]
    many = Term((domain,), (exists_with(context, FREE, value),), (value,))
    assert join_unique(context, many) is None


def test_a_row_that_nobody_reads_only_has_to_exist(context: Context) -> None:
    child, parent = atom(context, FREE), atom(context, KEYED)
    refers = equal(parent.columns[0], child.columns[1])
    term = Term((child, parent), (refers,), (child.columns[0], parent.columns[0]))
    changed = move_to_exists(context, term)
    assert changed is not None
    assert changed.atoms == (child,)
    assert changed.outputs == (child.columns[0], child.columns[1])
    (condition,) = changed.conditions
    assert isinstance(context.some_row(condition), SomeRow)


def test_a_row_that_is_read_or_may_repeat_stays(context: Context) -> None:
    child, parent, free = (atom(context, t) for t in (FREE, KEYED, FREE))
    read = Term(
        (child, parent), (equal(parent.columns[0], child.columns[1]),), (parent.columns[1],)
    )
    assert move_to_exists(context, read) is None
    repeats = Term((child, free), (equal(free.columns[0], child.columns[1]),), ())
    assert move_to_exists(context, repeats) is None


def test_conditions_are_split_and_decided(context: Context) -> None:
    a, b = RowColumn(1, 0, INT), RowColumn(1, 1, INT)
    never = RowColumn(1, 2, INT, nullable=False)
    assert simplify_conditions(context, [equal(a, b, "=")]) == (equal(a, b), Not(IsNull(a)))
    assert simplify_conditions(context, [equal(never, b, "=")]) == (equal(never, b),)
    assert simplify_conditions(context, [Not(IsNull(never)), equal(a, a)]) == ()
    assert simplify_conditions(context, [IsNull(never)]) is None
    assert simplify_conditions(context, [Literal(None, BOOLEAN)]) is None
    assert simplify_conditions(context, [equal(a, a, "=")]) == (Not(IsNull(a)),)


@pytest.mark.parametrize(
    ("function", "type_", "value"),
    [
        ("count", LONG, Literal(0, LONG)),
        ("sum", LONG, Literal(None, LONG)),
        ("scalar", INT, Literal(None, INT)),
        ("count_if", LONG, None),
        ("collect_list", LONG, None),
        ("no function", LONG, None),
    ],
)
def test_folds_over_nothing(function: str, type_: DataType, value: Literal | None) -> None:
    assert value_over_nothing(function, type_) == value
