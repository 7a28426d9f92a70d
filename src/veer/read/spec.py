"""Loading what a user names as a version (a SPEC).

`jobs/q.sql`, `main:jobs/q.sql`, `flow.yaml`, `jobs/report.py:build`, `store:report@3`: which front
end reads it is decided by the registry (`veer.read.registry`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veer.errors import InputError, ParseError, UsageError
from veer.ir.ops import RowUdf
from veer.options import JvmUse, chosen
from veer.read.inputs import NOTHING, Declarations, Input, ReadOptions
from veer.read.registry import FrontEnd, front_end_of, parse
from veer.settings import SessionSettings, under
from veer.verification.versions.version import Version

if TYPE_CHECKING:
    from veer.read.function_bodies import Bodies


LONGEST_PATH = 1_000  # characters; a longer text is no path


def load(
    text: str,
    *,
    schema: str = "",
    revision: str = "",
    args: Sequence[str] = (),
    store: str = "",
    jvm: JvmUse | str = JvmUse.AUTO,
    note: Callable[[str], None] = lambda _: None,
    bodies: Bodies | None = None,
    conf: Mapping[str, str] | None = None,
    spark: str = "",
    declared: Declarations | None = None,
    env: Sequence[str] = (),
) -> Version:
    """The version a SPEC names; `schema` is DDL or the path of a file with DDL.

    `args` are arguments of a PySpark function, NAME=VALUE. `store` is the store of stored versions. `jvm`
    decides whether a JVM may read a function; Veer calls `note` with the reason when it starts one. `bodies`
    has the opaque functions that may run; by default only library operators, with models next to the file.
    `conf` has settings of the Spark session that runs the version, `spark` the Spark version to assume (`3.5`).
    `declared` has facts about Python functions that Veer does not check. `env` has environment variables,
    NAME=VALUE, or NAME for one that is not set: Veer refuses a function that reads others.
    """
    source = parse(text, revision)
    options = _options(schema, args, store, jvm, note, conf, spark, declared, env)
    return _read(source, _front_end(source, options), options, bodies)


def load_input(source: Input, options: ReadOptions) -> Version:
    """The version of an input that is parsed already."""
    return _read(source, _front_end(source, options), options, None)


def _options(
    schema: str,
    args: Sequence[str],
    store: str,
    jvm: JvmUse | str,
    note: Callable[[str], None],
    conf: Mapping[str, str] | None,
    spark: str,
    declared: Declarations | None,
    env: Sequence[str],
) -> ReadOptions:
    """What a caller gives beside SPECs, as front ends take it."""
    how, settings = chosen(JvmUse, jvm, "jvm"), tuple((conf or {}).items())
    believed = declared or NOTHING
    return ReadOptions(schema_text(schema), args, store, how, note, settings, spark, believed, env)


def schema_text(schema: str) -> str:
    """A schema as given; JSON files of Spark's, and folders of schemas, as CREATE TABLE statements."""
    is_folder = len(schema) < LONGEST_PATH and "\n" not in schema and Path(schema).is_dir()
    if not schema or not (schema.endswith(".json") or is_folder):
        return schema
    from veer.read.pyspark.schemas import folder_ddl, table_ddl, table_name

    if is_folder:
        return folder_ddl(Path(schema))

    return table_ddl(table_name(Path(schema)), Path(schema))


def _front_end(source: Input, options: ReadOptions) -> FrontEnd:
    front_end = front_end_of(source)
    if options.args and not front_end.takes_arguments:
        raise UsageError(f"--arg is for PySpark functions; {source.name} is not one")
    return front_end


def _read(
    source: Input, front_end: FrontEnd, options: ReadOptions, bodies: Bodies | None
) -> Version:
    try:
        with under(_session_settings(options)):
            version = front_end.read(source, options)
        if bodies is None and not front_end.has_models:
            return version
        return _with_functions(version, source, bodies)
    except RecursionError:
        raise ParseError(f"{source.name}: nested too deeply") from None
    except InputError as error:
        raise error.of(source.name) from None


def _session_settings(options: ReadOptions) -> SessionSettings:
    """What `--spark` and `--conf` decide of the meaning of what is read."""
    from veer.read.session_settings import session_settings, spark_asked_for

    return session_settings(dict(options.conf), spark_asked_for(options.spark))


