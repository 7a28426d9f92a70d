"""Reading versions of KNIME workflows."""

from __future__ import annotations

from veer.gui.knime.graph import read_graph
from veer.gui.knime.system import SYSTEM
from veer.gui.reading import Importer
from veer.read.inputs import Input, ReadOptions
from veer.verification.versions.version import Version

IMPORTER = Importer(SYSTEM, read_graph)


def read(source: Input, options: ReadOptions) -> Version:
    """The version in an archive or folder."""
    return IMPORTER.read(source, options)


def read_pair(p: Input, q: Input, options: ReadOptions) -> tuple[Version, Version]:
    """Two versions, read together."""
    return IMPORTER.read_pair(p, q, options)
