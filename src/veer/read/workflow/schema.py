"""The operators a workflow file may hold, and the JSON Schema made from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

TEXT = {"type": "string"}
INTEGER = {"type": "integer", "minimum": 0}
FLAG = {"type": "boolean"}
TEXTS = {"oneOf": [TEXT, {"type": "array", "items": TEXT}]}
EXPRESSION = {"type": "string", "description": "a Spark SQL expression"}
FIELDS = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {"type": "string", "description": "a Spark type, 'not null' after it"},
}
COMPUTED = {
    "description": "columns by name, {name, expression} objects, '*', or an object of expressions",
    "oneOf": [
        {"type": "object", "additionalProperties": EXPRESSION},
        {
            "type": "array",
            "items": {
                "oneOf": [
                    TEXT,
                    {
                        "type": "object",
                        "properties": {"name": TEXT, "expression": EXPRESSION},
                        "required": ["name", "expression"],
                        "additionalProperties": False,
                    },
                ]
            },
        },
    ],
}
CALLS = {"type": "object", "additionalProperties": EXPRESSION}


@dataclass(frozen=True)
class OperatorSpec:
    """One kind of operator: its properties as JSON Schema, and which must be there."""

    about: str
    properties: dict[str, Any] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    inputs: int | None = 1  # how many; None for one or more
    title: str = ""  # of a library operator
    output: str = ""  # the column a library operator adds by default
    settings: tuple[str, ...] = ()  # properties that make a library operator's identity


LIBRARY = {
    "dictionary_matcher": OperatorSpec(
        "A column telling which dictionary a text matches.",
        {"column": TEXT, "dictionary": {}, "output": TEXT},
        ("column", "dictionary"),
        1,
        "DictionaryMatcher",
        "matched",
        ("dictionary",),
    ),
    "classifier": OperatorSpec(
        "A column with the class a trained model gives to a text.",
        {"column": TEXT, "model": TEXT, "classes": {}, "output": TEXT},
        ("column", "model"),
        1,
        "Classifier",
        "class",
        ("model", "classes"),
    ),
    "sentiment": OperatorSpec(
        "A column with the sentiment of a text.",
        {"column": TEXT, "model": TEXT, "output": TEXT},
        ("column",),
        1,
        "SentimentAnalyzer",
        "sentiment",
        ("model",),
    ),
}

OPERATORS: dict[str, OperatorSpec] = {
    "source": OperatorSpec(
        "A table: columns with types, keys, foreign keys, and where its rows are. "
        "No two rows agree on a key, nor on unique columns that are not null.",
        {
            "table": TEXT,
            "columns": FIELDS,
            "keys": {"type": "array", "items": TEXTS},
            "unique": {"type": "array", "items": TEXTS},
            "foreign_keys": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "columns": {"type": "array", "items": TEXT},
                        "table": TEXT,
                        "references": {"type": "array", "items": TEXT},
                    },
                    "required": ["columns", "table", "references"],
                    "additionalProperties": False,
                },
            },
            "format": {"enum": ["table", "csv", "parquet", "json", "orc"]},
            "location": TEXT,
            "options": {"type": "object"},
        },
        ("columns",),
        inputs=0,
    ),
    "filter": OperatorSpec(
        "The rows on which a condition is true.", {"predicate": EXPRESSION}, ("predicate",)
    ),
    "keyword": OperatorSpec(
        "The rows whose text contains a keyword, in any case.",
        {"column": TEXT, "keyword": TEXT},
        ("column", "keyword"),
    ),
    "project": OperatorSpec("Columns kept or computed.", {"columns": COMPUTED}, ("columns",)),
    "compute": OperatorSpec(
        "All columns, with some replaced or added.", {"columns": COMPUTED}, ("columns",)
    ),
    "join": OperatorSpec(
        "Pairs of rows from two inputs, port 0 left and port 1 right.",
        {"kind": {"enum": ["inner", "left", "full", "semi", "anti", "cross"]}, "on": EXPRESSION},
        inputs=2,
    ),
    "aggregate": OperatorSpec(
        "One row per group; without 'by' one row in all.",
        {"by": COMPUTED, "calls": CALLS},
        ("calls",),
    ),
    "distinct": OperatorSpec("Each row once."),
    "deduplicate": OperatorSpec(
        "One row, whichever, for each value of some columns.", {"columns": TEXTS}, ("columns",)
    ),
    "union": OperatorSpec("All rows of all inputs, columns by position.", inputs=None),
    "sort": OperatorSpec(
        "The rows in order: 'expression [asc|desc] [nulls first|last]'.", {"by": TEXTS}, ("by",)
    ),
    "limit": OperatorSpec(
        "At most so many rows.", {"count": INTEGER, "offset": INTEGER}, ("count",)
    ),
    "over": OperatorSpec("A column more for each window function.", {"calls": CALLS}, ("calls",)),
    "unnest": OperatorSpec(
        "Each row once per element of an array or map.",
        {
            "generator": EXPRESSION,
            "names": TEXTS,
            "outer": FLAG,
            "positions": FLAG,
            "inline": FLAG,
        },
        ("generator", "names"),
    ),
    "sample": OperatorSpec(
        "A random part of the rows.",
        {"fraction": {"type": "number"}, "seed": INTEGER, "replacement": FLAG},
        ("fraction",),
    ),
    "udf": OperatorSpec(
        "A function: of rows, groups, batches, or whole tables; known by its name, or read.",
        {
            "function": TEXT,
            "code": TEXT,
            "scope": {"enum": ["row", "group", "batch", "table"]},
            "reads": TEXTS,
            "by": TEXTS,
            "adds": FIELDS,
            "nondeterministic": FLAG,
        },
        ("function", "adds"),
        inputs=None,
    ),
    **LIBRARY,
    "sink": OperatorSpec(
        "A result table.",
        {"name": TEXT, "target": TEXT, "columns": TEXTS, "positional": FLAG},
    ),
    "chart": OperatorSpec(
        "A visualization, which reads the columns of its axes.",
        {"name": TEXT, "chart": TEXT, "x": TEXT, "y": TEXT, "color": TEXT},
        ("x", "y"),
    ),
}


def _operator_schema(name: str, spec: OperatorSpec) -> dict[str, Any]:
    return {
        "type": "object",
        "description": spec.about,
        "properties": {
            "type": {"const": name},
            "description": TEXT,
            "position": {},
            **spec.properties,
        },
        "required": ["type", *spec.required],
        "additionalProperties": False,
    }


SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Veer workflow",
    "type": "object",
    "properties": {
        "veer": {"const": 1},
        "name": TEXT,
        "description": TEXT,
        "operators": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {
                "oneOf": [_operator_schema(n, s) for n, s in OPERATORS.items()]
            },
        },
        "links": {
            "type": "array",
            "items": {
                "oneOf": [
                    {
                        "type": "array",
                        "prefixItems": [TEXT, TEXT, {"type": ["integer", "string"]}],
                        "minItems": 2,
                        "maxItems": 3,
                    },
                    {
                        "type": "object",
                        "properties": {
                            "from": TEXT,
                            "to": TEXT,
                            "port": {"type": ["integer", "string"]},
                        },
                        "required": ["from", "to"],
                        "additionalProperties": False,
                    },
                ]
            },
        },
    },
    "required": ["operators"],
    "additionalProperties": False,
}
