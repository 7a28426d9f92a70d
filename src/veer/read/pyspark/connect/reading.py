"""Plans of the Connect client as one dataflow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar, final

from veer.errors import IllFormedError, UnknownNameError, UnsupportedError
from veer.ir.dag import Dataflow
from veer.ir.ops import Sink
from veer.ir.schema import Schema
from veer.read.builder import FlowBuilder
from veer.read.pyspark.connect.draws import require_separate_draws
from veer.read.pyspark.connect.frames import Frame
from veer.read.pyspark.connect.relations import RelationReader
from veer.read.pyspark.connect.schema_nulls import Columns, NullsOfSchemas
from veer.read.pyspark.connect.surroundings import Surroundings
from veer.read.python.purity.shared_state import nothing_runs

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.relations_pb2 import Relation

Result = TypeVar("Result")


def read_relations(results: Sequence[tuple[Relation, Sink]], around: Surroundings) -> Dataflow:
    """The dataflow of several plans, each with the sink it feeds."""
    builder = FlowBuilder()

    def read() -> Dataflow:
        for relation, sink in results:
            require_separate_draws(relation)
            RelationReader(around, builder).result(relation, sink)
        return builder.finish()

    return _guarded(read)


@final
class GrowingPlans:
    """The columns of plans that contain earlier plans: only the new part is read."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._builder = FlowBuilder()
        self._frames: dict[bytes, Frame] = {}  # by the plan that was read

    def schema_of(self, relation: Relation) -> Schema:
        """The columns that a plan gives."""
        return _guarded(lambda: self._builder.schemas[self._signal(relation)])

    def nulls_of(self, relation: Relation) -> Columns:
        """What Spark's schema says of nulls in these columns."""

        def read() -> Columns:
            signal, builder = self._signal(relation), self._builder
            of_python = builder.of_python.__contains__
            nulls = NullsOfSchemas(builder.operators, builder.links, builder.schemas, of_python)
            return nulls.of(signal)

        return _guarded(read)

    def _signal(self, relation: Relation) -> str:
        reader = _GrowingReader(self._around, self._builder, self._frames)
        return reader.visible(reader.read(relation).plan).id


@final
class _GrowingReader(RelationReader):
    """Begins with the first part that is known. Only one: rows that come in twice are told apart."""

    def __init__(
        self, around: Surroundings, builder: FlowBuilder, known: dict[bytes, Frame]
    ) -> None:
        super().__init__(around, builder)
        self._known = known
        self._begins = True

    def read(self, relation: Relation) -> Frame:
        if self.references or self.named_plans:  # what names in it mean is not in the plan
            return super().read(relation)
        plan = relation.SerializeToString(deterministic=True)
        if self._begins and plan in self._known:
            self._begins = False
            return self._known[plan]
        frame = self._known[plan] = super().read(relation)
        return frame


def _guarded(read: Callable[[], Result]) -> Result:
    """What a reading gives; that a plan makes no sense is Spark's to say, names excepted."""
    try:
        with nothing_runs():
            return read()
    except UnknownNameError:
        raise
    except IllFormedError as error:
        raise UnsupportedError(str(error)) from None
    except RecursionError:
        raise UnsupportedError("the plan is nested too deeply") from None
