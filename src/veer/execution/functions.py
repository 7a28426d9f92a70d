"""What opaque functions do when they run: library operators, the user's own, code of a workflow.

A body comes with a digest of everything its values depend on: that is part of the key under which
results are stored.
"""

from __future__ import annotations

import ast
import hashlib
import json
import linecache
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, final

from veer.errors import InputError, UnsupportedError
from veer.frontends.json_text import read_json
from veer.frontends.python import identify
from veer.functions.registry import Kind
from veer.interpreter.expressions import compile_expr
from veer.interpreter.run import Run
from veer.model.digests import json_digest
from veer.model.expr import Expr
from veer.model.json import decode, encode
from veer.model.ops import (
    AnyUdf,
    RowUdf,
)
from veer.model.schema import Field, Schema
from veer.model.types import ArrayType, DataType, MapType, StructType

LIBRARY = ("DictionaryMatcher", "Classifier", "SentimentAnalyzer")
VERSION = 1  # of what library operators compute: another number, other results
OTHERWISE = "otherwise"
MODEL_BYTES = 64_000_000
WORD = re.compile(r"\w+")
# A small lexicon for texts without a model; a model file replaces it.
_POSITIVE = (
    "good great best better love loved like liked happy nice excellent amazing awesome win safe"
    " beautiful thanks thank hope enjoy enjoyed wonderful fantastic perfect glad fun"
)
_NEGATIVE = (
    "bad worse worst hate hated sad angry awful terrible horrible kill kills killed danger death"
    " dangerous sick fear loss lost fail failed poor ugly wrong sorry pain fire evacuate"
)
POSITIVE, NEGATIVE = (frozenset(words.split()) for words in (_POSITIVE, _NEGATIVE))


@final
@dataclass(frozen=True)
class Body:
    """A function that can run, and a digest of what its values depend on; none if nobody knows."""

    function: Callable[..., Any]
    digest: str | None


@final
@dataclass(frozen=True)
class Bodies:
    """Where bodies are found: model files, a Python file of the user's, code that is trusted."""

    models: Path = Path("models")
    own: Mapping[str, Callable[..., Any]] = field(default_factory=dict)  # by name or identity
    code: Mapping[str, str] = field(default_factory=dict)  # of a workflow, by identity
    trust_code: bool = False

    def of(self, operator: AnyUdf) -> Body:
        """The body of an opaque operator, or an error saying how to give one."""
        name, _, settings = operator.identity.partition(" ")
        function = self.own.get(operator.identity) or self.own.get(name)
        if function is not None:
            return Body(function, _own_digest(function))
        if operator.kind in LIBRARY and isinstance(operator, RowUdf):
            return self._library(operator.kind, json.loads(settings))
        source = self.code.get(operator.identity)
        if source is None:
            raise UnsupportedError(
                f"nobody knows what the function {operator.identity!r} does; "
                f"give a Python file that defines it: --functions FILE"
            )
        if not self.trust_code:
            raise UnsupportedError(
                f"the function {name!r} has its code in the workflow file; "
                "code of files runs with --trust-code only"
            )
        return Body(function := _last_function(source), _own_digest(function, source))

    def _library(self, kind: str, settings: Mapping[str, Any]) -> Body:
        """The body of a library operator; models and `VERSION` are part of its digest."""
        if kind == "DictionaryMatcher":
            return Body(DictionaryMatcher(settings["dictionary"]), json_digest([kind, VERSION]))
        name = settings.get("model")
        if name is None and kind == "SentimentAnalyzer":
            return Body(sentiment, json_digest([kind, VERSION]))
        model, content = self._model(str(name))
        classes = settings.get("classes")
        wanted = None if classes is None else frozenset(map(str, classes))
        return Body(WordModel(model, wanted), json_digest([kind, VERSION, content]))

    def _model(self, name: str) -> tuple[Mapping[str, Any], str]:
        """A model file: weights of words for each class, as JSON."""
        path = self.models / f"{name}.json"
        inside = path.resolve().is_relative_to(self.models.resolve())
        if not inside or not path.is_file():
            raise InputError(f"the model {name!r} is not there: {path} (see --models)")
        data = path.read_bytes()
        if len(data) > MODEL_BYTES:
            raise InputError(f"{path}: a model of {len(data):,} bytes")
        try:
            parsed = read_json(data)
            weights = {
                str(c): ({str(w): float(x) for w, x in m["words"].items()}, float(m.get("bias", 0)))
                for c, m in parsed["classes"].items()
            }
        except (ValueError, OverflowError, KeyError, TypeError, AttributeError):
            raise InputError(
                f"{path}: expected {{classes: {{name: {{words: {{word: weight}}, bias: number}}}}}}"
            ) from None
        return weights, hashlib.sha256(data).hexdigest()


