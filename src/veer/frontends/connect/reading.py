"""Plans of the Connect client as one dataflow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from veer.errors import UnsupportedError
from veer.frontends.connect.surroundings import Surroundings
from veer.model.dag import Dataflow
from veer.model.ops import Sink
from veer.model.schema import Schema

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.relations_pb2 import Relation


def read_relations(results: Sequence[tuple[Relation, Sink]], around: Surroundings) -> Dataflow:
    """The dataflow of several plans, each with the sink it feeds."""
    raise UnsupportedError("plans of Spark Connect")


def schema_of(relation: Relation, around: Surroundings) -> Schema:
    """The columns that a plan gives."""
    raise UnsupportedError("plans of Spark Connect")
