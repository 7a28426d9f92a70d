"""DataFrames of the Connect client without a session behind them, and how Veer reads them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from veer.errors import UnsupportedError
from veer.ir.dag import Dataflow
from veer.ir.ops import AnyOperator, Sink
from veer.ir.types import INT
from veer.read.pyspark.connect.reading import GrowingPlans, read_relations
from veer.read.pyspark.connect.surroundings import RegisteredFunction
from veer.read.pyspark.layout import connect_frame
from veer.read.pyspark.offline.types import struct_type
from veer.read.sql import read_schema

SCHEMA = """
CREATE TABLE t (id INT NOT NULL, a INT, b BIGINT, s STRING, d DOUBLE, dt DATE, xs ARRAY<INT>,
                st STRUCT<x: INT, y: STRING>, m MAP<STRING, INT>);
CREATE TABLE u (id INT NOT NULL, a INT, c STRING, amt DECIMAL(10, 2));
"""


def or_zero(x: Any) -> Any:
    """A function that SQL may know by name."""
    return 0 if x is None else x


class Declared:
    """Surroundings that know the tables of `SCHEMA` and nothing else."""

    root: Path | None = None
    is_server = False

    def __init__(self) -> None:
        self.tables = read_schema(SCHEMA)

    def source(self, relation: Any) -> AnyOperator:
        """The table that a leaf names."""
        if not relation.read.HasField("named_table"):
            raise UnsupportedError("files")
        return self.tables[relation.read.named_table.unparsed_identifier]

    def table(self, name: Sequence[str]) -> AnyOperator | None:
        """The table that SQL names."""
        return self.tables.get(".".join(name).lower())

    def changing(self, name: Sequence[str]) -> NoReturn:
        """No statement changes a table."""
        raise AssertionError(name)

    def registered(self, name: str) -> RegisteredFunction | None:
        """One function has a name."""
        return RegisteredFunction("or_zero", or_zero, INT, 100) if name == "or_zero" else None

    def python(self, command: bytes) -> Any | None:
        """Functions of plans are not to be had."""
        return None


class Nowhere:
    """Stands for the session of frames, and for its client; all are of one."""

    session_id = "tests"

    @property
    def client(self) -> Any:
        """What PySpark 3.5 asks for the columns of frames."""
        return self

    def _set_relation_in_plan(self, plan: Any, relation: Any) -> None:
        """What PySpark 4.1 has the client do, which might compress it."""
        plan.root.CopyFrom(relation)

    def schema(self, plan: Any) -> Any:
        """The columns of a plan."""
        return struct_type(GrowingPlans(Declared()).schema_of(plan.root))


def table(name: str) -> Any:
    """The frame of a table."""
    from pyspark.sql.connect.plan import Read

    return frame(Read(name))


def frame(plan: Any) -> Any:
    """A frame of a plan; nothing is asked of a server while it is built."""
    return connect_frame(plan, Nowhere())


def dataflow(built: Any) -> Dataflow:
    """What Veer reads of a frame."""
    return read_relations([(built._plan.plan(None), Sink("result"))], Declared())
