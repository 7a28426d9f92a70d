"""What the plans of a loaded job refer to: sources, tables of the schema, functions of the program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veer.errors import InputError, UnsupportedError
from veer.ir import ops
from veer.read.pyspark.connect.surroundings import RegisteredFunction

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.relations_pb2 import Relation

    from veer.read.pyspark.offline.capture import OfflineCapture


class JobSurroundings:
    """Answers for the plans of one job."""

    is_server = False

    def __init__(self, capture: OfflineCapture) -> None:
        self._capture = capture
        self.root: Path | None = capture.root
        self._changed = ""  # the table of the statement that is being read

    def source(self, relation: Relation) -> ops.AnyOperator:
        """What a leaf of a plan stands for."""
        kind = relation.WhichOneof("rel_type")
        if kind == "read" and relation.read.HasField("named_table"):
            name = relation.read.named_table.unparsed_identifier
            if name in self._capture.stubs:
                stub = self._capture.stubs[name]
                # A reader has looked up paths that were written before it; their files are listed then.
                is_path = isinstance(stub, ops.Source) and "/" in stub.table
                return stub if is_path else self._unwritten(stub)
        raise UnsupportedError(f"a source of kind {kind}")

    def table(self, name: Sequence[str]) -> ops.AnyOperator | None:
        """A table that SQL names by these parts; None if there is none."""
        if len(name) == 1 and self._capture.is_view(name[0]):
            raise UnsupportedError(f"the view {name[0]} inside of an expression")
        declared = self._capture.declared(name)
        return None if declared is None else self._unwritten(declared)

    @contextmanager
    def changing(self, name: Sequence[str]) -> Iterator[ops.Source]:
        """The table that a statement changes; it may be read meanwhile, as it is before."""
        declared = self._capture.declared(name)
        if declared is None:
            raise InputError(
                f"the table {'.'.join(name)} is changed by the job but not declared: give its columns with --schema"
            )
        self._changed = declared.table
        try:
            yield declared
        finally:
            self._changed = ""

    def registered(self, name: str) -> RegisteredFunction | None:
        """The function that was registered under a name."""
        return self._capture.client.functions.get(name)

    def python(self, command: bytes) -> Any | None:
        """The Python function that a command inside of the plan stands for."""
        return self._capture.functions.get(command)

    def _unwritten(self, operator: ops.AnyOperator) -> ops.AnyOperator:
        """A source, unless the job writes it too."""
        if not isinstance(operator, ops.Source) or operator.table == self._changed:
            return operator
        if self._capture.writes(operator.table):
            raise InputError(f"the table {operator.table} is read and written by one job")
        return operator
