"""What a run reads: where it is, how Spark reads it, and whether it is still the same.

A fingerprint names every file with its size and times, or with its content. What cannot be told
apart from its next content - a stream, a database, rows made in the program - has none.
"""

from __future__ import annotations

import glob
import itertools
import json
import os
import re
import time
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from stat import S_ISLNK
from typing import TYPE_CHECKING, Any, final

from veer.errors import InputError, NoFingerprintError
from veer.execution.store.files import checksum
from veer.execution.store.sealing import Seal
from veer.ir import ops
from veer.ir.digests import json_digest
from veer.ir.json import encode
from veer.ir.schema import Field
from veer.ir.sources import paths_of
from veer.ir.types import quote_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMATS = ("parquet", "csv", "json", "orc")
TICK_NS = 100_000_000  # two changes of a file may bear the same time for this long
UNLIKE_HADOOP = re.compile(r"[\[\]{}\\]")  # in patterns: Python reads them otherwise
JUDGING = ("csv", "json", "xml")  # formats whose records may be malformed
DECLARED = (
    "keys",
    "foreign_keys",
    "lengths",
    "unique",
    "checks",
)  # of a source: constraints, believed or not
NAMING = ("dbtable", "table", "path")  # options of a reader that say what it reads
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


@final
@dataclass(frozen=True)
class FileLocation:
    """Where a source is: patterns as Spark reads them, and the same for looking at files."""

    format: str
    patterns: tuple[str, ...]
    globs: tuple[str, ...]
    options: tuple[tuple[str, str], ...] = ()


