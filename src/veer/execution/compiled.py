"""Workflow files and SQL in a form that Veer can run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, final

from veer.errors import UnsupportedError
from veer.execution.compiler import Compiler
from veer.execution.sources import Sources
from veer.functions.zone_rules import canonical_zone
from veer.ir.dag import Dataflow
from veer.ir.ops import Source
from veer.read.function_bodies import Bodies
from veer.read.zoned_expressions import questions_of_zone

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@final
@dataclass
class Compiled:
    """A `Computation`: a dataflow over files, compiled for Spark when it has to run."""

    dataflow: Dataflow
    sources: Sources
    bodies: Bodies
    spark: Callable[[], SparkSession]

    def fingerprint(self, source: Source) -> str:
        """What the files of a source hold now."""
        return self.sources.fingerprint(source)

    def stamp(self, source: Source) -> str:
        """A stamp that changes whenever the files of a source are touched."""
        return self.sources.stamp(source)

    def read(self, source: Source) -> DataFrame:
        """The rows of a source, with its columns."""
        return self.sources.read(self.spark(), source)

    def can_cut(self, id_: str) -> bool:
        """Any signal can: the SQL above it reads a view in its place."""
        return True

    def frame(self, id_: str, stored: Mapping[str, DataFrame]) -> DataFrame:
        """The rows of a signal, those of stored ones read."""
        return self._compiler.frame(id_, stored)

    @cached_property
    def _compiler(self) -> Compiler:
        zone = canonical_zone(str(self.spark().conf.get("spark.sql.session.timeZone")))
        for question in questions_of_zone(self.dataflow, zone):
            raise UnsupportedError(
                f"the session is in the time zone {zone}, in which {question} means something else"
            )
        return Compiler(self.spark(), self.dataflow, self.read, self.bodies)


__all__ = ["Compiled"]
