"""DataFrames of a running Spark Connect session to dataflows.

The plan is the client's own. What it refers to - schemas of tables and files, settings, functions
registered by name - is asked of the server, which analyzes but runs nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, final

from veer.errors import InputError, UnsupportedError
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.types import quote_name
from veer.read.pyspark.connect import server_sources
from veer.read.pyspark.connect.messages import called_functions, messages_in
from veer.read.pyspark.connect.plans_with_relations import KIND, kind_of, node_of, refer
from veer.read.pyspark.connect.reading import GrowingPlans, read_relations
from veer.read.pyspark.connect.server_sources import data_source
from veer.read.pyspark.connect.surroundings import RegisteredFunction
from veer.read.pyspark.plans.types import field_type
from veer.read.pyspark.pyspark_version import require_pyspark
from veer.read.session_settings import check_server_settings, settings_of
from veer.read.zoned_expressions import with_zone
from veer.settings import SPARK_4_3, spark_version, under

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.relations_pb2 import Relation


BUILT_IN_FIRST = SPARK_4_3  # from here on no function of a session hides one of Spark's own
SPARK_CLASS = "org.apache.spark.sql.catalyst."


def read_connect_frame(frame: Any, around: LiveSurroundings, name: str = "result") -> Dataflow:
    """The dataflow of a DataFrame of a Connect session; an error names what is not understood."""
    require_pyspark()
    from pyspark.errors import PySparkException

    try:
        return _read(frame, around, name)
    except PySparkException as error:  # the server refuses the frame itself, or is gone
        raise InputError(server_sources.server_says(error)) from None


def _read(frame: Any, around: LiveSurroundings, name: str) -> Dataflow:
    session = frame.sparkSession
    check_server_settings(session)
    if frame.isStreaming:
        raise UnsupportedError("a streaming DataFrame; verify the query on a batch of its data")
    relation = root_of(frame)
    around.check_functions(relation)
    settings = settings_of(session)
    with under(settings):
        dataflow = with_zone(read_relations([(relation, ops.Sink(name))], around), settings.zone)
    _check_schema(dataflow.schemas[name], json.loads(frame.schema.json()))
    for part in parts_with_generated_names(relation):
        if part != relation:
            around.check_names(part)
    return dataflow


def root_of(frame: Any) -> Relation:
    """The plan of a frame as the client sends it."""
    plan = frame._plan.to_proto(frame.sparkSession.client)
    if plan.WhichOneof("op_type") != "root":
        raise UnsupportedError("a command of Spark Connect, which is not a DataFrame")
    root: Relation = plan.root
    return root


def _check_schema(schema: Schema, told: Mapping[str, Any]) -> None:
    """What Veer makes of the plan has the columns the server says it has."""
    ours = [(f.name, str(f.type)) for f in schema]
    theirs = [(f["name"], str(field_type(f))) for f in told["fields"]]
    if ours != theirs:
        wrong = [(a, b) for a, b in zip_longest(ours, theirs) if a != b][:3]
        raise UnsupportedError(f"Veer and Spark disagree on the columns: {wrong}")


@final
class LiveSurroundings:
    """What plans of a session refer to, as its server knows it.

    `leaf` is called with each source and the relation it stands for, and may exchange the source.
    """

    root: Path | None = None
    is_server = True

    def __init__(
        self,
        session: Any,
        leaf: Callable[[ops.Source, Relation], ops.Source] = lambda source, _: source,
    ) -> None:
        self.session = session
        self._server = server_sources.Server(session)
        self._leaf = leaf
        self._sources: dict[bytes, ops.Source] = {}
        self._registered: frozenset[str] | None = None
        self._checked: set[bytes] = set()  # parts of plans whose columns have the server's names

    def source(self, relation: Relation) -> ops.AnyOperator:
        """A table, files, or rows that the server holds."""
        from pyspark.sql.connect.proto.relations_pb2 import Relation as RelationMessage

        plain = RelationMessage()
        plain.CopyFrom(relation)
        plain.ClearField("common")
        key = plain.SerializeToString(deterministic=True)
        if key not in self._sources:
            self._sources[key] = self._leaf(self._source(plain), plain)
        return self._sources[key]

    def _source(self, relation: Relation) -> ops.Source:
        kind = str(relation.WhichOneof("rel_type"))
        if kind == "read":
            return self._read(relation)
        fields = server_sources.columns_of(self._server.schema(relation))
        match kind:
            case "cached_local_relation":
                return ops.Source(
                    f"rows_{relation.cached_local_relation.hash}", fields, format=ops.LOCAL
                )
            case "chunked_cached_local_relation":
                chunks = relation.chunked_cached_local_relation
                known = "_".join([*chunks.dataHashes, chunks.schemaHash])
                return ops.Source(f"rows_{known}", fields, format=ops.LOCAL)
            case "cached_remote_relation":
                known = relation.cached_remote_relation.relation_id
                return ops.Source(f"rows_{known}", fields, format=ops.COMPUTED)
            case _:
                raise UnsupportedError(f"the source {kind}")

    def _read(self, relation: Relation) -> ops.Source:
        if relation.read.is_streaming:
            raise UnsupportedError("a streaming source; verify the query on a batch of its data")
        if relation.read.HasField("data_source"):
            return data_source(self._server, relation)
        name = relation.read.named_table.unparsed_identifier
        return server_sources.table_source(self._server, name, relation)

    def check_names(self, part: Relation) -> None:
        """Refuse a part of a plan whose columns have other names here than in the server."""
        from pyspark.sql.connect.proto.relations_pb2 import Relation as RelationMessage

        plain = RelationMessage()
        plain.CopyFrom(part)
        plain.ClearField("common")
        key = plain.SerializeToString(deterministic=True)
        if key in self._checked:
            return
        try:
            told = self._server.schema(part)
        except InputError as error:
            raise UnsupportedError(
                f"columns without an alias inside of a subquery: {error}"
            ) from None
        _check_schema(GrowingPlans(self).schema_of(part), told)
        self._checked.add(key)

    def table(self, name: Sequence[str]) -> ops.AnyOperator | None:
        """A table or view that SQL names, or files named as in parquet.`/path`."""
        from pyspark.sql.connect.proto.relations_pb2 import Relation as RelationMessage

        relation = RelationMessage()
        relation.read.named_table.unparsed_identifier = ".".join(map(quote_name, name))
        try:
            return self.source(relation)
        except InputError as error:
            if isinstance(error, UnsupportedError):
                raise
        if len(name) != 2 or name[0].lower() not in server_sources.FILE_FORMATS:
            return None
        relation = RelationMessage()
        relation.read.data_source.format = name[0]
        relation.read.data_source.paths.append(name[1])
        return self.source(relation)

    # -- functions -----------------------------------------------------------------------------

    def changing(self, name: Sequence[str]) -> NoReturn:
        """Commands are run, and have no plan."""
        raise UnsupportedError(f"a statement that changes {'.'.join(name)}")

    def registered(self, name: str) -> RegisteredFunction | None:
        """None; a function that is registered with the server is refused: its code is not here."""
        if name.lower() in self._functions:
            raise UnsupportedError(
                f"the function {name} is registered with the server, which does not show its code; "
                "call what `udf` or `spark.udf.register` gave"
            )
        return None

    @property
    def _functions(self) -> frozenset[str]:
        """Functions of the session and its catalog, by their last names."""
        if self._registered is None:
            rows = self.session.sql("SHOW USER FUNCTIONS").collect()
            self._registered = frozenset(str(r[0]).rpartition(".")[2].lower() for r in rows)
        return self._registered

    def check_functions(self, relation: Relation) -> None:
        """Refuse a plan that calls what hides a function of Spark's own."""
        called = called_functions(relation)
        for name in sorted(called & self._functions):
            self.registered(name)
        if spark_version(self.session.version) < BUILT_IN_FIRST:
            for name in sorted(called):
                self._check_own(name)

    def _check_own(self, name: str) -> None:
        """Refuse a function of Spark's name that is not Spark's: such servers do not list it."""
        if not name.isidentifier() or not self.session.catalog.functionExists(quote_name(name)):
            return  # an operator, or a word of SQL that stands before a bracket
        found = self.session.catalog.getFunction(quote_name(name))
        if found.className and not str(found.className).startswith(SPARK_CLASS):
            raise UnsupportedError(f"the function {name} is different in this session")

    def python(self, command: bytes) -> Any | None:
        """A Python function of the plan, unpickled as this very client pickled it."""
        from pyspark import cloudpickle

        try:
            return cloudpickle.loads(command)
        except Exception:  # unpickling may do anything
            return None


