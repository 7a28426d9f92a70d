"""Folders of result files: on this machine, or wherever Hadoop reaches."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, final

from veer.errors import InputError, VeerError

FOOTER = 65_536  # bytes at the end of a file whose checksum is kept where all would be too many
CHUNK = 1 << 20


@final
@dataclass(frozen=True)
class StoredFile:
    """One file of a result, as it was when the result was registered."""

    name: str
    size: int
    modified: int
    checksum: str

    def as_json(self) -> dict[str, Any]:
        """As kept in the database."""
        return asdict(self)


class Files(Protocol):
    """What the store does with folders; a folder has the id of its result."""

    root: str

    def path(self, id_: str) -> str:
        """Where Spark writes and reads a result."""
        ...

    def listed(self, id_: str) -> Sequence[StoredFile]:
        """The data files of a result."""
        ...

    def damage(self, id_: str, expected: Sequence[StoredFile], *, deep: bool = False) -> str:
        """What is not as it was when the result was registered; empty if all is.

        `deep` looks into files that seem untouched too. An error if nobody can tell now.
        """
        ...

    def folders(self) -> Sequence[str]:
        """The folders of results, registered or not, and no others."""
        ...

    def remove(self, id_: str) -> None:
        """Delete a folder, if it is there."""
        ...


def _is_data(name: str) -> bool:
    return not name.startswith((".", "_"))


def _is_result(name: str) -> bool:
    """Whether a folder has the name of a result: what else is there is never deleted."""
    return re.fullmatch(r"[0-9a-f]{32}", name) is not None


@final
class LocalFiles:
    """`Files` on this machine; their folder is made unless it must exist already."""

    def __init__(self, root: str, *, must_exist: bool = False) -> None:
        self.root = str(Path(root).absolute())
        # Made anew, a place that is only not mounted would seem to have lost every result.
        if must_exist and not os.path.isdir(self.root):
            raise InputError(
                f"{root}: the results of the store are missing; is the folder mounted?"
            )
        try:
            Path(self.root).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{root}: results cannot be stored there: {error.strerror}") from None
        if not os.access(self.root, os.W_OK | os.X_OK):
            raise InputError(f"{root}: results cannot be written there")

    def path(self, id_: str) -> str:
        """The folder of a result."""
        return f"{self.root}/{id_}"

    def listed(self, id_: str) -> Sequence[StoredFile]:
        """The data files of a result, each with a checksum of all it holds."""
        return [
            StoredFile(p.name, s.st_size, s.st_mtime_ns, checksum(p))
            for p in self._data(id_)
            for s in (p.stat(),)
        ]

    def damage(self, id_: str, expected: Sequence[StoredFile], *, deep: bool = False) -> str:
        """What is not as it was; a file is read again if its time changed, or if `deep`."""
        try:
            there = {p.name: p for p in self._data(id_)}
            for file in expected:
                path = there.pop(file.name, None)
                if path is None:
                    return f"{file.name} is missing"
                stat = path.stat()
                if stat.st_size != file.size:
                    return f"{file.name} has {stat.st_size:,} bytes, not {file.size:,}"
                # An untouched file has its time; another time may only mean that it was copied.
                touched = deep or stat.st_mtime_ns != file.modified
                if touched and checksum(path) != file.checksum:
                    return f"{file.name} has another content"
        except FileNotFoundError as error:
            return f"{Path(error.filename).name} is missing"
        except OSError as error:
            raise InputError(f"{self.path(id_)} cannot be read: {error.strerror}") from None
        return f"{min(there)} was added" if there else ""

    def folders(self) -> Sequence[str]:
        """The folders of results, whether registered or not."""
        return sorted(
            p.name for p in Path(self.root).iterdir() if p.is_dir() and _is_result(p.name)
        )

    def remove(self, id_: str) -> None:
        """Delete a folder; an error if something of it stays."""
        shutil.rmtree(Path(self.root) / id_, ignore_errors=True)
        if (Path(self.root) / id_).exists():
            raise InputError(f"{self.root}/{id_} cannot be deleted")

    def _data(self, id_: str) -> list[Path]:
        folder = Path(self.root) / id_
        return sorted(p for p in folder.iterdir() if p.is_file() and _is_data(p.name))


def checksum(path: Path) -> str:
    """A checksum of all a file holds."""
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as opened:
        while chunk := opened.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


@final
class HadoopFiles:
    """`Files` under a path of any file system Spark can reach; of a file the end is checked."""

    def __init__(self, root: str, spark: Callable[[], Any]) -> None:
        self.root = root.rstrip("/")
        self._spark = spark

    def path(self, id_: str) -> str:
        """The path of a result, with its file system."""
        return f"{self.root}/{id_}"

    def _at(self, path: str) -> tuple[Any, Any]:
        """The file system of a path, and the path as Hadoop has it."""
        spark = self._spark()
        hadoop_path = spark._jvm.org.apache.hadoop.fs.Path(path)
        return hadoop_path.getFileSystem(spark._jsc.hadoopConfiguration()), hadoop_path

    def listed(self, id_: str) -> Sequence[StoredFile]:
        """The data files of a result, each with a checksum of its end."""
        system, folder = self._at(self.path(id_))
        return [
            StoredFile(
                str(s.getPath().getName()),
                int(s.getLen()),
                int(s.getModificationTime()),
                self._end(system, s),
            )
            for s in self._data(system, folder)
        ]

    def _data(self, system: Any, folder: Any) -> list[Any]:
        every = system.listStatus(folder)
        data = [s for s in every if s.isFile() and _is_data(str(s.getPath().getName()))]
        return sorted(data, key=lambda s: str(s.getPath().getName()))

    def _end(self, system: Any, status: Any) -> str:
        """A checksum of the last bytes, where Parquet says what the file holds."""
        length = int(status.getLen())
        size = min(length, FOOTER)
        stream = system.open(status.getPath())
        try:
            stream.seek(length - size)
            # Bytes go to Python as one array.
            data = self._spark()._jvm.org.apache.commons.io.IOUtils.toByteArray(stream)
        finally:
            stream.close()
        return hashlib.blake2b(bytes(data), digest_size=16).hexdigest()

    def damage(self, id_: str, expected: Sequence[StoredFile], *, deep: bool = False) -> str:
        """What is not as it was; sizes and ends of all files are looked at, `deep` or not."""
        with self._naming_path(id_):
            system, folder = self._at(self.path(id_))
            if not system.exists(folder):
                return f"{id_} is missing"
            there = {f.name: f for f in self.listed(id_)}
        for file in expected:
            current = there.pop(file.name, None)
            if current is None:
                return f"{file.name} is missing"
            if current.size != file.size:
                return f"{file.name} has {current.size:,} bytes, not {file.size:,}"
            if current.checksum != file.checksum:
                return f"{file.name} has another content"
        return f"{min(there)} was added" if there else ""

    def folders(self) -> Sequence[str]:
        """The folders of results, whether registered or not."""
        with self._naming_path():
            system, root = self._at(self.root)
            every = system.listStatus(root) if system.exists(root) else []
            names = [str(s.getPath().getName()) for s in every if s.isDirectory()]
        return sorted(filter(_is_result, names))

    def remove(self, id_: str) -> None:
        """Delete a folder; an error if it stays."""
        with self._naming_path(id_):
            system, folder = self._at(self.path(id_))
            if not system.delete(folder, True) and system.exists(folder):
                raise InputError(f"{self.path(id_)} cannot be deleted")

    @contextmanager
    def _naming_path(self, id_: str = "") -> Iterator[None]:
        """What Hadoop complains about, as an error that names the place."""
        try:
            yield
        except VeerError:
            raise
        except Exception as error:
            lines = [line for line in str(error).splitlines() if line.startswith(": ")]
            message = (lines or [type(error).__name__])[0].removeprefix(": ")
            raise InputError(f"{self.path(id_).rstrip('/')} cannot be reached: {message}") from None


__all__ = ["Files", "HadoopFiles", "LocalFiles", "StoredFile", "checksum"]
