"""The front ends of workflow files of graphical tools."""

from __future__ import annotations

from veer.read.inputs import Input
from veer.read.registry import FrontEnd


def _is_knime_folder(source: Input) -> bool:
    return source.is_folder and "workflow.knime" in source.entries()


def _is_texera(source: Input) -> bool:
    """Whether a JSON file names its operators as Texera does; Veer's own never do."""
    return source.suffix == ".json" and not source.is_folder and "operatorID" in source.read_text()


FRONT_ENDS = (
    FrontEnd(
        "texera",
        "a Texera workflow (.json)",
        "veer.gui.texera.front_end:read",
        recognises=_is_texera,
        pair_reader="veer.gui.texera.front_end:read_pair",
    ),
    FrontEnd(
        "knime",
        "a KNIME workflow (.knwf, or a folder with a workflow.knime)",
        "veer.gui.knime.front_end:read",
        suffixes=(".knwf",),
        recognises=_is_knime_folder,
        pair_reader="veer.gui.knime.front_end:read_pair",
    ),
    FrontEnd(
        "orange",
        "a workflow of Orange (.ows)",
        "veer.gui.orange.front_end:read",
        suffixes=(".ows",),
        pair_reader="veer.gui.orange.front_end:read_pair",
    ),
    FrontEnd(
        "alteryx",
        "an Alteryx workflow (.yxmd, .yxmc, .yxwz)",
        "veer.gui.alteryx.front_end:read",
        suffixes=(".yxmd", ".yxmc", ".yxwz"),
        pair_reader="veer.gui.alteryx.front_end:read_pair",
    ),
)
