"""The front end of Veer's own workflow files."""

from __future__ import annotations

from veer.errors import UnsupportedError
from veer.read.inputs import Input, ReadOptions, place_of
from veer.read.workflow.reader import read_workflow_with_code
from veer.read.zoned_expressions import questions_of_zone, with_zone
from veer.settings import current
from veer.verification.versions.version import Version


def read(source: Input, options: ReadOptions) -> Version:
    """The version of a workflow file; its sources declare their schemas themselves."""
    del options
    dataflow, code = read_workflow_with_code(source.read_text(), yaml=source.suffix != ".json")
    dataflow = with_zone(dataflow, current().zone)
    for question in questions_of_zone(dataflow, current().zone):
        raise UnsupportedError(f"{question} in the time zone {current().zone}")
    return Version(
        source.name,
        dataflow,
        stable_ids=True,
        code=code,
        place=place_of(source.path),
        settings=current(),
    )
