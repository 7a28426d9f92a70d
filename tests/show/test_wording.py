"""Every assumption, caveat and reason has words and a kind of its own."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, ClassVar, get_args

import pytest

from veer.assumptions import Assumption, ForeignKeyHolds, KeyHolds, SameChoice
from veer.caveats import Caveat, MayFail, MoreMayFail, Side
from veer.reasons import (
    Cause,
    DifferentColumns,
    DiffersOn,
    Message,
    Proven,
    Reason,
    SaidBy,
    Several,
    WindowNotShown,
    several,
)
from veer.show.wording import CAUSES, RULES, assumption_text, caveat_text, reason_text
from veer.verdict import Answer, Rule, Verdict

VALUES: dict[str, Any] = {
    "str": "x",
    "str | None": None,
    "int": 2,
    "float": 1.5,
    "bool": True,
    "tuple[str, ...]": ("x", "y"),
    "datetime | None": datetime(2026, 1, 2),
    "Side": Side.P,
    "Reason": Message("why"),
    "Reason | None": None,
    "tuple[Reason, ...]": (Message("why"), Message("and why")),
    "MayFail | MoreMayFail": MoreMayFail(1),
}


def example(class_: type[Any]) -> Any:
    return class_(**{f.name: VALUES[f.type] for f in fields(class_)})  # type: ignore[index]


@pytest.mark.parametrize(
    ("union", "text"),
    [(Assumption, assumption_text), (Caveat, caveat_text), (Reason, reason_text)],
    ids=["assumptions", "caveats", "reasons"],
)
def test_every_class_has_words_and_a_kind_of_its_own(union: Any, text: Any) -> None:
    classes = [c for c in get_args(union) if c is not Cause]
    assert all(text(example(c)) for c in classes)
    kinds = [c.kind for c in classes]
    assert len(set(kinds)) == len(kinds)
    assert not set(kinds) & {cause.kind for cause in Cause} or union is not Reason


def test_every_cause_and_rule_has_words() -> None:
    assert set(CAUSES) == set(Cause) and all(map(reason_text, Cause))
    assert set(RULES) == set(Rule)


@dataclass(frozen=True)
class FromTomorrow:
    kind: ClassVar[str] = "from tomorrow"


@pytest.mark.parametrize("text", [assumption_text, caveat_text, reason_text])
def test_what_has_no_words_is_not_worded(text: Any) -> None:
    with pytest.raises(AssertionError):
        text(FromTomorrow())


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (assumption_text(KeyHolds("t", ("a", "b"))), "a, b is a key of t"),
        (assumption_text(ForeignKeyHolds("t", ("a",), "u")), "a of t refers to u"),
        (
            assumption_text(SameChoice("x", "y", "Limit 1")),
            "'x' (Limit 1) gives the same result in both versions, though Spark does not guarantee it",
        ),
        (
            caveat_text(MayFail(Side.Q, "1 / a", ("b > 0", "c"))),
            "an expression may fail after but not before: 1 / a where b > 0 and c",
        ),
        (reason_text(None), ""),
        (reason_text(DiffersOn(1)), "they differ on an instance of 1 row"),
        (
            reason_text(DiffersOn(2, True, datetime(2026, 1, 2, 3, 4, 5))),
            "they give the same rows in another order on an instance of 2 rows, "
            "in a run on 2026-01-02 at 03:04:05",
        ),
        (reason_text(Proven(("spes", "algebra"), 3)), "proven by spes and algebra in 3 windows"),
        (
            reason_text(Proven((), 0, normalized=True, unseen=1)),
            "other operators compute some columns, with the same result; "
            "1 edit changes no value that is needed",
        ),
        (reason_text(DifferentColumns((), ())), "different columns: repeated names"),
        (
            reason_text(WindowNotShown(("a",), (), (SaidBy(("spes",), Cause.NO_PROOF_FOUND),))),
            "window [a | -]: spes: no proof found",
        ),
        (reason_text(WindowNotShown(("a",), (), ())), "window [a | -]: not proven"),
    ],
)
def test_words(made: str, text: str) -> None:
    assert made == text


def test_several_reasons_are_each_given_once() -> None:
    one, two = Message("one"), Message("two")
    assert several([one, one]) == one
    assert several([one, two, one]) == Several((one, two))
    assert reason_text(several([one, two])) == "one; two"


def test_an_answer_holds_values_only() -> None:
    with pytest.raises(TypeError, match="a reason is a value"):
        Answer(Verdict.UNKNOWN, "who knows")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="an assumption is one"):
        Answer(Verdict.EQUIVALENT, None, (FromTomorrow(),))  # type: ignore[arg-type]
