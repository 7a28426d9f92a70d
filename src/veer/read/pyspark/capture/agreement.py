"""Whether two loads of one job, in processes with different surroundings, agree."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from veer.errors import UnsupportedError


def check_agreement(first: Mapping[str, Any], second: Mapping[str, Any], why: str) -> None:
    """Refuse a job that two worlds read as two dataflows."""
    if "error" in second:
        raise UnsupportedError(
            f"loaded again in another process, the job fails: {second['error']}; "
            f"it depends on {why}, which differs from run to run"
        )
    ours, theirs = _compared(first), _compared(second)
    if ours != theirs:
        raise UnsupportedError(
            f"loaded again in another process, the job computes something else: "
            f"{_difference(ours, theirs)}; it depends on {why}, which differs from run to run"
        )


def _compared(answer: Mapping[str, Any]) -> str:
    """What two loads must agree on; identities that are like no other count by their order."""
    told = _in_one_order([answer["dataflow"], answer["optimized"], answer["used"]])
    text = json.dumps(told, sort_keys=True)
    there = sorted((u for u in answer["unlike"] if u in text), key=text.index)
    for number, unlike in enumerate(there):
        text = text.replace(unlike, f"unlike {number}")
    return text


def _in_one_order(value: Any) -> Any:
    """The same, the values of each IN in one order: which they come in changes nothing."""
    match value:
        case {"is": "InList", "options": options, **rest}:
            sorted_options = sorted(map(_in_one_order, options), key=json.dumps)
            return {**_in_one_order(rest), "is": "InList", "options": sorted_options}
        case dict():
            return {name: _in_one_order(part) for name, part in value.items()}
        case list():
            return list(map(_in_one_order, value))
        case _:
            return value


def _difference(a: str, b: str) -> str:
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
    start = max(start - 12, 0)
    return f"...{a[start : start + 40]}... and ...{b[start : start + 40]}..."


__all__ = ["check_agreement"]
