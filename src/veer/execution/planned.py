"""DataFrames of a program as something that can be run: parts of their plans are read instead.

A stored part takes the place of a node of the plan, with columns of the same names, numbers and
nullability, so everything above it stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, final

from veer.errors import NoFingerprintError, UntoldSourceError
from veer.execution.sources import Sources, check_steady, format_name, source_name
from veer.execution.store.sealing import Seal
from veer.ir import ops
from veer.ir.digests import json_digest
from veer.read.function_bodies import Bodies
from veer.read.pyspark.frames import read_plans
from veer.read.pyspark.layout import classic_frame_class, datasets
from veer.read.pyspark.plans.signals import PlanSignal
from veer.read.pyspark.plans.sources import source_of
from veer.read.pyspark.plans.tree import Node, scala_items

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@final
class Planned:
    """A `Computation`: frames of one session, each feeding a sink."""

    def __init__(
        self,
        frames: Sequence[tuple[DataFrame, ops.Sink]],
        *,
        content: bool = False,
        seal: Seal | None = None,
    ) -> None:
        self.spark: SparkSession = frames[0][0].sparkSession
        self.bodies = Bodies()
        self._seal = seal or Seal("")
        self._files = Sources(content=content, spark=lambda: self.spark)
        self._leaves: dict[ops.Source, list[Node]] = {}
        self._frames = {sink.name: frame for frame, sink in frames}
        read = read_plans(frames, self._leaf)
        self.dataflow = read.dataflow
        self._plans, self._nodes = read.plans, read.nodes
        if any(
            node.kind == "CollectMetrics" for plan in self._plans.values() for node in _all(plan)
        ):
            raise NoFingerprintError("it is observed: a stored result would not give its metrics")

    def _leaf(self, node: Node) -> ops.AnyOperator:
        """A leaf of a plan, without secrets; the node is kept to read it and look at its files."""
        operator = source_of(node)
        if isinstance(operator, ops.Source):
            operator = self._seal.source(operator)
            self._leaves.setdefault(operator, []).append(node)
        return operator

    # -- sources -------------------------------------------------------------------------------

    def fingerprint(self, source: ops.Source) -> str:
        """What the files of a source hold; the plan must know all of them, and no others."""
        nodes = self._leaves.get(source) or self._unconstrained(source)
        if source.format == ops.LOCAL or not nodes:
            raise NoFingerprintError(f"only this program knows the rows of {source.table}")
        format_ = format_name(source.format)
        if format_ == "binary" or any(f.name == "_metadata" for f in source.fields):
            raise NoFingerprintError(
                f"{source.table}: it reads metadata of files, not only their content"
            )
        check_steady(source, format_)
        if any(map(self._reads_cache, self._frames.values())):
            raise NoFingerprintError("rows are read from a cache, whatever the files hold now")
        parts: list[Any] = [source.format, [list(o) for o in source.options]]
        for node in nodes:
            paths, planned = self._planned_files(source, node)
            listed = self._files.files(paths, patterns=False)
            there = {f[0] for f in listed if not _is_hidden(f[0])}
            if planned.keys() != there or any(map(self._differs, planned.values())):
                raise NoFingerprintError(
                    f"{source.table}: its files changed since the DataFrame was made"
                )
            parts.append([_schema(node), [[self._seal.text(f[0]), *f[1:]] for f in listed]])
        return json_digest(parts)

    def stamp(self, source: ops.Source) -> str:
        """A stamp that changes whenever the files of a source are touched."""
        nodes = self._leaves.get(source) or self._unconstrained(source)
        paths = [path for node in nodes for path in self._planned_files(source, node)[0]]
        return self._files.touched(paths, patterns=False)

    def _planned_files(self, source: ops.Source, node: Node) -> tuple[list[str], dict[str, Any]]:
        """The paths a leaf of the plan reads, and its files as they were when it was made."""
        try:
            location = node.jvm.relation().location()
            paths = [str(p.toString()) for p in scala_items(location.rootPaths())]
            files = scala_items(location.allFiles())
        except Exception:
            raise UntoldSourceError(f"{source.table}: its content is not in files") from None
        return paths, {self._path(str(f.getPath().toUri().toString())): f for f in files}

    def _differs(self, planned: Any) -> bool:
        """Whether a file is another than the plan knows: Spark would read the old length of it."""
        hadoop = self.spark._jsc.hadoopConfiguration()
        try:
            now = planned.getPath().getFileSystem(hadoop).getFileStatus(planned.getPath())
        except Exception:
            return True
        before = planned.getLen(), planned.getModificationTime()
        return (now.getLen(), now.getModificationTime()) != before

    def _reads_cache(self, frame: DataFrame) -> bool:
        """Whether Spark answers with rows it holds in memory."""
        session: Any = self.spark._jsparkSession
        if session.sharedState().cacheManager().isEmpty():
            return False
        # An execution of its own: that of the frame may have been looked at before.
        anew = self._of(frame._jdf.queryExecution().analyzed())
        plan: Any = anew._jdf.queryExecution().withCachedData()
        leaves = (
            leaf
            for p in (plan, *scala_items(plan.subqueriesAll()))
            for leaf in scala_items(p.collectLeaves())
        )
        return any(leaf.getClass().getSimpleName() == "InMemoryRelation" for leaf in leaves)

    def _unconstrained(self, source: ops.Source) -> list[Node]:
        """The leaves of a source with fewer declarations than in the plan."""
        name = source_name(source)
        return [n for s, nodes in self._leaves.items() if source_name(s) == name for n in nodes]

    def _path(self, uri: str) -> str:
        """A file as its path, as `Sources` lists it."""
        parsed: Any = self.spark._jvm.java.net.URI(uri)  # type: ignore[union-attr]
        scheme = parsed.getScheme()
        return str(parsed.getPath()) if scheme in (None, "file") else uri

    def read(self, source: ops.Source) -> DataFrame:
        """The rows of a leaf of the plans."""
        nodes = self._leaves.get(source) or self._unconstrained(source)
        return self._of(nodes[0].jvm).toDF(*(f.name for f in source.fields))

    # -- plans ---------------------------------------------------------------------------------

    def can_cut(self, id_: str) -> bool:
        """Whether a signal is a node of a plan, with all its columns."""
        if id_ not in self._nodes:
            return False
        node, signal = self._nodes[id_]
        output = scala_items(node.jvm.output())
        if not all(a.dataType().asNullable().equals(a.dataType()) for a in output):
            return False  # files do not tell what is never null inside of arrays, maps and structs
        expr_ids = [_expr_id(a) for a in output]
        return sorted(expr_ids) == sorted(signal.expr_ids) and len(set(expr_ids)) == len(expr_ids)

    def frame(self, id_: str, stored: Mapping[str, DataFrame]) -> DataFrame:
        """The rows of a signal, with stored parts read."""
        if id_ in self._plans:
            if not stored:
                return self._frames[id_]
            return self._of(self._rebuilt(self._plans[id_], self._replaced(stored)))
        node, signal = self._nodes[id_]
        plan = self._rebuilt(node, self._replaced(stored))
        output = {_expr_id(a): a for a in scala_items(plan.output())}
        columns = [output[n] for n in signal.expr_ids]
        return self._of(self._project(columns, plan))

    def served(self, sink: str, stored: DataFrame) -> DataFrame:
        """A stored result in place of a whole frame: as it, down to what may be null."""
        wanted = scala_items(self._plans[sink].jvm.output())
        return self._of(self._aliased(wanted, _columns(stored), stored))

    def _replaced(self, stored: Mapping[str, DataFrame]) -> dict[int, Any]:
        """What takes the place of nodes of the plans, by the nodes' identity."""
        replacements = {}
        for id_, frame in stored.items():
            node, signal = self._nodes[id_]
            replacements[id(node)] = self._in_place(node, signal, frame)
        return replacements

    def _in_place(self, node: Node, signal: PlanSignal, frame: DataFrame) -> Any:
        """A stored frame in the place of a node: its columns in the node's own order."""
        positions = {number: i for i, number in enumerate(signal.expr_ids)}
        wanted = scala_items(node.jvm.output())
        columns = _columns(frame)
        ordered = [columns[positions[_expr_id(a)]] for a in wanted]
        return self._aliased(wanted, ordered, frame)

    def _aliased(self, wanted: Sequence[Any], columns: Sequence[Any], frame: DataFrame) -> Any:
        """A projection of a stored frame whose columns are those wanted."""
        jvm: Any = self.spark._jvm
        expressions = jvm.org.apache.spark.sql.catalyst.expressions
        aliases = []
        for attribute, column in zip(wanted, columns, strict=True):
            # Files may hold nulls anywhere; the plan above relies on what cannot be null.
            value = column if attribute.nullable() else expressions.KnownNotNull(column)
            aliases.append(
                expressions.Alias(
                    value,
                    attribute.name(),
                    attribute.exprId(),
                    attribute.qualifier(),
                    jvm.scala.Option.apply(attribute.metadata()),
                    self._sequence([]),
                )
            )
        return self._project(aliases, frame._jdf.queryExecution().analyzed())

    def _project(self, columns: Sequence[Any], plan: Any) -> Any:
        """A projection in Spark's own plans."""
        jvm: Any = self.spark._jvm
        logical = jvm.org.apache.spark.sql.catalyst.plans.logical
        return logical.Project(self._sequence(columns), plan)

    def _sequence(self, items: Sequence[Any]) -> Any:
        jvm: Any = self.spark._jvm
        return jvm.PythonUtils.toSeq(list(items))

    def _rebuilt(self, node: Node, replaced: Mapping[int, Any]) -> Any:
        """A plan with some of its nodes replaced."""
        if id(node) in replaced:
            return replaced[id(node)]
        children = [self._rebuilt(child, replaced) for child in node.children]
        if all(new is old.jvm for new, old in zip(children, node.children, strict=True)):
            return node.jvm
        return node.jvm.withNewChildren(self._sequence(children))

    def _of(self, plan: Any) -> DataFrame:
        """A DataFrame of a plan of Spark's."""
        jvm_frame: Any = datasets(self.spark).ofRows(self.spark._jsparkSession, plan)
        frame: DataFrame = classic_frame_class()(jvm_frame, self.spark)
        return frame


def _all(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _all(child)


def _schema(node: Node) -> str:
    """The schema a leaf reads its files by, with what it gives where they lack a column."""
    return str(node.jvm.relation().schema().json())


def _columns(frame: DataFrame) -> list[Any]:
    return scala_items(frame._jdf.queryExecution().analyzed().output())


def _expr_id(attribute: Any) -> int:
    return int(attribute.exprId().id())


def _is_hidden(path: str) -> bool:
    """Whether Spark overlooks a file."""
    name = path.rpartition("/")[2]
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


__all__ = ["Planned"]
