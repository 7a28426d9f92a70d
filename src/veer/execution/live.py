"""`veer.run`: a DataFrame, computed or read from the store."""

from __future__ import annotations

import atexit
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from veer.errors import NoFingerprintError, UsageError, VeerError
from veer.execution.connected import Connected, check_shared, fresh_plans, server_environment
from veer.execution.environment import environment_of
from veer.execution.order import order_of
from veer.execution.planned import Planned
from veer.execution.results import read_result, spark_says
from veer.execution.run import Request, Running, RunOutcome
from veer.execution.signals import RESULT
from veer.execution.start import checked_name
from veer.execution.store import Store
from veer.execution.stored import store_location
from veer.ir.ops import Sink
from veer.options import Keep, Reuse, chosen
from veer.read.spec import is_connect_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from veer.execution.reuse import RunPlan
    from veer.ir.dag import Dataflow

_stores: dict[str, Store] = {}  # open as long as the process: frames read from them


def run(
    what: DataFrame | Callable[..., DataFrame],
    *,
    name: str,
    store: str = "",
    results: str = "",
    keep: Keep | str = Keep.SINKS,
    reuse: Reuse | str = Reuse.PROVEN,
    trust: bool = False,
    content: bool = False,
    stable: Iterable[str] = (),
    **arguments: Any,
) -> DataFrame:
    """The rows of a DataFrame, read from the store if it has an equal result, else computed.

    `stable` names sources that do not change although Veer cannot see it, such as tables of a database.
    A function is called with the `arguments` and returns the DataFrame. Veer stores a computed result
    as the next version of `name`. If it cannot (it cannot read the plan, Parquet does not have the types,
    the disk is full, the computation fails), it returns the DataFrame unchanged, with a warning.
    """
    checked_name(name)
    keep, reuse = chosen(Keep, keep, "keep"), chosen(Reuse, reuse, "reuse")
    frame: Any = what(**arguments) if callable(what) else what
    if not hasattr(frame, "sparkSession"):
        raise UsageError(f"{name}: expected a DataFrame, got {type(frame).__name__}")
    opened = None
    try:
        opened = _open(store, results, frame)
        served, _ = through_store(
            frame,
            opened,
            name=name,
            keep=keep,
            reuse=reuse,
            trust=trust,
            content=content,
            stable=frozenset(text.lower() for text in stable),
        )
    except UsageError:
        raise
    except Exception as error:
        warnings.warn(f"{name}: not reused: {why_not(error, opened)}", stacklevel=2)
        return frame  # type: ignore[no-any-return]
    return served


def why_not(error: Exception, store: Store | None) -> str:
    """Why a frame did not go through the store, in one line without secrets."""
    message = str(error) if isinstance(error, VeerError) else spark_says(error)
    return store.seal.hide(message) if store is not None else message


def _open(store: str, results: str, frame: Any) -> Store:
    place = store_location(store)
    if place not in _stores:
        opened = Store(place, results=results, spark=lambda: frame.sparkSession)
        _stores[place] = opened
        atexit.register(opened.close)
    return _stores[place]


def through_store(
    frame: DataFrame,
    store: Store,
    *,
    name: str,
    spec: str = "",
    content: bool = False,
    **asked: Any,
) -> tuple[DataFrame, RunOutcome]:
    """A frame with the same rows that is read from the store, and what was done for it."""
    if is_connect_frame(frame):
        check_shared(store, frame.sparkSession)
        with fresh_plans(frame.sparkSession):
            return _through_store(frame, store, name, spec, content, asked)
    return _through_store(frame, store, name, spec, content, asked)


def _through_store(
    frame: DataFrame, store: Store, name: str, spec: str, content: bool, asked: Mapping[str, Any]
) -> tuple[DataFrame, RunOutcome]:
    running, planned = _running(frame, store, name, spec, content, asked)
    outcome = running.run()
    for note in outcome.notes:
        warnings.warn(f"{name}: {note}", stacklevel=4)
    result = outcome.results.get(RESULT)
    if result is None:
        return frame, outcome
    schema = planned.dataflow.schemas[RESULT]
    order = order_of(planned.dataflow, RESULT)
    assert order is not None
    rows = read_result(frame.sparkSession, store, result, schema, order)
    return planned.served(RESULT, rows), outcome


def explained(
    frame: DataFrame, store: Store, *, name: str, spec: str, content: bool, **asked: Any
) -> tuple[RunPlan, Dataflow]:
    """What would be read and computed for a frame; nothing is run."""
    running, planned = _running(frame, store, name, spec, content, asked)
    return running.plan().plan, planned.dataflow


def _running(
    frame: DataFrame, store: Store, name: str, spec: str, content: bool, asked: Mapping[str, Any]
) -> tuple[Running, Planned | Connected]:
    """The run of one frame against a store."""
    connected = is_connect_frame(frame)
    planned: Planned | Connected
    try:
        if connected:
            planned = Connected(frame, RESULT, content=content, seal=store.seal)
        else:
            planned = Planned([(frame, Sink(RESULT))], content=content, seal=store.seal)
    except VeerError:
        raise
    except Exception as error:
        raise NoFingerprintError(f"its plan is not understood: {spark_says(error)}") from None
    if order_of(planned.dataflow, RESULT) is None:
        raise NoFingerprintError("its rows are in an order that its columns do not tell")
    session = frame.sparkSession
    environment = server_environment(session) if connected else environment_of(session)
    request = Request(name, spec, stable_ids=False, environment=environment, starting=0.0, **asked)
    return Running(request, planned, store, lambda: session), planned


__all__ = ["explained", "run", "through_store", "why_not"]
