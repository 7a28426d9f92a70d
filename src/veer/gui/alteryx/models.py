"""Which tools are understood, by the name of their plugin."""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps

from veer.gui.alteryx import combining, parsing, preparation, reporting, sources, summaries
from veer.gui.reading import Model, Outputs, Step
from veer.gui.rows import require

_MODELS: dict[str, Model] = {
    "AlteryxSelect": preparation.select,
    "AppendFields": combining.append_fields,
    "AutoField": parsing.auto_field,
    "BlockUntilDone": preparation.pass_on,
    "Browse": sources.browse,
    "BrowseV2": sources.browse,
    "DbFileInput": sources.file_input,
    "DbFileOutput": sources.file_output,
    "Filter": preparation.filter_rows,
    "Formula": preparation.formula,
    "Join": combining.join,
    "MacroInput": sources.macro_input,
    "MacroOutput": sources.macro_output,
    "Message": reporting.message,
    "MultiRowFormula": preparation.multi_row_formula,
    "RecordID": preparation.record_id,
    "RegEx": parsing.reg_ex,
    "Sample": preparation.sample,
    "Sort": preparation.sort,
    "Summarize": summaries.summarize,
    "Test": reporting.test,
    "TextInput": sources.text_input,
    "TextToColumns": parsing.text_to_columns,
    "Transpose": summaries.transpose,
    "Union": combining.union,
    "Unique": preparation.unique,
}


def _checked(model: Model) -> Model:
    """A model, unless the tool is changed when it runs or gives what its kind does not."""

    @wraps(model)
    def checked(step: Step) -> Outputs:
        settings = step.node.settings
        require("changed by" not in settings, "it is changed by an action of the interface")
        text = str(settings.get("configuration"))
        require("%Question." not in text, "a question of the interface is part of it")
        outputs = model(step)
        missing = [port for port in step.node.outputs if port not in outputs]
        require(not missing, f"it has no output {missing[:1]}")
        return outputs

    return checked


MODELS: Mapping[str, Model] = {kind: _checked(model) for kind, model in _MODELS.items()}
