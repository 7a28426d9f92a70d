"""Random pairs and runs, judged by Spark: see `benchmarks/fuzz` and docs/fuzzing.md."""

from __future__ import annotations

from benchmarks.fuzz.main import main

__all__ = ["main"]
