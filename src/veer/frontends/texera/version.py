"""The front end of Texera's workflows."""

from __future__ import annotations

from veer.frontends.gui.graph import Graph
from veer.frontends.gui.reading import Importer
from veer.frontends.inputs import Input, ReadOptions
from veer.frontends.texera.graph import read_graph
from veer.frontends.texera.models import SYSTEM


def _graph(source: Input, options: ReadOptions) -> Graph:
    del options
    return read_graph(source.read_text())


IMPORTER = Importer(SYSTEM, _graph)
read, read_pair = IMPORTER.read, IMPORTER.read_pair
