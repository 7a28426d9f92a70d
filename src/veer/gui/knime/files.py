"""The files of a workflow: in a `.knwf` archive, or in a folder, also at a git revision."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Protocol, final

from veer.errors import InputError, ParseError, UnsupportedError
from veer.gui.documents import MOST_BYTES, MOST_ENTRIES, Archive
from veer.read.inputs import Input

WORKFLOW = "workflow.knime"
ENCRYPTED = "workflow.knime.encrypted"


class Files(Protocol):
    """What is read of a workflow, by paths below its folder."""

    def read(self, path: str) -> bytes | None:
        """The content of a file; None if there is no such file."""
        ...


@final
class _InArchive:
    def __init__(self, archive: Archive, folder: str) -> None:
        self.archive, self.folder = archive, folder

    def read(self, path: str) -> bytes | None:
        name = _inside(self.folder, path)
        return self.archive.read(name) if name in self.archive.names else None


@final
class _InFolder:
    def __init__(self, source: Input) -> None:
        self.source, self.left, self.count = source, MOST_BYTES, 0

    def read(self, path: str) -> bytes | None:
        try:
            data = self.source.read_bytes(_inside("", path))
        except ParseError:
            raise
        except InputError:
            return None
        self.left -= len(data)
        self.count += 1
        if self.left < 0 or self.count > MOST_ENTRIES:
            raise ParseError(f"more than {MOST_BYTES:,} bytes in the folder")
        return data


def _inside(folder: str, path: str) -> str:
    parts = PurePosixPath(path.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or "\0" in path:
        raise ParseError(f"{path!r} leads out of the workflow")
    return str(PurePosixPath(folder) / parts) if folder else str(parts)


def files_of(source: Input) -> Files:
    """The files of the only workflow that an input holds."""
    if source.is_folder:
        return _InFolder(source)
    archive = Archive(source.read_bytes())
    folders = sorted(
        (path.parent for path in map(PurePosixPath, archive.names) if path.name == WORKFLOW),
        key=lambda folder: len(folder.parts),
    )
    outermost = [f for f in folders if not any(g in f.parents for g in folders)]
    if len(outermost) > 1:
        listed = ", ".join(sorted(str(f) for f in outermost)[:5])
        raise UnsupportedError(f"an archive of {len(outermost)} workflows ({listed}), not of one")
    if not outermost:
        if any(PurePosixPath(name).name == ENCRYPTED for name in archive.names):
            raise UnsupportedError("an encrypted workflow")
        raise ParseError(f"no {WORKFLOW} in the archive")
    return _InArchive(archive, str(outermost[0]) if outermost[0].parts else "")
