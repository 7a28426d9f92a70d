"""Answers of verifiers as JSON and back: values by their kinds, never by their words."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeAlias

from veer import reasons
from veer.assumptions import (
    Assumption,
    ForeignKeyHolds,
    KeyHolds,
    LeafKeyHolds,
    StatedAssumption,
    UniqueHolds,
)
from veer.verdict import Answer, Verdict

Json: TypeAlias = Any
CLASSES: dict[str, type[Any]] = {
    kind.kind: kind
    for kind in (
        *(KeyHolds, UniqueHolds, ForeignKeyHolds, LeafKeyHolds, StatedAssumption),
        *(reasons.QuestionsAsked, reasons.Unsupported, reasons.TooLarge, reasons.Message),
    )
}


def answer_json(answer: Answer) -> Json:
    """An answer as JSON data; what is of no known kind makes it unreadable."""
    reason = None if answer.reason is None else _written(answer.reason)
    return [answer.verdict.value, reason, [_written(a) for a in answer.assumptions]]


def answer_of(data: Json) -> Answer:
    """The answer that `answer_json` wrote; `ValueError` for anything else."""
    try:
        verdict, reason, assumptions = data
        return Answer(
            Verdict(verdict),
            None if reason is None else _cause_or_value(reason),
            tuple(_value(a) for a in assumptions),
        )
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"no answer: {error}") from None


def _written(value: reasons.Reason | Assumption | LeafKeyHolds) -> Json:
    if isinstance(value, reasons.Cause):
        return {"cause": value.value}
    return {"kind": value.kind, **{f.name: getattr(value, f.name) for f in fields(value)}}


def _cause_or_value(data: Json) -> reasons.Reason:
    if "cause" in data:
        return reasons.Cause(data["cause"])
    reason: reasons.Reason = _value(data)
    return reason


def _value(data: Json) -> Any:
    cls = CLASSES[data["kind"]]
    return cls(**{field.name: _part(field.type, data[field.name]) for field in fields(cls)})


def _part(type_: Any, data: Json) -> Json:
    """A field of a value; `TypeError` where something of another type stands."""
    match type_, data:
        case ("str", str()) | ("int", int()):
            return data
        case "tuple[str, ...]", list() if all(isinstance(name, str) for name in data):
            return tuple(data)
        case _:
            raise TypeError(f"not of the type {type_}: {data!r}")
