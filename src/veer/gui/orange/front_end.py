"""Versions in workflow files of Orange."""

from __future__ import annotations

from veer.gui.graph import Node
from veer.gui.orange.graph import read_graph_file
from veer.gui.orange.models import MODELS
from veer.gui.orange.node_ids import agree
from veer.gui.orange.widgets import is_random, is_showing
from veer.gui.reading import Importer, System


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
