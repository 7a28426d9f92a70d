"""The front end of Texera's workflows."""

from __future__ import annotations

from veer.gui.graph import Graph
from veer.gui.reading import Importer
from veer.gui.texera.graph import read_graph
from veer.gui.texera.models import SYSTEM
from veer.read.inputs import Input, ReadOptions


def _graph(source: Input, options: ReadOptions) -> Graph:
    del options
    return read_graph(source.read_text())


IMPORTER = Importer(SYSTEM, _graph)
read, read_pair = IMPORTER.read, IMPORTER.read_pair
