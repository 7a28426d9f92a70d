"""Functions that `pyspark.pipelines` decorates: the decorators keep them, and a session is a global."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from veer.errors import InputError, UnsupportedError


def dataset_function(file: Path, dataset: str, spark: Any) -> Callable[..., Any]:
    """The function of a batch dataset, its file imported as a pipeline does it."""
    from pyspark.pipelines.graph_element_registry import (
        GraphElementRegistry,
        graph_element_registration_context,
    )
    from pyspark.pipelines.output import MaterializedView, TemporaryView

    outputs: dict[str, Any] = {}
    flows: dict[str, list[Any]] = {}

    class Registry(GraphElementRegistry):
        """Keeps what is registered."""

        def register_output(self, output: Any) -> None:
            outputs[output.name] = output

        def register_flow(self, flow: Any) -> None:
            flows.setdefault(flow.target, []).append(flow)

        def register_auto_cdc_flow(self, flow: Any) -> None:
            flows.setdefault(flow.target, []).append(flow)

        def register_sql(self, sql_text: str, file_path: Path) -> None:
            raise UnsupportedError("SQL that is registered by Python")

    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    module.__dict__["spark"] = spark
    with graph_element_registration_context(Registry()):
        spec.loader.exec_module(module)
    found = flows.get(dataset, [])
    if len(found) != 1:
        raise InputError(f"{file.name} defines {dataset!r} {len(found)} times")
    if not isinstance(outputs.get(dataset), MaterializedView | TemporaryView):
        raise UnsupportedError(f"{dataset}: only materialized and temporary views are compared")
    if found[0].spark_conf:
        raise UnsupportedError(f"{dataset} has settings of its own (spark_conf)")
    function: Callable[..., Any] = found[0].func
    return function
