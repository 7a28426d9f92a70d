"""Plans of the Connect client as one dataflow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from veer.errors import IllFormedError, UnknownNameError, UnsupportedError
from veer.frontends.builder import FlowBuilder
from veer.frontends.connect.relations import RelationReader
from veer.frontends.connect.surroundings import Surroundings
from veer.model.dag import Dataflow
from veer.model.ops import Sink
from veer.model.schema import Schema

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.relations_pb2 import Relation

Result = TypeVar("Result")


def read_relations(results: Sequence[tuple[Relation, Sink]], around: Surroundings) -> Dataflow:
    """The dataflow of several plans, each with the sink it feeds."""
    builder = FlowBuilder()

    def read() -> Dataflow:
        for relation, sink in results:
            RelationReader(around, builder).result(relation, sink)
        return builder.finish()

    return _guarded(read)


def schema_of(relation: Relation, around: Surroundings) -> Schema:
    """The columns that a plan gives."""

    def read() -> Schema:
        reader = RelationReader(around, FlowBuilder())
        return reader.visible(reader.read(relation).plan).schema

    return _guarded(read)


def _guarded(read: Callable[[], Result]) -> Result:
    """What a reading gives; that a plan makes no sense is Spark's to say, names excepted."""
    try:
        return read()
    except UnknownNameError:
        raise
    except IllFormedError as error:
        raise UnsupportedError(str(error)) from None
    except RecursionError:
        raise UnsupportedError("the plan is nested too deeply") from None
