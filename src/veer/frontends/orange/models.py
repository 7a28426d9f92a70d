"""What widgets mean, by their kind; all others are opaque."""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps

from veer.frontends.gui.reading import Model, Outputs, Step
from veer.frontends.orange import widgets
from veer.frontends.orange.columns import edit_domain, feature_constructor, select_columns
from veer.frontends.orange.conditions import select_rows
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


def _with_all_ports(model: Model) -> Model:
    """Channels that a model says nothing about are opaque: `Features` of Select Columns."""

    @wraps(model)
    def complete(step: Step) -> Outputs:
        outputs = dict(model(step))
        for port in step.node.outputs:
            if port not in outputs:
                step.port(port)
                outputs[port] = step.opaque(port)
        return outputs

    return complete


MODELS: Mapping[str, Model] = {
    kind: _with_all_ports(model)
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
