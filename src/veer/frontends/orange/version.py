"""Versions in workflow files of Orange."""

from __future__ import annotations

from veer.frontends.gui.graph import Node
from veer.frontends.gui.reading import Importer, System
from veer.frontends.orange.graph import read_graph_file
from veer.frontends.orange.models import MODELS
from veer.frontends.orange.twins import agree
from veer.frontends.orange.widgets import is_random, is_showing


def _shown(node: Node) -> str:
    return node.id


def _is_shown(node: Node) -> bool:
    return is_showing(node.kind)


def _is_free(node: Node) -> bool:
    return is_random(node.kind, node.settings)


SYSTEM = System("Orange", MODELS, shown=_shown, is_free=_is_free, is_shown=_is_shown)
IMPORTER = Importer(SYSTEM, read_graph_file, agree)
read = IMPORTER.read
read_pair = IMPORTER.read_pair