# -- parts of a plan whose columns are named by Spark: what is called so above must be the same
# Names of columns that nobody named are made by the server, and not alike in all versions and
# interfaces of Spark. A filter above that reads such a name, or one that it hides, depends on it.

# Expressions that keep the name of a column, or have been given one.
NAMED = ("alias", "unresolved_attribute", "unresolved_star", "unresolved_regex")
NAMING_FIELDS = frozenset({"struct", "arrays_zip"})  # functions that name fields of what they give


def parts_with_generated_names(
    relation: Relation, around: Callable[[Relation], Relation] = lambda part: part
) -> Iterator[Relation]:
    """The relations in a plan whose columns Spark names, each as a plan of its own."""
    kind = kind_of(relation)
    node = node_of(relation, kind)
    if kind == KIND:
        for reference in node.references:
            yield from parts_with_generated_names(reference, around)
        yield from parts_with_generated_names(
            node.root, lambda part: around(_with_root(node.references, part))
        )
        return
    if _names_columns(kind, node):
        yield around(relation)
    for part in _inputs(node):
        yield from parts_with_generated_names(part, around)


def _with_root(references: Sequence[Relation], root: Relation) -> Relation:
    """The plan that a part of another is, with all it refers to."""
    from pyspark.sql.connect.proto.relations_pb2 import Relation as RelationMessage

    whole = RelationMessage()
    refer(whole, root, references)
    return whole


def _names_columns(kind: str, node: Any) -> bool:
    match kind:
        case "sql":
            return True
        case "project":
            return any(map(_is_unnamed, node.expressions))
        case "aggregate":
            columns = (*node.grouping_expressions, *node.aggregate_expressions)
            return node.HasField("pivot") or any(map(_is_unnamed, columns))
        case "with_columns":
            return any(map(_names_fields, node.aliases))
        case _:
            return False


def _is_unnamed(expression: Any) -> bool:
    return expression.WhichOneof("expr_type") not in NAMED or _names_fields(expression)


def _names_fields(message: Any) -> bool:
    calls = (m for m in messages_in(message) if m.DESCRIPTOR.name == "UnresolvedFunction")
    return any(call.function_name.lower() in NAMING_FIELDS for call in calls)


def _inputs(node: Any) -> Iterator[Relation]:
    for field, value in node.ListFields():
        if field.message_type is not None and field.message_type.name == "Relation":
            yield from [value] if hasattr(value, "ListFields") else value