def own_functions(path: str) -> dict[str, Callable[..., Any]]:
    """The functions of a Python file the user names; the file is run."""
    import importlib.util

    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    if spec is None or spec.loader is None or not Path(path).is_file():
        raise InputError(f"--functions {path}: no Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"--functions {path}: {type(error).__name__}: {error}") from None
    return {n: f for n, f in vars(module).items() if callable(f) and not n.startswith("_")}


def _own_digest(function: Callable[..., Any], *more: str) -> str | None:
    """A digest of a function of its arguments alone; none if it is not known to be one."""
    identity = identify(function)
    if not identity.certain or identity.kind is not Kind.PURE:
        return None
    return json_digest([identity.digest, platform.python_version(), *more])


def _last_function(source: str) -> Callable[..., Any]:
    """The function a text ends with; its other definitions are at hand."""
    try:
        tree = ast.parse(source)
        space: dict[str, Any] = {}
        # Purity is read from the source, which is looked up by the name of the file.
        path = f"<workflow {json_digest([source])}>"
        linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
        exec(compile(source, path, "exec", dont_inherit=True), space)
    except Exception as error:
        raise InputError(f"code of the workflow: {type(error).__name__}: {error}") from None
    names = [n.name for n in tree.body if isinstance(n, ast.FunctionDef)]
    if not names:
        raise InputError("code of the workflow defines no function")
    function: Callable[..., Any] = space[names[-1]]
    return function


# -- library operators -------------------------------------------------------------------------


@final
class DictionaryMatcher:
    """The first entry of a dictionary one of whose words occurs in a text, in any case."""

    def __init__(self, dictionary: Any) -> None:
        if isinstance(dictionary, Mapping):
            entries = {str(k): v for k, v in dictionary.items() if k != OTHERWISE}
            self.otherwise = dictionary.get(OTHERWISE)
        else:
            words = [dictionary] if isinstance(dictionary, str) else list(dictionary)
            entries, self.otherwise = {str(w): [w] for w in words}, None
        self.entries = [
            (name, [str(w).lower() for w in ([words] if isinstance(words, str) else words)])
            for name, words in entries.items()
        ]

    def __call__(self, text: str | None) -> str | None:
        lowered = (text or "").lower()
        for name, words in self.entries:
            if any(word in lowered for word in words):
                return name
        return None if self.otherwise is None else str(self.otherwise)


@final
class WordModel:
    """The class whose words weigh most in a text; the first of equals."""

    def __init__(
        self,
        weights: Mapping[str, tuple[Mapping[str, float], float]],
        wanted: frozenset[str] | None,
    ) -> None:
        self.weights = {c: w for c, w in weights.items() if wanted is None or c in wanted}

    def __call__(self, text: str | None) -> str | None:
        if text is None or not self.weights:
            return None
        words = WORD.findall(text.lower())

        def score(name: str) -> float:
            weights, bias = self.weights[name]
            return bias + sum(weights.get(word, 0.0) for word in words)

        return max(self.weights, key=score)


def sentiment(text: str | None) -> str | None:
    """Positive, negative or neutral, by the words of a small lexicon."""
    if text is None:
        return None
    words = WORD.findall(text.lower())
    balance = sum((w in POSITIVE) - (w in NEGATIVE) for w in words)
    return "positive" if balance > 0 else "negative" if balance < 0 else "neutral"


# -- expressions only Python can evaluate --------------------------------------------------------


@final
class ExpressionFunction:
    """An expression with Veer's own meaning, as a function of the columns it reads."""

    def __init__(self, expr: Expr, schema: Schema, places: Sequence[int]) -> None:
        self.data = encode(expr)
        self.columns = [encode(schema.fields[i]) for i in range(len(schema))]
        self.places = list(places)
        self.type = encode(expr.type)

    def __getstate__(self) -> dict[str, Any]:
        """What goes to Spark's workers, which compile it anew: closures cannot be sent."""
        return {k: v for k, v in self.__dict__.items() if k != "_compiled"}

    @cached_property
    def _compiled(self) -> tuple[Callable[..., Any], list[DataType], int, DataType]:
        """The function of a row, the types it reads, the width of a row, the type it gives."""
        fields: list[Field] = [decode(c) for c in self.columns]
        compiled = compile_expr(decode(self.data), (Schema(tuple(fields)),))
        return compiled, [fields[i].type for i in self.places], len(fields), decode(self.type)

    def __call__(self, *args: Any) -> Any:
        compiled, types, width, result = self._compiled
        row: list[Any] = [None] * width
        for place, value, type_ in zip(self.places, args, types, strict=True):
            row[place] = from_spark(value, type_)
        return to_spark(compiled(tuple(row), (Run({}),)), result)


def from_spark(value: Any, type_: DataType) -> Any:
    """A value PySpark hands over, as the interpreter represents it."""
    match type_:
        case _ if value is None:
            return None
        case ArrayType(element):
            return tuple(from_spark(v, element) for v in value)
        case MapType(key, held):
            return tuple((from_spark(k, key), from_spark(v, held)) for k, v in value.items())
        case StructType(fields):
            return tuple(from_spark(v, t) for v, (_, t) in zip(value, fields, strict=True))
        case _:
            return bytes(value) if isinstance(value, bytearray) else value


def to_spark(value: Any, type_: DataType) -> Any:
    """A value of the interpreter as PySpark wants it."""
    match type_:
        case _ if value is None:
            return None
        case ArrayType(element):
            return [to_spark(v, element) for v in value]
        case MapType(key, held):
            return {to_spark(k, key): to_spark(v, held) for k, v in value}
        case StructType(fields):
            return tuple(to_spark(v, t) for v, (_, t) in zip(value, fields, strict=True))
        case _:
            return value


__all__ = [
    "Bodies",
    "Body",
    "ExpressionFunction",
    "from_spark",
    "own_functions",
    "to_spark",
]
