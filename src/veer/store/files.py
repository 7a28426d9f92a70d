"""Folders of result files: on this machine, or wherever Hadoop reaches."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, final

from veer.errors import InputError

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

        `deep` looks into files that seem untouched too.
        """
        ...

    def folders(self) -> Sequence[str]:
        """Every folder there is, registered or not."""
        ...

    def remove(self, id_: str) -> None:
        """Delete a folder, if it is there."""
        ...


def _is_data(name: str) -> bool:
    return not name.startswith((".", "_"))


@final
class LocalFiles:
    """Results on this machine."""

    def __init__(self, root: str) -> None:
        self.root = str(Path(root).absolute())
        try:
            Path(self.root).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{root}: no place for results: {error.strerror}") from None
        if not os.access(self.root, os.W_OK | os.X_OK):
            raise InputError(f"{root}: results cannot be written there")

    def path(self, id_: str) -> str:
        return f"{self.root}/{id_}"

    def listed(self, id_: str) -> Sequence[StoredFile]:
        return [
            StoredFile(p.name, s.st_size, s.st_mtime_ns, _checksum(p))
            for p in self._data(id_)
            for s in (p.stat(),)
        ]

    def damage(self, id_: str, expected: Sequence[StoredFile], *, deep: bool = False) -> str:
        try:
            there = {p.name: p for p in self._data(id_)}
            for file in expected:
                path = there.pop(file.name, None)
                if path is None:
                    return f"{file.name} is missing"
                found = path.stat()
                if found.st_size != file.size:
                    return f"{file.name} has {found.st_size:,} bytes, not {file.size:,}"
                # An untouched file has its time; another time may only mean that it was copied.
                touched = deep or found.st_mtime_ns != file.modified
                if touched and _checksum(path) != file.checksum:
                    return f"{file.name} has another content"
        except OSError as error:
            return f"it cannot be read: {error.strerror}"
        return f"{min(there)} was added" if there else ""

    def folders(self) -> Sequence[str]:
        return sorted(p.name for p in Path(self.root).iterdir() if p.is_dir())

    def remove(self, id_: str) -> None:
        shutil.rmtree(Path(self.root) / id_, ignore_errors=True)
        if (Path(self.root) / id_).exists():
            raise InputError(f"{self.root}/{id_} cannot be deleted")

    def _data(self, id_: str) -> list[Path]:
        folder = Path(self.root) / id_
        return sorted(p for p in folder.iterdir() if p.is_file() and _is_data(p.name))


def _checksum(path: Path) -> str:
    made = hashlib.blake2b(digest_size=16)
    with path.open("rb") as opened:
        while chunk := opened.read(CHUNK):
            made.update(chunk)
    return made.hexdigest()


@final
class HadoopFiles:
    """Results under a path of any file system Spark can reach; of a file the end is checked."""

    def __init__(self, root: str, spark: Callable[[], Any]) -> None:
        self.root = root.rstrip("/")
        self._spark = spark

    def path(self, id_: str) -> str:
        return f"{self.root}/{id_}"

    def _at(self, path: str) -> tuple[Any, Any]:
        """The file system of a path, and the path as Hadoop has it."""
        spark = self._spark()
        made = spark._jvm.org.apache.hadoop.fs.Path(path)
        return made.getFileSystem(spark._jsc.hadoopConfiguration()), made

    def listed(self, id_: str) -> Sequence[StoredFile]:
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
        try:
            there = {f.name: f for f in self.listed(id_)}
        except Exception as error:
            return f"it cannot be read: {(str(error).strip().splitlines() or ['?'])[0]}"
        for file in expected:
            found = there.pop(file.name, None)
            if found is None:
                return f"{file.name} is missing"
            if found.size != file.size:
                return f"{file.name} has {found.size:,} bytes, not {file.size:,}"
            if found.checksum != file.checksum:
                return f"{file.name} has another content"
        return f"{min(there)} was added" if there else ""

    def folders(self) -> Sequence[str]:
        system, root = self._at(self.root)
        if not system.exists(root):
            return []
        return sorted(
            str(s.getPath().getName()) for s in system.listStatus(root) if s.isDirectory()
        )

    def remove(self, id_: str) -> None:
        system, folder = self._at(self.path(id_))
        system.delete(folder, True)


__all__ = ["Files", "HadoopFiles", "LocalFiles", "StoredFile"]
