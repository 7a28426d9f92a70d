"""What widgets mean, by their kind; all others are opaque."""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps

from veer.frontends.gui.reading import Model, Outputs, Step
from veer.frontends.orange import widgets
from veer.frontends.orange.columns import edit_domain, feature_constructor, select_columns
from veer.frontends.orange.conditions import select_rows
from veer.frontends.orange.domain import shown
from veer.frontends.orange.sources import csv_import, datasets, file
from veer.frontends.orange.tables import (
    concatenate,
    data_sampler,
    data_table,
    impute,
    preprocess,
    save,
    unique,
)


def _completed(model: Model) -> Model:
    """A model of a widget as it stands in a workflow.

    Channels that it says nothing about are opaque: `Features` of Select Columns. What a widget gives
    that nobody takes is shown.
    """

    @wraps(model)
    def complete(step: Step) -> Outputs:
        outputs = dict(model(step))
        for port in step.node.outputs:
            if port not in outputs:
                step.port(port)
                outputs[port] = step.opaque(port)
        if not step.node.outputs and not step.sinks:
            for rows in outputs.values():
                step.sink(shown(rows))
        return outputs

    return complete


MODELS: Mapping[str, Model] = {
    kind: _completed(model)
    for kind, model in {
        widgets.FILE: file,
        widgets.CSV: csv_import,
        widgets.DATASETS: datasets,
        widgets.TABLE: data_table,
        widgets.SAVE: save,
        widgets.SELECT_ROWS: select_rows,
        widgets.SELECT_COLUMNS: select_columns,
        widgets.EDIT_DOMAIN: edit_domain,
        widgets.CONSTRUCTOR: feature_constructor,
        widgets.CONCATENATE: concatenate,
        widgets.SAMPLER: data_sampler,
        widgets.UNIQUE: unique,
        widgets.IMPUTE: impute,
        widgets.PREPROCESS: preprocess,
    }.items()
}
