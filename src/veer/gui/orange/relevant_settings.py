"""Which settings of a widget can change its results.

What is not known to be harmless stays: a setting is left out only if it is in one of the lists here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from veer.gui.orange import widgets

# Of all widgets: windows, when results are sent on, and colours.
_HARMLESS = frozenset(
    {
        *("savedWidgetGeometry", "controlAreaVisible", "widgetShown", "splitterState"),
        *("__session_state_data", "color_settings", "selected_schema_index", "user_palettes"),
        *("selected_color_settings_index", "visual_settings", "headerState", "legend_anchor"),
        *("auto_apply", "auto_commit", "autocommit", "autoCommit", "autosend", "autoSend"),
        *("auto_send", "auto_send_selection", "auto_run", "auto_update", "auto_execute"),
        *("update_on_change", "commitOnChange", "zoom_select_toolbar", "toolbar_selection"),
        *("tooltip_shows_all", "tooltips_enabled", "zoom", "zoom_factor", "palette_name"),
        *("palette_index", "colormap", "color_gamma", "symbol_opacity", "symbol_size"),
        *("line_width_method", "max_node_width", "regression_colors", "alpha_value"),
        *("point_width", "show_grid", "show_legend", "jitter_size", "jitter_continuous"),
        *("jitter_value", "splitter_state", "header_state"),
    }
)
_PART_DEFAULTS: Mapping[str, Any] = MappingProxyType({"label_only_selected": False})
_PARTS = ("graph",)  # settings of a part of a widget, in a dict of their own
_HARMLESS_OF = MappingProxyType(
    {
        widgets.TABLE: frozenset(
            {
                *("show_distributions", "dist_color_RGB", "show_attribute_labels"),
                *("color_by_class",),
            }
        ),
        widgets.FILE: frozenset({"sheet_names", "new_variables"}),
        widgets.CSV: frozenset({"dialog_geometry", "import_options"}),
        widgets.DATASETS: frozenset({"filter_hint"}),
        widgets.SAVE: frozenset({"last_dir", "auto_save"}),
        widgets.EDIT_DOMAIN: frozenset({"_selected_item"}),
    }
)
# What a setting is where a file does not tell it: written out or not, it means the same.
_DEFAULTS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        widgets.TEST_AND_SCORE: {"cv_stratified": True, "shuffle_stratified": True},
        "Orange.widgets.model.owlogisticregression.OWLogisticRegression": {"class_weight": False},
        "Orange.widgets.model.owrandomforest.OWRandomForest": {"class_weight": False},
    }
)
# Settings of a widget that old versions wrote into contexts too, from where nobody reads them.
_NOT_OF_CONTEXTS = MappingProxyType(
    {
        widgets.TEST_AND_SCORE: frozenset(
            {
                *("k_folds", "n_folds", "n_repeat", "n_repeats", "sample_p", "sample_size"),
                *("resampling", "cv_stratified", "shuffle_stratified"),
            }
        ),
    }
)


def worth_keeping(kind: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that count, contexts among them as plain values."""
    dropped = _HARMLESS | _HARMLESS_OF.get(kind, frozenset())
    defaults = _DEFAULTS.get(kind, {})
    kept = {}
    for name, value in settings.items():
        if name in dropped or (name == "__version__" and value == 1):
            continue
        if name in defaults and defaults[name] == value:
            continue
        if name == "context_settings":
            unread = dropped | _NOT_OF_CONTEXTS.get(kind, frozenset())
            contexts = [_context(c, unread) for c in value] if isinstance(value, list) else value
            if contexts:
                kept[name] = contexts
            continue
        kept[name] = _part(value, dropped) if name in _PARTS else value
    if kind == widgets.FILE:
        return _of_file(kept)
    return _with_first_file(kept) if kind == widgets.CORPUS else kept


def _of_file(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What File reads: the first of the paths, or of the addresses, that were used last."""
    from_address = settings.get("source") == 1
    dropped = ("recent_paths", "recent_files") if from_address else ("recent_urls", "url")
    return _with_first_file(
        {name: value for name, value in settings.items() if name not in dropped}
    )


def _with_first_file(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Of the files that were used last, the one that is used now."""
    return {
        name: value[:1] if name in _RECENT and isinstance(value, list) else value
        for name, value in settings.items()
    }


_RECENT = ("recent_paths", "recent_files", "recent_urls")


def _context(context: Any, dropped: frozenset[str]) -> Any:
    """A context without when it was used last."""
    if not isinstance(context, Mapping) or not isinstance(context.get("state"), Mapping):
        return context
    state = {name: value for name, value in context["state"].items() if name != "time"}
    values = state.get("values")
    if isinstance(values, Mapping):
        state["values"] = {
            name: _part(value, dropped) if name in _PARTS else value
            for name, value in values.items()
            if name not in dropped and not (name == "__version__" and value == 1)
        }
    return state


def _part(value: Any, dropped: frozenset[str]) -> Any:
    """The settings of a part of a widget that count."""
    if not isinstance(value, Mapping):
        return value
    return {
        name: inner
        for name, inner in value.items()
        if name not in dropped and not _is_default(name, inner)
    }


def _is_default(name: str, value: Any) -> bool:
    """Whether a setting of a part, maybe with the code of its kind, is what it is if not told."""
    inner = value[0] if isinstance(value, list) and len(value) == 2 and value[1] == -2 else value
    return name in _PART_DEFAULTS and inner is _PART_DEFAULTS[name]
