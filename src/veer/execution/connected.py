"""DataFrames of a Spark Connect session as something that can be run: computed, or read as a whole.

All is done through the DataFrame API. The files of sources are listed by the server itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, final
from uuid import uuid4

from veer.errors import (
    InputError,
    NoFingerprintError,
    UnsupportedError,
    UntoldSourceError,
)
from veer.execution import sources
from veer.execution.environment import USUAL_SETTINGS, is_harmless, mode_settings
from veer.execution.same_schema import with_schema
from veer.execution.store.files import LocalFiles
from veer.execution.store.sealing import Seal
from veer.ir.digests import json_digest
from veer.ir.ops import Source
from veer.read.function_bodies import Bodies
from veer.read.pyspark.connect.live import LiveSurroundings, read_connect_frame, root_of
from veer.read.pyspark.connect.messages import messages_in
from veer.read.pyspark.connect.server_sources import FILE_FORMATS, Server, file_path
from veer.read.pyspark.layout import connect_frame
from veer.read.session_settings import (
    check_server_settings,
    require_runnable,
    settings_of,
    settings_set,
)
from veer.settings import ZONE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.connect.proto.relations_pb2 import Relation

    from veer.execution.store import Store

PLAN_CACHE = "spark.connect.session.planCache.enabled"
APPLICATION = ("spark.app.id", "spark.app.startTime")
CACHED = ("InMemoryRelation", "InMemoryTableScan")  # in plans as the server prints them


@final
class Connected:
    """A `Computation`: one frame of a Connect session."""

    def __init__(
        self, frame: DataFrame, sink: str, *, content: bool = False, seal: Seal | None = None
    ) -> None:
        self.spark: Any = frame.sparkSession
        self.bodies = Bodies()
        self._seal, self._content = seal or Seal(""), content
        self._server = Server(self.spark)
        self._leaves: dict[Source, Relation] = {}
        self._frame = frame
        self.dataflow = read_connect_frame(frame, LiveSurroundings(self.spark, self._leaf), sink)
        parts = messages_in(root_of(frame))
        if any(part.DESCRIPTOR.name == "CollectMetrics" for part in parts):
            raise NoFingerprintError("it is observed: a stored result would not give its metrics")

    def _leaf(self, source: Source, relation: Relation) -> Source:
        """A source without secrets; the relation is kept to read it and look at its files."""
        sealed = self._seal.source(source)
        self._leaves[sealed] = relation
        return sealed

    # -- sources -------------------------------------------------------------------------------

    def fingerprint(self, source: Source) -> str:
        """What the files of a source hold."""
        relation = self._files_of(source)
        sources.check_steady(source, sources.format_name(source.format))
        if self._reads_cache():
            raise NoFingerprintError("rows are read from a cache, whatever the files hold now")
        files = self._listed(relation, content=self._content)
        local = [] if self._content else self._seen_from_here(files)
        named = [[self._seal.text(str(f[0])), *f[1:]] for f in (*files, *local)]
        return json_digest([source.format, [list(o) for o in source.options], named])

    def stamp(self, source: Source) -> str:
        """A stamp that changes whenever the files of a source are touched."""
        files = self._listed(self._files_of(source), content=False)
        names = [file_path(f[0]) for f in files]
        marks = [files]
        if self._server.is_here:
            with suppress(InputError):
                marks.append([[sources.Sources().touched(names, patterns=False)]])
        return json_digest(marks)

    def _files_of(self, source: Source) -> Relation:
        """The relation of a source whose rows are in files that it names itself."""
        relation = self._leaf_of(source)
        if relation is None or not relation.HasField("read"):
            raise NoFingerprintError(f"only this program knows the rows of {source.table}")
        read = relation.read
        if read.HasField("named_table"):
            raise UntoldSourceError(
                f"{source.table}: over Spark Connect, Veer cannot see whether a table still has the "
                "same rows; read its files by their path"
            )
        if (read.data_source.format or "parquet").lower() not in FILE_FORMATS:
            raise UntoldSourceError(f"{source.table}: its content is not in files")
        if sources.format_name(source.format) == "binary":
            raise NoFingerprintError(
                f"{source.table}: it reads metadata of files, not only their content"
            )
        return relation

    def _leaf_of(self, source: Source) -> Relation | None:
        """The relation of a source, whatever is declared of it."""
        if source in self._leaves:
            return self._leaves[source]
        name = sources.source_name(source)
        return next((r for s, r in self._leaves.items() if sources.source_name(s) == name), None)

    def _listed(self, relation: Relation, *, content: bool) -> list[list[Any]]:
        """Every file below the paths of a source, with what tells its content."""
        from pyspark.sql.connect import functions as F

        read = relation.read.data_source
        paths = [*read.paths, *(v for k, v in read.options.items() if k.lower() == "path")]
        reader = self.spark.read.format("binaryFile").option("recursiveFileLookup", "true")
        if content:
            told = reader.load(paths).select("path", "length", F.sha2("content", 256))
            return sorted(list(row) for row in told.collect())
        changed, now = F.unix_micros("modificationTime"), F.unix_micros(F.current_timestamp())
        while True:
            rows = reader.load(paths).select("path", "length", changed, now).collect()
            # The next change of a file is to get another time.
            wait = max((row[2] * 1000 + sources.TICK_NS - row[3] * 1000 for row in rows), default=0)
            if not 0 < wait <= sources.TICK_NS:
                return sorted([row[0], row[1], row[2]] for row in rows)
            time.sleep(wait / 1e9)

    def _seen_from_here(self, files: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """What this machine tells of local files of a server on it: more than the server does."""
        names = [file_path(f[0]) for f in files]
        if not self._server.is_here or not all(name.startswith("file:") for name in names):
            return []
        with suppress(InputError):
            return sources.Sources().files(names, patterns=False)
        return []

    def _reads_cache(self) -> bool:
        """Whether the server answers with rows it holds in memory."""
        frame: Any = self._frame
        plan = frame._plan.to_proto(self.spark.client)
        text = self.spark.client.explain_string(plan, "extended")
        return any(word in text for word in CACHED)

    def read(self, source: Source) -> DataFrame:
        """The rows of a leaf of the plans."""
        relation = self._leaf_of(source)
        assert relation is not None, source.table
        frame = frame_of(relation, self.spark)
        return frame.toDF(*(f.name for f in source.fields))

    # -- frames --------------------------------------------------------------------------------

    def can_cut(self, id_: str) -> bool:
        """No part can: the server takes a plan as a whole."""
        return False

    def frame(self, id_: str, stored: Mapping[str, DataFrame]) -> DataFrame:
        """The rows of a sink."""
        return self._frame

    def served(self, sink: str, stored: DataFrame) -> DataFrame:
        """A stored result in place of a whole frame: as it, down to what may be null."""
        return with_schema(stored, self._frame.schema)


def frame_of(relation: Relation, session: Any) -> DataFrame:
    """A DataFrame of a relation."""
    from pyspark.sql.connect.plan import LogicalPlan

    class Given(LogicalPlan):
        def plan(self, session: Any) -> Any:
            plan = self._create_proto_relation()
            number = plan.common.plan_id
            plan.CopyFrom(relation)
            plan.common.plan_id = number
            return plan

    frame: DataFrame = connect_frame(Given(None), session)
    return frame


@contextmanager
def fresh_plans(session: Any) -> Iterator[None]:
    """Plans are analyzed anew, with the files there are now: the server keeps some it has seen."""
    before = settings_set(session).get(PLAN_CACHE)
    session.conf.set(PLAN_CACHE, "false")
    try:
        yield
    finally:
        if before is None:
            session.conf.unset(PLAN_CACHE)
        else:
            session.conf.set(PLAN_CACHE, before)


def server_environment(session: Any) -> dict[str, Any]:
    """What results depend on beside their computation: settings, and the server as long as it runs.

    It does not tell its Java, Hadoop and variables: they stay what they are while the application
    runs, so results are those of one application.
    """
    settings = check_server_settings(session)
    require_runnable(settings_of(session))
    if any(name not in settings for name in APPLICATION):
        raise NoFingerprintError("the server does not tell which application it is")
    told = {n: v for n, v in sorted(settings.items()) if not is_harmless(n) and n != PLAN_CACHE}
    return {
        "spark": session.version,
        "server": [settings[name] for name in APPLICATION],
        "zone": str(session.conf.get(ZONE)),
        "settings": {
            **mode_settings(settings_of(session)),
            **{n: v for n, v in told.items() if USUAL_SETTINGS.get(n) != v},
        },
        "python": {},
    }


def check_shared(store: Store, session: Any) -> None:
    """Refuse a store whose results the server, or this machine, would not find."""
    if not isinstance(store.files, LocalFiles):
        raise UnsupportedError(
            f"results in {store.files.root} need a classic session; over Spark Connect, use a "
            "folder that the server and this machine share"
        )
    probe = Path(store.files.root) / f"probe-{uuid4().hex}"
    probe.touch()
    try:
        reader = session.read.format("binaryFile")
        _ = reader.load(
            f"file:{sources.as_named(str(probe))}"
        ).schema  # the server looks for the file
    except Exception:
        raise UnsupportedError(
            f"the server does not see {store.files.root}; use a folder that it shares with this "
            "machine (--results, VEER_STORE)"
        ) from None
    finally:
        probe.unlink(missing_ok=True)


__all__ = ["Connected", "check_shared", "fresh_plans", "server_environment"]
