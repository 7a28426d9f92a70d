"""What the Connect client of PySpark 3.5 does otherwise than a classic session of 3.5.

A job that is read without a server means what it means in a classic session; `classic_api` has what
newer clients do otherwise too.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veer.read.pyspark.offline.capture import OfflineCapture

# Modules that programs import classes from, and the classes that objects of the client are no
# instances of.
CLASSES = {
    "pyspark.sql.column": ("Column",),
    "pyspark.sql.dataframe": ("DataFrame",),
    "pyspark.sql.group": ("GroupedData",),
    "pyspark.sql": ("Column", "DataFrame", "GroupedData"),
}
SCHEMA = "_veer_schema"


def is_older_client() -> bool:
    """Whether frames of the installed client are made as those before PySpark 4."""
    return hasattr(import_module("pyspark.sql.connect.dataframe").DataFrame, "withPlan")


def older_replacements(capture: OfflineCapture) -> list[tuple[Any, dict[str, Any]]]:
    """The methods that differ, and classes by the names under which programs know them."""
    frame = import_module("pyspark.sql.connect.dataframe").DataFrame
    column = import_module("pyspark.sql.connect.column").Column
    call = import_module("pyspark.sql.connect.expressions").UnresolvedFunction
    # By the name `negative` the column would be called otherwise.
    negated = {"__neg__": lambda negated: column(call("-", [negated._expr]))}
    return [
        (frame, _frame_methods(capture, frame)),
        (column, negated),
        *((import_module(module), _classes(names)) for module, names in CLASSES.items()),
    ]


def _classes(names: tuple[str, ...]) -> dict[str, Any]:
    modules = {"Column": "column", "DataFrame": "dataframe", "GroupedData": "group"}
    return {n: getattr(import_module(f"pyspark.sql.connect.{modules[n]}"), n) for n in names}


def _frame_methods(capture: OfflineCapture, frame_class: Any) -> dict[str, Any]:
    with_plan, item, schema = frame_class.withPlan, frame_class.__getitem__, frame_class.schema

    def checked(_: Any, plan: Any, session: Any) -> Any:
        """A frame, analyzed when it is made."""
        frame = with_plan(plan, session)
        frame.__dict__[SCHEMA] = capture.check(frame)
        return frame

    def item_of(frame: Any, key: Any) -> Any:
        """A column of just this frame; the client takes some by their names, and checks none."""
        if isinstance(key, int):
            return frame[frame.columns[key]]
        if not isinstance(key, str):
            return item(frame, key)
        if key.endswith("*"):
            capture.stop_for_jvm("all columns of a frame are taken by a star")
        column = item(frame, key)
        project = import_module("pyspark.sql.connect.plan").Project
        capture.schema_of(project(frame._plan, column).plan(capture.client))
        return column

    def known_schema(frame: Any) -> Any:
        known = frame.__dict__.get(SCHEMA)
        return schema.fget(frame) if known is None else known

    return {
        "withPlan": classmethod(checked),
        "__getitem__": item_of,
        "schema": property(known_schema),
        "agg": lambda frame, *exprs: frame.groupBy().agg(*exprs),
    }


__all__ = ["is_older_client", "older_replacements"]
