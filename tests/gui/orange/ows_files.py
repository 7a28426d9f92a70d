"""Workflow files of Orange, made for tests in the form in which Orange writes them."""

from __future__ import annotations

import base64
import pickle
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple
from unittest.mock import patch
from xml.sax.saxutils import escape, quoteattr

KINDS = {
    "File": "Orange.widgets.data.owfile.OWFile",
    "CSV File Import": "Orange.widgets.data.owcsvimport.OWCSVFileImport",
    "Datasets": "Orange.widgets.data.owdatasets.OWDataSets",
    "Data Table": "Orange.widgets.data.owtable.OWTable",
    "Save Data": "Orange.widgets.data.owsave.OWSave",
    "Select Rows": "Orange.widgets.data.owselectrows.OWSelectRows",
    "Select Columns": "Orange.widgets.data.owselectcolumns.OWSelectAttributes",
    "Edit Domain": "Orange.widgets.data.oweditdomain.OWEditDomain",
    "Feature Constructor": "Orange.widgets.data.owfeatureconstructor.OWFeatureConstructor",
    "Concatenate": "Orange.widgets.data.owconcatenate.OWConcatenate",
    "Data Sampler": "Orange.widgets.data.owdatasampler.OWDataSampler",
    "Unique": "Orange.widgets.data.owunique.OWUnique",
    "Impute": "Orange.widgets.data.owimpute.OWImpute",
    "Preprocess": "Orange.widgets.data.owpreprocess.OWPreprocess",
    "Python Script": "Orange.widgets.data.owpythonscript.OWPythonScript",
    "Tree": "Orange.widgets.model.owtree.OWTreeLearner",
    "Predictions": "Orange.widgets.evaluate.owpredictions.OWPredictions",
}


MODULES: dict[str, ModuleType] = {}  # of Orange, with the classes that are pickled


class _Saved:
    """An object with nothing but a state."""

    def __init__(self, **state: Any) -> None:
        self.__dict__.update(state)


@cache
def _class(module: str, name: str, *, bases: tuple[type, ...] = (_Saved,)) -> type:
    """A class that is pickled under the name that it has in Orange."""
    parts = module.split(".")
    for count in range(1, len(parts) + 1):
        MODULES.setdefault(".".join(parts[:count]), ModuleType(".".join(parts[:count])))
    made = type(name, bases, {"__module__": module})
    setattr(MODULES[module], name, made)
    return made


def _pickled(settings: Any) -> bytes:
    """Settings as Orange pickles them; its modules are there only meanwhile."""
    with patch.dict(sys.modules, MODULES):
        return pickle.dumps(settings)


class _Descriptor(NamedTuple):
    name: str
    expression: str
    number_of_decimals: int


def context(
    values: Mapping[str, Any], attributes: Mapping[str, int], metas: Mapping[str, int] | None = None
) -> Any:
    """A context: settings for tables with these columns (1 categories, 2 numbers, 3 texts)."""
    made = _class("orangewidget.settings", "Context")
    return made(values=dict(values), attributes=dict(attributes), metas=dict(metas or {}), time=1.5)


def recent_path(path: str, prefix: str | None = None) -> Any:
    """A file that was used last."""
    made = _class("orangewidget.utils.filedialogs", "RecentPath")
    inner = path if prefix else None
    return made(abspath=f"/home/me/{path}", prefix=prefix, relpath=inner, title="", sheet="")


def formula(name: str, text: str, kind: str = "ContinuousDescriptor") -> Any:
    """A column of Feature Constructor."""
    made = _class("Orange.widgets.data.owfeatureconstructor", kind, bases=(_Descriptor,))
    return made(name, text, 3)


def variable(kind: str) -> type:
    """A class of variables: Continuous, Discrete, String."""
    return _class("Orange.data.variable", f"{kind}Variable")


def node(
    title: str, settings: Mapping[str, Any] | None = None, kind: str = ""
) -> tuple[str, str, Any]:
    """A widget under its own name, or another."""
    return title, kind or title, dict(settings or {})


def ows(
    nodes: Sequence[tuple[str, str, Any]],
    links: Sequence[tuple[str, str, str, str] | tuple[str, str, str, str, bool]],
    *,
    pickled: bool = True,
    first_id: int = 0,
) -> bytes:
    """A workflow; links are (from, channel, to, channel, whether it is on)."""
    numbers = {title: str(first_id + i) for i, (title, _, _) in enumerate(nodes)}
    lines = [
        "<?xml version='1.0' encoding='utf-8'?>",
        '<scheme version="2.0" title="" description="">',
    ]
    lines.append("<nodes>")
    for title, kind, _ in nodes:
        name = KINDS.get(kind, kind)
        lines.append(
            f'<node id="{numbers[title]}" name={quoteattr(kind)} qualified_name={quoteattr(name)} '
            f'project_name="Orange3" version="" title={quoteattr(title)} position="(1.0, 2.0)" />'
        )
    lines.append("</nodes><links>")
    for i, (source, given, sink, taken, *on) in enumerate(links):
        enabled = "false" if on == [False] else "true"
        lines.append(
            f'<link id="{i}" source_node_id="{numbers[source]}" sink_node_id="{numbers[sink]}" '
            f'source_channel="{given}" sink_channel="{taken}" enabled="{enabled}" />'
        )
    lines.append("</links><annotations /><thumbnail /><node_properties>")
    for title, _, settings in nodes:
        format_, text = _written(settings, pickled)
        lines.append(
            f'<properties node_id="{numbers[title]}" format="{format_}">{text}</properties>'
        )
    lines.append("</node_properties></scheme>")
    return "\n".join(lines).encode()


def _written(settings: Any, pickled: bool) -> tuple[str, str]:
    if isinstance(settings, bytes):
        return "pickle", base64.encodebytes(settings).decode()
    if not pickled:
        return "literal", escape(repr(settings))
    return "pickle", base64.encodebytes(_pickled(settings)).decode()