def _with_functions(version: Version, source: Input, bodies: Bodies | None) -> Version:
    """The version with those of its opaque functions that may be run."""
    if not any(isinstance(operator, RowUdf) for operator in version.dataflow.operators.values()):
        return version
    from veer.read.function_bodies import Bodies
    from veer.read.runnable_functions import real_functions

    bodies = bodies or Bodies(Path())
    if bodies.models == Path():
        models = Path(source.path).parent / "models"
        bodies = replace(bodies, models=models, revision=source.revision)
    bodies = replace(bodies, code=version.code)
    return replace(version, functions=real_functions(version.dataflow, bodies))


def load_pair(
    p: str,
    q: str,
    *,
    schema: str = "",
    revision: str = "",
    args: Sequence[str] = (),
    store: str = "",
    jvm: JvmUse | str = JvmUse.AUTO,
    note: Callable[[str], None] = lambda _: None,
    bodies: Bodies | None = None,
    conf: Mapping[str, str] | None = None,
    spark: str = "",
    declared: Declarations | None = None,
    env: Sequence[str] = (),
) -> tuple[Version, Version]:
    """Two versions, `p` at a revision if one is given; PySpark jobs are loaded side by side."""
    options = _options(schema, args, store, jvm, note, conf, spark, declared, env)
    sources = parse(p, revision), parse(q)
    kinds = tuple(_front_end(source, options) for source in sources)
    _session_settings(options)  # before anything is started
    if kinds[0] == kinds[1] and kinds[0].pair_reader:
        return kinds[0].read_pair(*sources, options)
    reads = [
        partial(_read, s, kind, options, bodies) for s, kind in zip(sources, kinds, strict=True)
    ]
    if all(kind.starts_process for kind in kinds):
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(2) as pool:
            futures = [pool.submit(read) for read in reads]
            return futures[0].result(), futures[1].result()
    old, new = reads[0](), reads[1]()
    if kinds[0] == kinds[1]:
        return old, new
    return kinds[1].as_counterpart(old, options), kinds[0].as_counterpart(new, options)


def versions_of(p: Any, q: Any, schema: str = "") -> tuple[Version, Version]:
    """Two versions, each given loaded, as a SPEC, or as a DataFrame of a running session."""
    if isinstance(p, str) and isinstance(q, str):
        return load_pair(p, q, schema=schema)
    check_one_session(p, q)
    asked: dict[str, Any] = {}  # the server of a session is asked once for both
    return _version_of(p, "P", schema, asked), _version_of(q, "Q", schema, asked)


def _version_of(given: Any, name: str, schema: str, asked: dict[str, Any]) -> Version:
    if isinstance(given, Version):
        return given
    if isinstance(given, str):
        return load(given, schema=schema)
    if is_connect_frame(given):
        from veer.read.pyspark.connect.live import LiveSurroundings, read_connect_frame

        session = given.sparkSession
        around = asked.setdefault(session.session_id, LiveSurroundings(session))
        return Version(name, read_connect_frame(given, around), stable_ids=False)
    from veer.read.pyspark.frames import read_dataframe

    return Version(name, read_dataframe(given), stable_ids=False)


# -- dataFrames of running sessions: both classic, or both of Spark Connect ----------------------

CONNECT = "pyspark.sql.connect.dataframe.DataFrame"
CLASSIC = ("pyspark.sql.classic.dataframe.DataFrame", "pyspark.sql.dataframe.DataFrame")


def is_connect_frame(value: Any) -> bool:
    """Whether something is a DataFrame of Spark Connect."""
    return CONNECT in _classes(value)


def check_one_session(p: Any, q: Any) -> None:
    """Refuse DataFrames whose tables need not be the same ones, though they have the same names."""
    kinds = {_kind(value) for value in (p, q)} - {""}
    if len(kinds) == 2:
        raise UsageError(
            "one DataFrame is of a classic session, the other of Spark Connect; use one session"
        )
    if kinds == {CONNECT} and is_connect_frame(p) and is_connect_frame(q):
        one, two = p.sparkSession, q.sparkSession
        if one is not two and one.session_id != two.session_id:
            raise UsageError("the DataFrames are of two Spark Connect sessions; use one session")


def _kind(value: Any) -> str:
    """What kind of DataFrame something is; nothing if it is none."""
    if is_connect_frame(value):
        return CONNECT
    return CLASSIC[0] if _classes(value) & {*CLASSIC} else ""


def _classes(value: Any) -> set[str]:
    return {f"{c.__module__}.{c.__qualname__}" for c in type(value).__mro__}
