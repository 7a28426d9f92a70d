"""Version pairs: edits, edit mappings, and applying edits."""

from veer.verification.versions.edits import (
    AddLink,
    AddOperator,
    DeleteOperator,
    Edit,
    ModifyOperator,
    RemoveLink,
    Transformation,
    apply,
)
from veer.verification.versions.mapping import EditMapping, best_mapping, best_mappings
from veer.verification.versions.pair import VersionPair

__all__ = [
    "AddLink",
    "AddOperator",
    "DeleteOperator",
    "Edit",
    "EditMapping",
    "ModifyOperator",
    "RemoveLink",
    "Transformation",
    "VersionPair",
    "apply",
    "best_mapping",
    "best_mappings",
]