@final
@dataclass(frozen=True)
class Sources:
    """How sources are found: files below `data`, tables by name in `tables`."""

    data: Path = field(default_factory=Path.cwd)
    content: bool = False  # fingerprints by content, not by size and time
    spark: Callable[[], SparkSession] | None = None  # for places only Spark reaches
    seal: Seal = field(
        default_factory=lambda: Seal("")
    )  # of the store that sources come sealed for

    def locate(self, source: ops.Source) -> FileLocation:
        """Where the rows of a source are, or an error saying where they were looked for."""
        source = self.seal.opened(source)
        if source.location:
            both = [self._absolute(path) for path in paths_of(source.location)]
            patterns, globs = (tuple(pair[i] for pair in both) for i in (0, 1))
            return FileLocation(format_name(source.format), patterns, globs, source.options)
        tried = []
        for format_ in FORMATS:
            for name in (f"{source.table}.{format_}", source.table):
                path = Path(os.path.normpath(self._folder / name))
                tried.append(str(path))
                if path.exists() and (name != source.table or _holds(path, format_)):
                    options = source.options
                    if format_ == "csv" and "header" not in dict(options):
                        options = (*options, ("header", "true"))
                    where = os.path.normpath(self._folder / name)
                    return FileLocation(
                        format_, (_url(as_named(where)),), (glob.escape(where),), options
                    )
        raise InputError(
            f"table {source.table!r} was not found: Veer looked for {tried[0]}, {tried[1]} and similar names; "
            "give the folder of the tables with --data"
        )

    @property
    def _folder(self) -> Path:
        """The folder of the data, without links and steps upwards."""
        return self.data.resolve()

    def _absolute(self, path: str) -> tuple[str, str]:
        """A path of the user's, perhaps a pattern, below `data`, which is none.

        Hadoop takes `x/..` away whatever `x` is, the system follows a link first: so steps upwards
        are taken away here, and both look at the same place, in the file system of this machine.
        """
        local = _local(path)
        if local is None:
            return path, path
        if local.is_absolute():
            where = os.path.normpath(local)
            return _url(where), where
        data = str(self._folder)
        inside = os.path.normpath(local)
        if inside == ".." or inside.startswith("../"):
            data, inside = _upwards(data, inside)
        return _url(f"{as_named(data)}/{inside}"), f"{glob.escape(data)}/{inside}"

    def read(self, spark: SparkSession, source: ops.Source) -> DataFrame:
        """The rows of a source, with its columns."""
        untold = ops.UNTOLD_TYPES in dict(source.metadata)
        if untold or ops.OTHER_COLUMNS in [field.name for field in source.fields]:
            raise InputError(
                f"the columns of {source.table!r} are not known: declare them with --schema"
            )
        location = self.locate(source)
        for told, value in source.metadata:
            setting = told.removeprefix(ops.OF_SESSION)
            if setting == told or spark.conf.get(setting, None) != value:
                raise InputError(f"source {source.table!r}: {told} changes what is read")
        ddl = ", ".join(f"{quote_name(f.name)} {f.type}" for f in source.fields)
        reader = spark.read.format(location.format).options(**dict(location.options)).schema(ddl)
        try:
            return reader.load(list(location.patterns))
        except Exception as error:
            first = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise InputError(f"source {source.table!r}: {self.seal.hide(first)}") from None

    def fingerprint(self, source: ops.Source) -> str:
        """What the source holds now."""
        location = self.locate(source)
        check_steady(source, location.format)
        if any(map(UNLIKE_HADOOP.search, paths_of(self.seal.opened(source).location))):
            raise NoFingerprintError(f"{source.location}: brackets and braces are not looked up")
        options = [[name, self.seal.option(name, value)] for name, value in location.options]
        listed = [[self.seal.text(name), *more] for name, *more in self.files(location.globs)]
        return json_digest([location.format, options, listed])

    def stamp(self, source: ops.Source) -> str:
        """A stamp that changes whenever the source is touched, even if its content is the same again."""
        return self.touched(self.locate(source).globs)

    def touched(self, paths: Sequence[str], *, patterns: bool = True) -> str:
        """What shows that files were changed or exchanged, and perhaps put back."""
        by_time = replace(self, content=False)
        marks: list[Any] = []
        for path in paths:
            local = _local(path)
            if local is None:
                marks += by_time._hadoop_files(path, patterns)
                continue
            where = str(local) if patterns else glob.escape(str(local))
            roots = sorted(glob.glob(where, include_hidden=True))
            marks += [_exchanged(folder) for folder in _above(roots)]
            files = (file for root in roots for file in _walk(root, folders=True))
            marks += [[by_time._local_file(file), _link(file)] for file in files]
        return json_digest(marks)

    def files(self, paths: Sequence[str], *, patterns: bool = True) -> list[list[Any]]:
        """Every file below some paths, with what tells its content."""
        files: list[list[Any]] = []
        for path in paths:
            local = _local(path)
            if local is None:
                files += self._hadoop_files(path, patterns)
            else:
                files += self._local_files(str(local) if patterns else glob.escape(str(local)))
        if not files:
            raise InputError(f"{', '.join(paths)}: there are no files")
        return sorted(files)

    def _local_files(self, path: str) -> Iterator[list[Any]]:
        roots = sorted(glob.glob(path, include_hidden=True))
        if not roots:
            shown = re.sub(r"\[([*?[])\]", r"\1", path)
            raise InputError(f"{shown}: no such file or directory")
        for root in roots:
            for file in _walk(root):
                yield self._local_file(file)

    def _local_file(self, path: str) -> list[Any]:
        try:
            if self.content:
                return [path, checksum(Path(path))]
            while True:
                stat = os.stat(path)
                # The next change is to get another time.
                wait = stat.st_mtime_ns + TICK_NS - time.time_ns()
                if not 0 < wait <= TICK_NS:
                    break
                time.sleep(wait / 1e9)
            return [path, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from None

    def _hadoop_files(self, path: str, patterns: bool) -> Iterator[list[Any]]:
        if self.spark is None:
            raise InputError(f"{path} can be reached only through Spark")
        spark = self.spark()
        jvm: Any = spark._jvm
        hadoop_path = jvm.org.apache.hadoop.fs.Path(path)
        system = hadoop_path.getFileSystem(spark._jsc.hadoopConfiguration())
        statuses = (
            system.globStatus(hadoop_path) if patterns else [system.getFileStatus(hadoop_path)]
        )
        if statuses is None or not len(statuses):
            raise InputError(f"{path}: no such file or directory")
        for status in statuses:
            listed = system.listFiles(status.getPath(), True)
            while listed.hasNext():
                file = listed.next()
                name = str(file.getPath().toString())
                if self.content:
                    checksum = system.getFileChecksum(file.getPath())
                    if checksum is None:
                        raise InputError(f"{name}: its file system has no checksums")
                    yield [name, str(checksum.toString())]
                else:
                    yield [name, int(file.getLen()), int(file.getModificationTime())]


def check_steady(source: ops.Source, format_: str) -> None:
    """Refuse a source whose rows depend on which of its columns are read.

    Spark judges a record by the columns it needs: others drop it, fail on it, or tell it as corrupt.
    """
    if format_ not in JUDGING:
        return
    options = {name.lower(): value for name, value in source.options}
    corrupt = options.get("columnnameofcorruptrecord", "_corrupt_record").lower()
    if options.get("mode", "permissive").lower() != "permissive":
        raise NoFingerprintError(f"{source.table}: its reader does not keep every record")
    if any(f.name.lower() == corrupt for f in source.fields):
        raise NoFingerprintError(
            f"{source.table}: which records are corrupt depends on what is read"
        )


def as_named(path: str) -> str:
    """A path that Spark takes for itself, not for a pattern: a folder may be called [x]."""
    return re.sub(r"([][{}*?\\])", r"\\\1", path)


def _local(path: str) -> Path | None:
    """The path of a local file; None if it is elsewhere."""
    if path.startswith("file:"):
        if re.match(r"file://[^/]", path):  # on a machine it names
            raise InputError(f"{path}: write file:///PATH, or the path alone")
        return Path(re.sub(r"^file:(//)?(?=/)", "", path))
    return None if SCHEME.match(path) else Path(path)


def _url(path: str) -> str:
    """A local path as Spark takes it, whatever file system it would look in otherwise."""
    return f"file:{path}"


def _upwards(data: str, inside: str) -> tuple[str, str]:
    """A folder and a path below it, for one that begins with steps upwards."""
    parts = inside.split("/")
    steps = sum(1 for _ in itertools.takewhile(lambda part: part == "..", parts))
    for _ in range(steps):
        data = os.path.dirname(data)
    return data.rstrip("/"), "/".join(parts[steps:])


def _above(paths: Sequence[str]) -> list[str]:
    """The folders above some paths, as they are named and as links lead to them."""
    folders: set[str] = set()
    for path in paths:
        for at in (path, os.path.realpath(path)):
            while at not in folders and at != os.path.dirname(at):
                at = os.path.dirname(at)
                folders.add(at)
    return sorted({*folders, *map(os.path.realpath, folders)})


def _exchanged(folder: str) -> list[Any]:
    """What shows that a folder, or a link to one, was put in the place of another.

    Moving a folder changes its time of change and not that of its content; an entry that somebody
    makes in it changes both, and is none of our business.
    """
    try:
        behind = os.stat(folder)
    except OSError:
        return [folder]
    moved = behind.st_ctime_ns if behind.st_ctime_ns != behind.st_mtime_ns else 0
    return [folder, behind.st_dev, behind.st_ino, moved, *_link(folder)]


def _link(path: str) -> list[Any]:
    """What a link is like; empty if a path is none."""
    try:
        own = os.lstat(path)
        return [own.st_ino, own.st_ctime_ns, os.readlink(path)] if S_ISLNK(own.st_mode) else []
    except OSError:
        return []


def format_name(name: str) -> str:
    """A format as `spark.read` knows it; plans name the class that reads it."""
    return re.sub(r"fileformat$", "", name.lower()) or "parquet"


def _holds(path: Path, format_: str) -> bool:
    return path.is_dir() and any(path.rglob(f"*.{format_}*"))


def _walk(root: str, *, folders: bool = False) -> Iterator[str]:
    """Every file below a path; those Spark overlooks too, which costs nothing but a rerun."""
    if not os.path.isdir(root):
        yield root
        return
    for folder, inside, names in os.walk(root, followlinks=True):
        inside.sort()
        if folders:
            yield folder
        for name in sorted(names):
            yield os.path.join(folder, name)


def source_name(source: ops.Source) -> str:
    """What tells a source from others, whatever is declared of it."""
    described = [
        (f.name, getattr(source, f.name)) for f in fields(source) if f.name not in DECLARED
    ]
    return json.dumps(
        [source.table, {name: _as_json(value) for name, value in described}], sort_keys=True
    )


def name_of_stable(source: ops.Source, names: Container[str]) -> str:
    """The name, among those given in lower case, by which a source is declared not to change; or none.

    By its name, with or without the catalog of the session, by where it is, or by the table of the
    database that its reader names.
    """
    if source.format in (ops.LOCAL, ops.COMPUTED):
        return ""  # rows that a program makes
    asked = [value.lower() for name, value in source.options if name.lower() in NAMING]
    own = (source.table.lower(), source.location.lower(), *asked)
    known = {text.removeprefix("spark_catalog.").removeprefix("file:") for text in own}
    return next((name for name in (*own, *known) if name and name in names), "")


def _as_json(value: Any) -> Any:
    """A part of a source as JSON; all there is to a column but whether it may be null."""
    if isinstance(value, tuple):
        return [_as_json(item) for item in value]
    if isinstance(value, Field):
        return {
            f.name: _as_json(getattr(value, f.name)) for f in fields(value) if f.name != "nullable"
        }
    return encode(value)


__all__ = [
    "FileLocation",
    "Sources",
    "as_named",
    "check_steady",
    "format_name",
    "name_of_stable",
    "source_name",
]
