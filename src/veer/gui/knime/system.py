"""The nodes of KNIME that Veer knows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from veer.gui.graph import Node
from veer.gui.knime.graph import ANY_ORDER, VARIABLES
from veer.gui.knime.models import MODELS
from veer.gui.knime.scopes import SCOPE
from veer.gui.reading import Model, Outputs, Step, System
from veer.gui.rows import NotModelled

RANDOM = re.compile(
    r"(?i)partition|sampl|shuffle|bootstrap|random|smote|xvalid|rprop|kmeans|missing.*random"
    r"|noise|datagen|montecarlo|simulat|mlp|svm|forest|boost|ensemble|tsne|anneal|date.?time.*now"
)


def read_scope(step: Step) -> Outputs:
    """A loop or switch with all that is in it; what its nodes leave at their ends is a result."""
    outputs = {}
    for port in step.node.outputs:
        step.port(port)
        outputs[port] = step.opaque(port, free=is_random(step.node))
    for port in step.node.settings["shown"]:
        step.sink(outputs[port], name=f"{step.name}.{port}")
    return outputs


def _complete(model: Model) -> Model:
    """A model that leaves alone what flow variables override, and gives something at every port."""

    def read(step: Step) -> Outputs:
        node = step.node
        if node.settings.get(VARIABLES):
            raise NotModelled("flow variables override settings")
        outputs = dict(model(step))
        for port in node.outputs:
            if port not in outputs:
                step.port(port)
                outputs[port] = step.opaque(port, free=is_random(node))
        return outputs

    return read


def is_random(node: Node) -> bool:
    """Whether a node draws lots, and its settings fix no seed; or its rows come in any order."""
    if node.settings.get(ANY_ORDER):
        return True
    if node.kind == SCOPE:
        return any(_draws(kind, settings) for kind, settings, _ in node.settings["nodes"].values())
    return _draws(node.kind, node.settings)


def _draws(kind: str, settings: object) -> bool:
    return RANDOM.search(kind.rpartition(".")[2]) is not None and not _has_seed(settings)


def _has_seed(settings: object) -> bool:
    """Whether a seed is told, and no switch beside says that it is not used."""
    seeds = list(_seeds(settings))
    return any(not isinstance(seed, bool) and seed not in (None, "") for seed in seeds) and not any(
        seed is False for seed in seeds
    )


def _seeds(settings: object) -> Iterator[object]:
    if isinstance(settings, list):
        for value in settings:
            yield from _seeds(value)
    elif isinstance(settings, dict):
        for key, value in settings.items():
            if "seed" in key.lower() and not isinstance(value, dict | list):
                yield value
            else:
                yield from _seeds(value)


def shown(node: Node) -> str:
    """The name of a node for people."""
    return f"{node.title} (#{node.id})"


def _only_filters(node: Node) -> bool:
    """Whether a node leaves out rows and nothing else: one that computes domains anew does more."""
    is_filter = ".preproc.filter.row" in node.kind or ".rules.engine.Rule" in node.kind
    return is_filter and "COMPUTE" not in json.dumps(node.settings)


ALL_MODELS: Mapping[str, Model] = {
    SCOPE: read_scope,
    **{kind: _complete(model) for kind, model in MODELS.items()},
}
SYSTEM = System(
    "knime",
    ALL_MODELS,
    shown=shown,
    is_free=is_random,
    tables_carry_more=True,
    only_filters=_only_filters,
)
