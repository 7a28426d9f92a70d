"""What of a node's settings it is known by: what cannot change its results is left out.

Lists of columns are stored with both halves, taken and left; which half counts is a setting. The
other changes whenever the table above does, and means nothing.
"""

from __future__ import annotations

from typing import Any

from veer.gui.knime.config import Config, names, table, text

NOISE = frozenset({"SettingsModelID", "compatibleTypes_Internals", "selected_Internals"})
EMPTY_INTERNALS: tuple[Config, ...] = ({"EnabledStatus": True}, {})


def canonical(settings: Any) -> Any:
    """Normalized settings: settings with the same meaning are more often equal."""
    if isinstance(settings, list):
        return [canonical(value) for value in settings]
    if not isinstance(settings, dict):
        return settings
    columns = column_choice(settings)
    if columns is not None:
        return columns
    inner = {key: canonical(value) for key, value in settings.items() if key not in NOISE}
    return {
        key: value
        for key, value in inner.items()
        if not (key.endswith("_Internals") and value in EMPTY_INTERNALS)
    }


def column_choice(settings: Config) -> Config | None:
    """Which columns are chosen, if these settings are a choice of columns.

    `{"include": [...]}` just these, `{"exclude": [...]}` all but these; a pattern or types else.
    """
    if "filter-type" in settings and "included_names" in settings:
        return _by_filter(settings)
    if "manualFilter" in settings and "mode" in settings:
        return _by_mode(settings)
    if set(settings) == {"InclList", "ExclList", "keep_all_columns_selected"}:
        if settings["keep_all_columns_selected"] is True:
            return {"exclude": []}
        return {"include": names(settings, "InclList")}
    return None


def _by_filter(settings: Config) -> Config:
    kind = text(settings, "filter-type")
    match kind, text(settings, "enforce_option"):
        case "STANDARD", "EnforceInclusion":
            return {"include": sorted(names(settings, "included_names"))}
        case "STANDARD", "EnforceExclusion":
            return {"exclude": sorted(names(settings, "excluded_names"))}
        case "name_pattern", _:
            return {"pattern": table(settings, "name_pattern")}
        case "datatype", _:
            return {"types": table(settings, "datatype")}
        case _:
            return {"columns": settings}


def _by_mode(settings: Config) -> Config:
    mode = text(settings, "mode")
    if mode == "MANUAL":
        chosen = table(settings, "manualFilter")
        if chosen.get("includeUnknownColumns") is True:
            return {"exclude": sorted(names(chosen, "manuallyDeselected"))}
        return {"include": sorted(names(chosen, "manuallySelected"))}
    if mode in ("WILDCARD", "REGEX"):
        return {"mode": mode, "pattern": table(settings, "patternFilter")}
    if mode == "TYPE":
        return {"mode": mode, "types": table(settings, "typeFilter")}
    return {"columns": settings}
