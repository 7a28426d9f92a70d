"""The record of what a run computed, read and saved, in seconds and bytes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from veer.execution.store import Store, StoredResult
from veer.execution.store.records import REUSED
from veer.execution.store.runs import RunLog

if TYPE_CHECKING:
    from veer.execution.run import RunOutcome


@contextmanager
def recorded(store: Store, name: str, spec: str) -> Iterator[RunLog]:
    """A record of what is done meanwhile; of a failure its kind only, as messages may hold anything."""
    log = RunLog(store.runs, name, store.seal.text(spec))
    try:
        yield log
    except BaseException as error:
        log.failed(type(error).__name__)
        raise


def work_of(outcome: RunOutcome) -> dict[str, Any]:
    """Sinks, stored parts that were read, and the sums over them."""
    plan = outcome.plan
    served = [reused.result for reused in plan.served.values()]
    cuts = [reused.result for reused in plan.cuts.values()]
    return {
        "sinks": [
            {
                "sink": sink.sink,
                "how": sink.how,
                "rows": sink.rows,
                "why": sink.note,
                **_size(outcome.results.get(sink.sink)),
            }
            for sink in outcome.sinks
        ],
        "read": [
            {"operator": id_, "why": reused.why, "rows": reused.result.rows, **_size(reused.result)}
            for id_, reused in plan.cuts.items()
        ],
        "computed_bytes": sum(r.bytes for r in outcome.computed),
        "computed_seconds": sum(r.seconds for r in outcome.computed),
        "read_bytes": sum(r.bytes for r in cuts),
        "saved_bytes": sum(r.bytes for r in served),  # not stored again
        "saved_seconds": sum(r.seconds for r in (*served, *cuts)),  # they once took
        "reused": sum(sink.how == REUSED for sink in outcome.sinks),
        "planning": outcome.planning,
        "proving": plan.proving,
    }


def _size(result: StoredResult | None) -> dict[str, Any]:
    if result is None:
        return {"result": "", "bytes": 0, "seconds": 0.0}
    return {"result": result.id, "bytes": result.bytes, "seconds": result.seconds}
