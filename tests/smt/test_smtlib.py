"""Questions as SMT-LIB 2 mean what was asked: two solvers read them and answer as z3 did before."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
import z3

from veer.ir.expr import (
    And,
    Call,
    Cast,
    Compare,
    Expr,
    GetField,
    IsNull,
    Literal,
    Not,
    OpaqueCall,
    RowColumn,
    Symbol,
)
from veer.ir.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    LONG,
    STRING,
    DataType,
    parse_type,
)
from veer.options import SecondSolver
from veer.prove.solver import (
    All,
    Formula,
    Holds,
    No,
    Question,
    Same,
    SameCount,
    Solver,
    SolverOutcome,
    Some,
    as_smtlib,
    implies,
    listening,
)
from veer.prove.solver.second_solver import ask_again, second_solver
from veer.verdict import SecondAnswer


def by_z3(text: str) -> str:
    solver = z3.Solver(ctx=z3.Context())
    solver.from_string(text)
    return str(solver.check())


def compare(op: str, left: Expr, right: Expr) -> Formula:
    return Holds(Compare(op, left, right))


_places: dict[str, int] = {}


def col(name: str, type_: DataType = INT) -> RowColumn:
    return RowColumn(1, _places.setdefault(f"{name} {type_}", len(_places)), type_)


def named(name: str, type_: DataType = INT) -> Expr:
    """A value under a name that users choose: that of a function."""
    return OpaqueCall(name, (), type_)


def text(value: str) -> Literal:
    return Literal(value, STRING)


A, B, S = col("a"), col("b"), col("s", STRING)
D = col("d", DOUBLE)
PRICE = col("price", parse_type("decimal(8,2)"))
STRUCT = col("r", parse_type("struct<`x|\\ y`:int>"))
ODD = ("it's", 'a "b"', "a|b", "back\\slash", "two\nlines", "naïve 😀", "|", "", "; (check-sat)")
YES: list[tuple[str, Formula, tuple[Formula, ...]]] = [
    ("an order", compare(">", A, Literal(-5, INT)), (compare(">", A, Literal(3, INT)),)),
    ("a null", No(compare("=", A, B)), (Holds(IsNull(A)),)),
    ("both or one", Some((Holds(IsNull(A)), Holds(Not(IsNull(A))))), ()),
    ("no part", All(()), ()),
    ("transitive", Same(A, col("c")), (Same(A, B), Same(B, col("c")))),
    ("doubles", compare(">", D, Literal(0.5, DOUBLE)), (compare(">", D, Literal(1e300, DOUBLE)),)),
    ("not a number", compare("<", D, Literal(float("nan"), DOUBLE)), (compare("<", D, Literal(1.0, DOUBLE)),)),
    ("decimals", compare(">", PRICE, Literal(Decimal("-0.10"), PRICE.type)), (compare(">", PRICE, Literal(Decimal("0.33"), PRICE.type)),)),
    ("counting", SameCount((compare("<", A, B), compare(">", A, B)), (No(compare("=", A, B)),)), (Holds(Not(IsNull(A))), Holds(Not(IsNull(B))))),
    ("a function", Same(Call("upper", (S,), STRING), Call("upper", (text("x"),), STRING)), (Same(S, text("x")),)),
    ("a remainder", compare("<", Call("%", (A, Literal(3, INT)), INT), Literal(3, INT)), (Holds(Not(IsNull(A))),)),
    ("a field", Same(GetField(STRUCT, "x|\\ y"), B), (Same(GetField(STRUCT, "x|\\ y"), A), Same(A, B))),
    ("a date", compare(">", col("x", DATE), col("z", DATE)), (compare(">", col("x", DATE), col("y", DATE)), compare(">", col("y", DATE), col("z", DATE)))),
    ("a cast", compare(">", Cast(A, LONG), Literal(1, LONG)), (compare(">", A, Literal(1, INT)),)),
    *((f"the text {odd!r}", No(Same(S, text(f"{odd}."))), (Same(S, text(odd)),)) for odd in ODD),
    *((f"the function {odd!r}", Same(named(odd), A), (Same(A, named(odd)),)) for odd in ODD),
    # Names of operations and of Veer's own symbols are names like others.
    ("names", Same(named("and"), A), (Same(A, named("not")), Same(named("not"), named("and")))),
    ("parts", Same(named("part 1"), A), (Same(A, named("a value")), Same(named("a value"), named("part 1")))),
]  # fmt: skip
NO: list[tuple[str, Formula, tuple[Formula, ...]]] = [
    ("an order", compare(">", A, Literal(3, INT)), (compare(">", A, Literal(-5, INT)),)),
    ("other texts", Same(S, text("a|")), (Same(S, text("a\\")),)),
    # What differs in an odd character only stays apart.
    ("other functions", Same(named("x|"), named("x{7c}")), ()),
    ("other kinds", Holds(named("x value", BOOLEAN)), (Same(named("x"), A),)),
    ("a column and a symbol", Same(A, Symbol(A.index, INT)), ()),
]


@pytest.mark.parametrize(("goal", "given"), [pytest.param(g, h, id=t) for t, g, h in YES])
def test_what_is_proven_is_unsatisfiable(goal: Formula, given: tuple[Formula, ...]) -> None:
    with listening() as noted:
        assert Solver().proves(goal, given)
    (question,) = noted
    assert question == Question(goal, given)
    written = as_smtlib(question)
    assert written == as_smtlib(question)
    assert written.isascii()
    assert by_z3(written) == "unsat"
    assert ask_again(written) == (SecondAnswer.AGREED, "unsat")


@pytest.mark.parametrize(("goal", "given"), [pytest.param(g, h, id=t) for t, g, h in NO])
def test_what_does_not_follow_is_contradicted(goal: Formula, given: tuple[Formula, ...]) -> None:
    with listening() as noted:
        assert Solver().ask(goal, given) is SolverOutcome.NOT_PROVEN
    assert not noted
    written = as_smtlib(Question(goal, given))
    assert by_z3(written.replace("(set-info :status unsat)", "")) == "sat"
    assert ask_again(written) == (SecondAnswer.DISAGREED, "sat")


def test_only_proven_questions_are_noted_and_also_remembered_ones() -> None:
    goal = compare(">", A, Literal(1, INT))
    given = (compare(">", A, Literal(2, INT)),)
    solver = Solver()
    assert solver.proves(goal, given)
    with listening() as noted:
        assert solver.proves(goal, given)
        assert solver.proves(goal, given)
        assert not solver.proves(goal)
    assert list(noted) == [Question(goal, given)]
    assert solver.proves(goal, given)
    assert len(noted) == 1


def test_a_term_that_occurs_often_is_written_once() -> None:
    found: Expr = A
    for _ in range(40):
        found = Call("+", (found, found), INT)
    same = Call("+", (found, Literal(0, INT)), INT)
    written = as_smtlib(Question(compare("=", found, same), (Holds(Not(IsNull(A))),)))
    assert len(written) < 40_000
    assert ask_again(written)[0] is SecondAnswer.AGREED


def test_the_words_stand_beside_the_assertions() -> None:
    written = as_smtlib(
        Question(compare("=", A, B), (Same(B, A), implies(Holds(IsNull(A)), Same(A, B))))
    )
    assert re.findall(r"^; (given|goal): (.*)$", written, re.MULTILINE) == [
        ("given", "t1.1 is the same as t1.0"),
        ("given", "(not ((t1.0 IS NULL))) or (t1.0 is the same as t1.1)"),
        ("goal", "(t1.0 = t1.1)"),
    ]
    line = as_smtlib(Question(Holds(And((Compare("=", S, text("a\nb")), Compare("=", A, B))))))
    assert "\\nb" in line


def test_what_the_second_solver_does_not_know_is_not_rechecked() -> None:
    (answer, words) = ask_again(as_smtlib(Question(*YES[0][1:])), work=1)
    assert answer is SecondAnswer.NOT_RECHECKED
    assert "unknown" in words
    assert (
        ask_again("(set-logic ALL)\n(assert (nonsense))\n(check-sat)")[0]
        is SecondAnswer.NOT_RECHECKED
    )
    assert ask_again("(set-logic ALL)")[0] is SecondAnswer.NOT_RECHECKED


def test_the_second_solver_has_a_version() -> None:
    assert re.fullmatch(r"cvc5 \d+\.\d+.*", second_solver(SecondSolver.CVC5))
