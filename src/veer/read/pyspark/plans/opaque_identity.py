"""What an expression says of itself, as a text: the identity of what is not modelled.

Columns are said by the caller, variables of lambda functions by the order in which they appear,
so that two expressions that mean the same have the same text whatever numbers Spark gave them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

from veer.errors import UnsupportedError
from veer.read.pyspark.plans.tree import Node

HIDDEN = frozenset({"qualifier", "resultId", "metadata", "name", "nullable", "exprId"})
# What holds a plan or code, of which the text does not tell all; then what the session decides.
NOT_IN_TEXT = frozenset(
    {"ScalarSubquery", "Exists", "InSubquery", "ListQuery", "LateralSubquery", "PivotFirst"}
    | {"PythonUDF", "PythonUDAF", "PythonUDTF", "ScalaUDF", "ScalaAggregator", "ScalaUDAF"}
    | {"OuterReference"}
)
SESSION = frozenset(
    {"CurrentDatabase", "CurrentCatalog", "CurrentTimeZone", "CurrentPath", "VariableReference"}
)


@final
@dataclass
class OpaqueIdentity:
    """The texts of several expressions of one operator."""

    column: Callable[[Node], Any]
    variables: dict[int, int] = field(default_factory=dict)

    def text(self, node: Node) -> str:
        """All an expression says; refused where that is not all of it."""
        return json.dumps(self._describe(node), sort_keys=True)

    def _describe(self, node: Node) -> Any:
        if node.kind in NOT_IN_TEXT | SESSION:
            raise UnsupportedError(f"{node.kind} inside of a function that Veer does not know")
        if node.kind == "AttributeReference":
            return self.column(node)
        if node.kind == "Alias":
            return self._describe(node.children[0])
        if node.kind == "NamedLambdaVariable":
            number = int(node.fields["exprId"]["id"])
            position = self.variables.setdefault(number, len(self.variables))
            return ["variable", position, node.fields["dataType"]]
        fields = {k: v for k, v in node.fields.items() if k not in HIDDEN}
        fields = {k: node.dropped[k] if v is None else v for k, v in fields.items()}
        return [node.kind, fields, [self._describe(child) for child in node.children]]
