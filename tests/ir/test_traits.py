"""What operators declare about themselves: complete, and consistent with what they do."""

from __future__ import annotations

from dataclasses import fields

import pytest

from veer.ir.ops import OPERATOR_CLASSES, AnyOperator, Lateral, Operator, Sink, Sort
from veer.ir.traits import OperatorTraits, RowOrder

EACH = pytest.mark.parametrize("kind", OPERATOR_CLASSES, ids=lambda kind: kind.__name__)


@EACH
def test_every_class_declares_its_own_traits(kind: type[AnyOperator]) -> None:
    assert isinstance(vars(kind).get("traits"), OperatorTraits)


def test_the_union_lists_every_operator_class() -> None:
    assert set(OPERATOR_CLASSES) == set(Operator.__subclasses__()) - _replaced_by_slots()


def _replaced_by_slots() -> set[type[Operator]]:
    """Classes that `dataclass(slots=True)` built anew: they stay until garbage is collected."""
    named = {kind.__name__ for kind in OPERATOR_CLASSES}
    return {k for k in Operator.__subclasses__() if k.__name__ in named} - set(OPERATOR_CLASSES)


def test_no_trait_has_a_default() -> None:
    with pytest.raises(TypeError, match=str(len(fields(OperatorTraits)))):
        OperatorTraits()  # type: ignore[call-arg]


@EACH
def test_an_operator_that_keeps_keys_extends_its_only_input(kind: type[AnyOperator]) -> None:
    traits = kind.traits
    if traits.keeps_keys:
        assert traits.extends_input
    if traits.extends_input or traits.order in (RowOrder.KEPT, RowOrder.SHOWN):
        assert kind.arity == 1


def test_only_a_sort_makes_an_order_and_only_a_sink_shows_one() -> None:
    assert [k for k in OPERATOR_CLASSES if k.traits.order is RowOrder.OWN] == [Sort]
    assert [k for k in OPERATOR_CLASSES if k.traits.order is RowOrder.SHOWN] == [Sink]


@EACH
def test_a_subquery_of_its_own_is_given_to_walks(kind: type[AnyOperator]) -> None:
    own = [f.name for f in fields(kind) if "Dataflow" in str(f.type)]
    assert own == (["query"] if kind is Lateral else [])
    assert ("own_query" in vars(kind)) == bool(own)
