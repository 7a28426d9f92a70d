"""Whether two loads of one job, each in a world of its own, agree."""

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
    if _compared(first) != _compared(second):
        raise UnsupportedError(
            f"loaded again in another process, the job computes something else: "
            f"{_difference(first, second)}; it depends on {why}, which differs from run to run"
        )


def _compared(answer: Mapping[str, Any]) -> str:
    """What two loads must agree on; identities that are like no other count by their order."""
    text = json.dumps([answer["dataflow"], answer["optimized"], answer["used"]], sort_keys=True)
    for number, unlike in enumerate(answer["unlike"]):
        text = text.replace(unlike, f"unlike {number}")
    return text


def _difference(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    a, b = _compared(first), _compared(second)
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
    start = max(start - 12, 0)
    return f"...{a[start : start + 40]}... and ...{b[start : start + 40]}..."


__all__ = ["check_agreement"]
