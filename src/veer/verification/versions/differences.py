"""The difference between two operators, for those whose texts are equal or long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.pprint import brief, show_operator, show_part
from veer.ir.secrets import without_secrets
from veer.ir.types import DataType

MOST_DIFFERENCES = 3
LONG = 240  # characters of both operators together
UNSHOWN = ("options",)  # may hold secrets: only their names are told


def contrast(before: ops.AnyOperator, after: ops.AnyOperator) -> str:
    """Both operators; what differs where they print alike or are long. Never the same twice."""
    one, two = show_operator(before), show_operator(after)
    if one != two and (len(one) + len(two) <= LONG or type(before) is not type(after)):
        return f"{brief(before)}  =>  {brief(after)}"
    kind = one if len(one) <= LONG // 2 else brief(before)
    return f"{kind}: {differences(before, after)}"


def differences(before: ops.AnyOperator, after: ops.AnyOperator) -> str:
    """The parts that differ, each as it was and as it is."""
    listed = list(dict.fromkeys(_differing(before, after, "")))
    more = len(listed) - MOST_DIFFERENCES
    rest = [f"{more} more"] if more > 0 else []
    return "; ".join([*listed[:MOST_DIFFERENCES], *rest]) or "nothing"


def _differing(a: Any, b: Any, path: str) -> Iterator[str]:
    if a == b:
        return
    if isinstance(a, tuple) and isinstance(b, tuple):
        yield from _sequences(a, b, path)
        return
    shown = show_part(a), show_part(b)
    if type(a) is not type(b) or (shown[0] != shown[1] and not isinstance(a, ops.Operator)):
        yield _both(a, b, path)
    elif isinstance(a, Dataflow):
        yield from _dataflows(a, b, path)
    elif is_dataclass(a) and not isinstance(a, DataType):
        for field in fields(a):
            one, two = getattr(a, field.name), getattr(b, field.name)
            if field.name in UNSHOWN:
                yield from _named_only(one, two, field.name)
            else:
                whose = f" of {shown[0]}" if isinstance(one, DataType) else ""
                yield from _differing(one, two, f"{field.name}{whose}")
    else:
        yield _both(a, b, path)


def _sequences(a: Sequence[Any], b: Sequence[Any], path: str) -> Iterator[str]:
    """Parts one by one; where there are more or fewer, those that came and went."""
    if len(a) == len(b):
        for one, two in zip(a, b, strict=True):
            yield from _differing(one, two, path)
        return
    gone = [without_secrets(show_part(x)) for x in a if x not in b]
    new = [without_secrets(show_part(x)) for x in b if x not in a]
    if not gone and not new:
        yield f"{path}: {len(a)} => {len(b)}"
    yield from (f"{path} without {shown}" for shown in gone)
    yield from (f"{path} with {shown}" for shown in new)


def _dataflows(a: Dataflow, b: Dataflow, path: str) -> Iterator[str]:
    if list(a.order) == list(b.order):
        for id_ in a.order:
            yield from _differing(a.operators[id_], b.operators[id_], path)
    else:
        yield f"{path}: another subquery"


def _named_only(a: Any, b: Any, path: str) -> Iterator[str]:
    """That entries differ, without their values."""
    changed = sorted({str(pair[0]) for pair in set(a) ^ set(b)})
    if changed:
        yield f"{path}: {', '.join(changed)}"


def _both(a: Any, b: Any, path: str) -> str:
    """Both values, in full where they print alike."""
    for show in (show_part, repr):
        one, two = without_secrets(show(a)), without_secrets(show(b))
        if one != two:
            return f"{path}: {one} => {two}"
    return f"another {path or type(a).__name__}"
