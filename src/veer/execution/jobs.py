"""A PySpark job run for real: what it returns and writes goes through the store.

The function is called as it is; only `df.write` and `df.writeTo` are given a frame with the same rows
that is read from the store, after it was computed if it had to be. How it is written stays the job's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, final
from unittest.mock import patch

from veer.errors import InputError, UsageError, VeerError
from veer.execution.live import explained, through_store, why_not
from veer.execution.run import RunOutcome
from veer.execution.session import Session
from veer.execution.start import RunOptions, checked_name, default_name, open_store
from veer.execution.targets import safe_name
from veer.execution.writers import Reads, reads_table, recording_writer
from veer.ir.ops import Sink
from veer.read.checkout import checked_out, top_level
from veer.read.inputs import parse_spec
from veer.read.pyspark.capture.capture import Stopped, Written
from veer.read.pyspark.capture.classic import ClassicCapture
from veer.read.pyspark.capture.jobs import parse_args
from veer.read.pyspark.capture.loading import arguments_for, describe_error, function_of
from veer.read.pyspark.layout import classic_frame_class

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from veer.execution.reuse import RunPlan
    from veer.execution.store import Store
    from veer.ir.dag import Dataflow


@final
@dataclass(frozen=True)
class NotKept:
    """A frame that is computed as without Veer, and why it does not go through the store."""

    problem: str


@final
@dataclass
class JobOutcome:
    """What a job did: its frames in order, each with what was done for it or why nothing was."""

    name: str
    frames: list[tuple[str, RunOutcome | NotKept]] = field(default_factory=list)
    results: dict[str, str] = field(default_factory=dict)  # paths, by name


@final
class _Job:
    """The frames of one call."""

    def __init__(self, name: str, spec: str, store: Store, options: RunOptions, spark: Any) -> None:
        self.outcome = JobOutcome(name)
        self.spec, self.store, self.options, self.spark = spec, store, options, spark
        self.is_working = False

    @property
    def _asked(self) -> dict[str, Any]:
        """What the user asked for, for each frame alike."""
        options = self.options
        return {
            "spec": self.spec,
            "content": options.content,
            "keep": options.keep,
            "reuse": options.reuse,
            "trust": options.trust,
            "share": options.share,
            "stable": options.stable,
        }

    def frame(self, frame: DataFrame, name: str) -> DataFrame:
        """A frame with the same rows, read from the store where that can be."""
        if self.is_working:  # the store itself writes
            return frame
        self.is_working = True
        try:
            served, outcome = through_store(frame, self.store, name=name, **self._asked)
        except Exception as error:  # the job goes on as it does without Veer
            problem = why_not(error, self.store)
            self.outcome.frames.append((name, NotKept(problem)))
            return frame
        finally:
            self.is_working = False
        self.outcome.frames.append((name, outcome))
        for result in outcome.results.values():
            self.outcome.results[name] = self.store.files.path(result.id)
        return served

    def explained(self, frame: DataFrame, name: str) -> Explained:
        """What would be done for a frame."""
        try:
            return explained(frame, self.store, name=name, **self._asked)
        except InputError as error:
            return NotKept(str(error))

    def written(self, frame: DataFrame) -> DataFrame:
        """A frame that is about to be written."""
        if self.is_working:
            return frame
        return self.frame(frame, self._next)

    @property
    def _next(self) -> str:
        return f"{self.outcome.name}.{len(self.outcome.frames) + 1}"

    def as_it_is(self, frame: DataFrame) -> DataFrame:
        """A frame that may be written to what it reads: Spark itself decides about that."""
        problem = "it may be written to what it reads"
        self.outcome.frames.append((self._next, NotKept(problem)))
        return frame


@final
class _Watched(ClassicCapture):
    """A job that reads what is there, but writes nothing and runs no action: only to explain it."""

    live = True

    def write(self, sink: Sink, frame: Any) -> None:
        self.written.append(Written(sink, frame, self.site()))


Explained = tuple["RunPlan", "Dataflow"] | NotKept


def explain_job(
    spec: str, options: RunOptions, progress: Callable[[str], None] = lambda _: None
) -> list[tuple[str, Explained]]:
    """What would be read and computed for each frame of a job, or why it would not be kept.

    The function is called as for `veer verify`: what it writes is only noted, actions stop it.
    """
    with _called(spec, options, progress) as (job, root, function):
        watched = _Watched(job.spark, "", root, root)
        try:
            with watched:
                returned = function()
        except Stopped as stopped:
            raise InputError(f"{stopped}; `veer run` without --explain runs it") from None
        name = job.outcome.name
        frames = [(f"{name}.{i}", w.frame) for i, w in enumerate(watched.written, 1)]
        return [(n, job.explained(f, n)) for n, f in (*frames, *_frames(returned, name))]


def run_job(
    spec: str, options: RunOptions, progress: Callable[[str], None] = lambda _: None
) -> JobOutcome:
    """Call the function of a job; frames it writes or returns are computed or read."""
    with _called(spec, options, progress) as (job, _, function), _intercepted(job):
        returned = function()
        for name, frame in _frames(returned, job.outcome.name):
            job.frame(frame, name)
    return job.outcome


@contextmanager
def _called(
    spec: str, options: RunOptions, progress: Callable[[str], None]
) -> Iterator[tuple[_Job, Path, Callable[[], Any]]]:
    """A job with its session and store, the root of its project, and the call of its function."""
    parsed = parse_spec(spec)
    if not parsed.function:
        raise UsageError(f"{spec}: name the function, as in {parsed.path}:build")
    session = Session(options.master, dict(options.conf))
    with ExitStack() as stack:
        root, file, top = stack.enter_context(_place(parsed.path, parsed.revision))
        progress("starting Spark")
        spark = session()
        stack.callback(session.stop)
        store = stack.enter_context(open_store(options, session))
        name = checked_name(options.name or default_name(spec))
        job = _Job(name, spec, store, options, spark)
        progress(f"running {spec}")

        def call() -> Any:
            function = function_of(root, file, parsed.function, top)
            given = arguments_for(function, dict(parse_args(options.args)), _Tables(spark))
            try:
                return function(**given)
            except VeerError:
                raise
            except Exception as error:
                raise InputError(
                    f"{parsed.function} raised {describe_error(error, root)}"
                ) from None

        yield job, root, call


@contextmanager
def _place(path: str, revision: str) -> Iterator[tuple[Path, Path, str]]:
    """The root of the project, the file, and the working tree it stands for."""
    file = Path(path).absolute()
    top = top_level(next(p for p in file.parents if p.is_dir()))
    if not revision:
        if not file.is_file():
            raise InputError(f"{path}: no such file")
        yield top or file.parent, file, ""
        return
    if top is None:
        raise InputError(f"{path}: no git repository, so there is no revision {revision!r}")
    with checked_out(revision, top) as root:
        yield root, root / file.relative_to(top), str(top)


class _Tables:
    """The session of a job, and tables by name."""

    def __init__(self, spark: Any) -> None:
        self.spark = spark
        self.tables: dict[str, Any] = {}

    def table(self, name: str) -> Any:
        return self.spark.table(name)


@contextmanager
def _intercepted(job: _Job) -> Iterator[None]:
    """Writers of frames get frames of the store; the session stays open until the end."""
    from pyspark.sql import SparkSession

    DataFrame = classic_frame_class()
    write: Any = DataFrame.__dict__["write"]
    write_to: Any = DataFrame.writeTo

    def writer(frame: Any) -> Any:
        return (
            write.fget(frame)
            if job.is_working
            else recording_writer(frame, write.fget, job.written, job.as_it_is)
        )

    def writer_to(frame: Any, table: str) -> Any:
        if job.is_working:
            return write_to(frame, table)
        own = reads_table(frame, table) is not Reads.NO
        return write_to(job.as_it_is(frame) if own else job.written(frame), table)

    with (
        patch.object(DataFrame, "write", property(writer)),
        patch.object(DataFrame, "writeTo", writer_to),
        patch.object(SparkSession, "stop", lambda _: None),
    ):
        yield


def _frames(returned: Any, name: str) -> list[tuple[str, Any]]:
    """The DataFrames among what a function returned."""
    if hasattr(returned, "sparkSession"):
        return [(name, returned)]
    if isinstance(returned, dict):
        return [
            (f"{name}.{safe_name(str(key))}", f)
            for key, f in returned.items()
            if hasattr(f, "sparkSession")
        ]
    if isinstance(returned, list | tuple):
        named = enumerate(returned, 1)
        return [(f"{name}.{i}", f) for i, f in named if hasattr(f, "sparkSession")]
    return []


__all__ = ["JobOutcome", "NotKept", "explain_job", "run_job"]
