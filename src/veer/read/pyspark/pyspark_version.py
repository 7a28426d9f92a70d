"""The installed PySpark version, found without importing PySpark."""

from __future__ import annotations

import os
from importlib import metadata

from veer.errors import InputError
from veer.settings import SPARKS

SUPPORTED = f"pyspark>={SPARKS[0]},<={SPARKS[-1]}"
INSTALL = "pip install 'veer-spark[connect]'"
CONNECT_INSTALL = "pip install 'veer-spark[connect]'"
CONNECT_PACKAGES = ("grpcio", "grpcio-status", "googleapis-common-protos", "pandas", "pyarrow")


def require_pyspark() -> None:
    """Refuse to go on without a PySpark that jobs can be read with, naming the one there is."""
    installed = pyspark_version()
    if not installed:
        raise InputError(f"PySpark is not installed; use: {INSTALL}")
    if not any(installed.startswith(f"{spark}.") for spark in SPARKS):
        raise InputError(
            f"PySpark {installed} is installed; Veer reads jobs with {SUPPORTED}: {INSTALL}"
        )


def connect_problem() -> str:
    """Why plans cannot be built without a JVM here; nothing if they can."""
    if not hasattr(os, "fork"):
        return "this system has no processes that can be forked"
    for name in CONNECT_PACKAGES:
        try:
            metadata.version(name)
        except metadata.PackageNotFoundError:
            return f"{name} is not installed, use: {CONNECT_INSTALL}"
    return ""


def pyspark_version() -> str:
    """The version of the PySpark that would be imported; empty if there is none."""
    for name in ("pyspark", "pyspark-client"):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    try:
        import pyspark
    except ImportError:
        return ""
    return str(pyspark.__version__)
