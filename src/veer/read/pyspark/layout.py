"""Where PySpark keeps its classes: 3.5 has some of them elsewhere than 4, or calls them otherwise."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

RDD_MODULES = ("pyspark.core.rdd", "pyspark.rdd")


def _first(*modules: str) -> Any:
    """The first of several modules that this PySpark has."""
    for name in modules[:-1]:
        if _exists(name):
            return import_module(name)
    return import_module(modules[-1])


def _exists(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # not even the package it would be in
        return False


def classic_frame_class() -> Any:
    """The class of DataFrames of classic sessions."""
    return _first("pyspark.sql.classic.dataframe", "pyspark.sql.dataframe").DataFrame


def datasets(session: Any) -> Any:
    """What makes Datasets in the JVM of a classic session."""
    spark_sql = session._jvm.org.apache.spark.sql
    has_classic = _exists("pyspark.sql.classic.dataframe")
    return spark_sql.classic.Dataset if has_classic else spark_sql.Dataset


def rdd_class() -> Any:
    """The class of RDDs."""
    return _first(*RDD_MODULES).RDD


def is_rdd(value: Any) -> bool:
    """Whether something is an RDD, or made of one."""
    return type(value).__module__.startswith(RDD_MODULES)


def context_module() -> Any:
    """The module of `SparkContext`."""
    return _first("pyspark.core.context", "pyspark.context")


def connect_functions() -> Any:
    """The functions of columns of Spark Connect."""
    return _first("pyspark.sql.connect.functions.builtin", "pyspark.sql.connect.functions")


def connect_function_modules() -> list[Any]:
    """The modules that programs know these functions by."""
    return [connect_functions(), import_module("pyspark.sql.connect.functions")]


def connect_frame(plan: Any, session: Any) -> Any:
    """A DataFrame of Spark Connect of a plan."""
    frame = import_module("pyspark.sql.connect.dataframe").DataFrame
    return frame.withPlan(plan, session) if hasattr(frame, "withPlan") else frame(plan, session)


def connect_observation() -> Any | None:
    """The class of observations of Spark Connect; 3.5 has none."""
    name = "pyspark.sql.connect.observation"
    return import_module(name).Observation if _exists(name) else None


def connect_formatter(session: Any) -> Any | None:
    """What puts frames and values into SQL text over Spark Connect; 3.5 has none."""
    name = "pyspark.sql.connect.sql_formatter"
    return import_module(name).SQLStringFormatter(session) if _exists(name) else None


def error_condition(error: Any) -> str:
    """The condition that an exception of PySpark tells."""
    told = error.getCondition() if hasattr(error, "getCondition") else error.getErrorClass()
    return str(told)
