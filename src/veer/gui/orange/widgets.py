"""The widgets of Orange by their names: one name for each, and which of them show something.

Widgets were renamed over the years; files keep the name of their day.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from veer.gui.orange.pickled import pairs_of

TABLE = "Orange.widgets.data.owtable.OWTable"
FILE = "Orange.widgets.data.owfile.OWFile"
CSV = "Orange.widgets.data.owcsvimport.OWCSVFileImport"
DATASETS = "Orange.widgets.data.owdatasets.OWDataSets"
SELECT_ROWS = "Orange.widgets.data.owselectrows.OWSelectRows"
SELECT_COLUMNS = "Orange.widgets.data.owselectcolumns.OWSelectAttributes"
SAMPLER = "Orange.widgets.data.owdatasampler.OWDataSampler"
CONCATENATE = "Orange.widgets.data.owconcatenate.OWConcatenate"
EDIT_DOMAIN = "Orange.widgets.data.oweditdomain.OWEditDomain"
CONSTRUCTOR = "Orange.widgets.data.owfeatureconstructor.OWFeatureConstructor"
UNIQUE = "Orange.widgets.data.owunique.OWUnique"
IMPUTE = "Orange.widgets.data.owimpute.OWImpute"
PREPROCESS = "Orange.widgets.data.owpreprocess.OWPreprocess"
SAVE = "Orange.widgets.data.owsave.OWSave"
CORPUS = "orangecontrib.text.widgets.owcorpus.OWCorpus"
TEST_AND_SCORE = "Orange.widgets.evaluate.owtestandscore.OWTestAndScore"

_RENAMED = MappingProxyType(
    {
        "Orange.widgets.data.owtable.OWDataTable": TABLE,
        "Orange.widgets.evaluate.owtestlearners.OWTestLearners": TEST_AND_SCORE,
        "Orange.widgets.data.owselectattributes.OWSelectAttributes": SELECT_COLUMNS,
        "Orange.widgets.data.owselectdata.OWSelectData": SELECT_ROWS,
        "Orange.widgets.data.owdatasets.OWDataSets": DATASETS,
        "Orange.widgets.classify.owclassificationtree.OWClassificationTree": (
            "Orange.widgets.model.owtree.OWTreeLearner"
        ),
        "Orange.widgets.classify.owclassificationtreegraph.OWClassificationTreeGraph": (
            "Orange.widgets.visualize.owtreeviewer.OWTreeGraph"
        ),
        "Orange.widgets.classify.owsvmclassification.OWSVMClassification": (
            "Orange.widgets.model.owsvm.OWSVM"
        ),
    }
)
_MOVED = ("Orange.widgets.classify.", "Orange.widgets.regression.")


def kind_of(qualified_name: str) -> str:
    """One name for each widget, whatever the version of Orange called it."""
    renamed = _RENAMED.get(qualified_name)
    if renamed is not None:
        return renamed
    for prefix in _MOVED:
        if qualified_name.startswith(prefix):
            return f"Orange.widgets.model.{qualified_name.removeprefix(prefix)}"
    return qualified_name


# Channels of learners and of what shows trees were renamed with them.
_CHANNELS = MappingProxyType({"Classifier": "Model", "Predictor": "Model"})


def is_learner(kind: str) -> bool:
    """Whether a widget gives a learner and the model it makes."""
    return kind.startswith("Orange.widgets.model.")


def channel_of(kind: str, name: str) -> str:
    """One name for each channel of a widget."""
    if is_learner(kind):
        return _CHANNELS.get(name, name)
    if (
        kind == "Orange.widgets.visualize.owtreeviewer.OWTreeGraph"
        and name == "Classification Tree"
    ):
        return "Tree"
    return name


# Learners that take their seed from the clock, unless a setting says otherwise.
_SEEDED_BY = MappingProxyType(
    {
        "Orange.widgets.model.owrandomforest.OWRandomForest": "use_random_state",
        "Orange.widgets.model.owsgd.OWSGD": "use_random_state",
        "Orange.widgets.model.owadaboost.OWAdaBoost": "use_random_seed",
        "Orange.widgets.model.owneuralnetwork.OWNNLearner": "replicable",
        "Orange.widgets.model.owgradientboosting.OWGBLearner": "random_state",
        SAMPLER: "use_seed",
    }
)
_RANDOM = frozenset(
    {
        "Orange.widgets.data.owpythonscript.OWPythonScript",
        "Orange.widgets.data.owrandomize.OWRandomize",
        "Orange.widgets.data.owcreateinstance.OWCreateInstance",
        "Orange.widgets.data.owrandomdata.OWRandomData",
        "Orange.widgets.unsupervised.owkmeans.OWKMeans",
        "Orange.widgets.unsupervised.owmds.OWMDS",
        "Orange.widgets.unsupervised.owlouvainclustering.OWLouvainClustering",
        PREPROCESS,  # among its parts are some that shuffle
    }
)


def is_random(kind: str, settings: Mapping[str, Any]) -> bool:
    """Whether a widget may give something else each time it runs."""
    if kind in _SEEDED_BY:
        return settings.get(_SEEDED_BY[kind]) is not True
    match kind:
        case _ if kind in _RANDOM:
            return True
        case _ if kind == CONSTRUCTOR:
            return is_random_formula(settings)
        case _ if kind == UNIQUE:
            return settings.get("tiebreaker") not in _BY_ORDER
        case _ if kind == IMPUTE:
            return _may_impute_by_chance(settings)
        case _:
            return False


_BY_ORDER = (
    *(None, "Last instance", "First instance", "Middle instance"),
    "Discard non-unique instances",
)
# Methods of Impute by number: the default, leave, average, distinct value, drop, fixed value. The
# others are by a learner and random values.
_NO_CHANCE = (0, 1, 2, 3, 6, 7)


def _may_impute_by_chance(settings: Mapping[str, Any]) -> bool:
    """Whether Impute, for all variables or for one, asks for random values, or for a learner."""
    default = [settings.get(name, 1) for name in ("_default_method_index", "default_method")]
    methods = [*default, *_methods_of_variables(settings.get("context_settings"))]
    return any(type(method) is not int or method not in _NO_CHANCE for method in methods)


def _methods_of_variables(contexts: Any) -> Iterator[Any]:
    """The methods of single variables in all contexts; None where they are not understood."""
    for context in contexts if isinstance(contexts, list) else []:
        values = context.get("values") if isinstance(context, Mapping) else None
        if not isinstance(values, Mapping) or values.get("variable_methods"):
            yield None
            continue
        told = values.get("_variable_imputation_state")
        state = told[0] if isinstance(told, list) and len(told) == 2 else told
        if state and not isinstance(state, Mapping):
            yield None
        for _, method in pairs_of(state):
            yield method[0] if isinstance(method, list) and method else None


def is_random_formula(settings: Mapping[str, Any]) -> bool:
    """Whether a formula of Feature Constructor mentions random numbers, or may do so unseen."""
    contexts = settings.get("context_settings")
    for context in contexts if isinstance(contexts, list) else []:
        values = context.get("values") if isinstance(context, Mapping) else None
        told = values.get("descriptors") if isinstance(values, Mapping) else None
        match told:
            case [[*descriptors], int()]:
                pass
            case [*descriptors]:
                pass
            case _:
                return True
        if any(_has_chance(descriptor) for descriptor in descriptors):
            return True
    return False


def _has_chance(descriptor: Any) -> bool:
    match descriptor:
        case {"args": [str(), str(text), *_]}:
            return mentions_chance(text)
        case _:
            return True


def mentions_chance(formula: str) -> bool:
    """Whether a formula has random numbers, or what hangs on where things are in memory: sets."""
    # Python takes letters of other widths for the same.
    names = set(re.findall(r"\w+", unicodedata.normalize("NFKC", formula)))
    parts = ("variate", "hash", "__")
    return (
        "{" in formula or not _CHANCE.isdisjoint(names) or any(p in n for n in names for p in parts)
    )


_CHANCE = frozenset(
    {"gauss", "triangular", "uniform", "random", "id", "set", "frozenset", "object", "repr"}
)
_SHOWING = (
    "Orange.widgets.visualize.",
    "Orange.widgets.evaluate.",
    "Orange.widgets.unsupervised.",
)
_SHOWING_DATA = frozenset(
    f"Orange.widgets.data.{name}"
    for name in (
        "owtable.OWTable",
        "owdatainfo.OWDataInfo",
        "owfeaturestatistics.OWFeatureStatistics",
        "owrank.OWRank",
        "owcorrelations.OWCorrelations",
        "owpivot.OWPivot",
    )
)


def is_showing(kind: str) -> bool:
    """Whether people look at the widget itself, and not only at what it passes on."""
    return kind.startswith(_SHOWING) or kind in _SHOWING_DATA


_NEEDING = ("Orange.widgets.visualize.", "Orange.widgets.evaluate.")
_NEEDING_DATA = tuple(
    f"Orange.widgets.data.{module}."
    for module in (
        *("owtable", "owselectrows", "owselectcolumns", "owconcatenate", "owmergedata"),
        *("owdatasampler", "oweditdomain", "owfeatureconstructor", "owdiscretize"),
        *("owcontinuize", "owimpute", "owpurgedomain", "owrandomize", "owtranspose"),
        *("owpivot", "owgroupby", "owunique", "owmelt", "owaggregatecolumns", "owdatainfo"),
        *("owfeaturestatistics", "owcorrelations", "owcolor", "owcreateclass"),
        *("owneighbors", "owoutliers", "owsave", "owimageviewer"),
    )
)


def gives_nothing_without_input(kind: str) -> bool:
    """Whether a widget shows and gives nothing as long as nothing arrives."""
    return kind.startswith((*_NEEDING, *_NEEDING_DATA))
