"""Safe opening of files of other systems: XML without entities, archives of limited size."""

from __future__ import annotations

import io
import zipfile
from pathlib import PurePosixPath
from typing import final
from xml.etree.ElementTree import Element, ParseError as XmlError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from veer.errors import ParseError

MOST_ENTRIES = 20_000
MOST_BYTES = 64_000_000  # of all files of an archive together, unpacked
DEEPEST = 200


def read_xml(data: bytes, where: str = "") -> Element:
    """The root of an XML document; one that declares entities or a DTD is refused."""
    at = f"{where}: " if where else ""
    try:
        root: Element = fromstring(
            data, forbid_dtd=False, forbid_entities=True, forbid_external=True
        )
    except XmlError as error:
        line, column = error.position
        raise ParseError(f"{at}not XML (line {line}, column {column + 1})") from None
    except DefusedXmlException as error:
        raise ParseError(f"{at}refused XML: {type(error).__name__}") from None
    except (ValueError, LookupError) as error:  # an encoding nobody knows
        raise ParseError(f"{at}not XML: {error}") from None
    _check_depth(root, at)
    return root


def _check_depth(root: Element, at: str) -> None:
    level, depth = [root], 0
    while level:
        level = [child for element in level for child in element]
        depth += 1
        if depth > DEEPEST:
            raise ParseError(f"{at}XML nested deeper than {DEEPEST}")


@final
class Archive:
    """A zip file of text files; names that lead out of it and bombs are refused."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            entries = [i for i in self._zip.infolist() if not i.is_dir()]
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise ParseError(f"no zip archive: {error}") from None
        if len(entries) > MOST_ENTRIES:
            raise ParseError(
                f"an archive of {len(entries):,} files; at most {MOST_ENTRIES:,} are read"
            )
        for entry in entries:
            path = PurePosixPath(entry.filename.replace("\\", "/"))
            if path.is_absolute() or ".." in path.parts:
                raise ParseError(f"{entry.filename!r} leads out of the archive")
        self._entries = {i.filename.replace("\\", "/"): i for i in entries}
        self._left = MOST_BYTES

    @property
    def names(self) -> tuple[str, ...]:
        """The paths of all files."""
        return tuple(self._entries)

    def read(self, name: str) -> bytes:
        """The content of a file; what is unpacked is counted, whatever the archive says of its size."""
        try:
            with self._zip.open(self._entries[name]) as file:
                data = file.read(self._left + 1)
        except KeyError:
            raise ParseError(f"the archive has no {name!r}") from None
        except (
            zipfile.BadZipFile,
            RuntimeError,
            OSError,
            ValueError,
            NotImplementedError,
            EOFError,
        ) as error:
            raise ParseError(f"{name}: {error}") from None
        except Exception as error:  # zlib and lzma have errors of their own
            raise ParseError(f"{name} cannot be unpacked: {error}") from None
        self._left -= len(data)
        if self._left < 0:
            raise ParseError(f"more than {MOST_BYTES:,} bytes in the archive")
        return data
