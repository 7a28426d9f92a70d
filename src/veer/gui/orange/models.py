"""The meaning of widgets by kind; all other widgets are opaque."""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps

from veer.gui.orange import tables, widgets
from veer.gui.orange.columns import edit_domain, feature_constructor, select_columns
from veer.gui.orange.conditions import select_rows
from veer.gui.orange.domain import shown
from veer.gui.orange.sources import csv_import, datasets, file
from veer.gui.reading import Model, Outputs, Step
from veer.gui.rows import NotModelled


def _completed(model: Model) -> Model:
    """A model of a widget as it stands in a workflow.

    Channels that it says nothing about are opaque: `Features` of Select Columns. What a widget gives
    that nobody takes is shown.
    """

    @wraps(model)
    def complete(step: Step) -> Outputs:
        _require_known_settings(step)
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


def _require_known_settings(step: Step) -> None:
    """Refuse settings that a model knows nothing of; those that it puts into what it gives are fine."""
    known = _SETTINGS.get(step.node.kind)
    for name, value in step.node.settings.items():
        if known is not None and name not in known and value not in (None, "", [], {}):
            raise NotModelled(f"a setting {name!r} that Veer does not know")


# Of widgets whose settings do not all count as they are.
_SETTINGS: Mapping[str, frozenset[str]] = {
    kind: frozenset((*names, "__version__"))
    for kind, names in {
        widgets.FILE: (
            *("recent_paths", "recent_files", "recent_urls", "url", "source"),
            *("context_settings", "xls_sheet"),
        ),
        widgets.CSV: ("_session_items", "_session_items_v2"),
        widgets.DATASETS: ("selected_id", "language", "domain"),
        widgets.SELECT_ROWS: ("purge_attributes", "purge_classes", "context_settings"),
        widgets.SELECT_COLUMNS: ("ignore_new_features", "use_input_features", "context_settings"),
        widgets.EDIT_DOMAIN: (
            *("_domain_change_hints", "_merge_dialog_settings", "context_settings"),
        ),
        widgets.CONSTRUCTOR: ("context_settings", "currentIndex"),
        widgets.CONCATENATE: (
            *("append_source_column", "ignore_compute_value", "ignore_names", "merge_type"),
            *("source_attr_name", "source_column_role"),
        ),
        widgets.IMPUTE: (
            *("_default_method_index", "default_method", "default_numeric_value"),
            *("default_time", "context_settings"),
        ),
        widgets.PREPROCESS: ("storedsettings",),
    }.items()
}


MODELS: Mapping[str, Model] = {
    kind: _completed(model)
    for kind, model in {
        widgets.FILE: file,
        widgets.CSV: csv_import,
        widgets.DATASETS: datasets,
        widgets.TABLE: tables.data_table,
        widgets.SAVE: tables.save,
        widgets.SELECT_ROWS: select_rows,
        widgets.SELECT_COLUMNS: select_columns,
        widgets.EDIT_DOMAIN: edit_domain,
        widgets.CONSTRUCTOR: feature_constructor,
        widgets.CONCATENATE: tables.concatenate,
        widgets.SAMPLER: tables.data_sampler,
        widgets.UNIQUE: tables.unique,
        widgets.IMPUTE: tables.impute,
        widgets.PREPROCESS: tables.preprocess,
    }.items()
}
