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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

from veer.errors import InputError, UnsupportedError
from veer.functions.library import DictionaryMatcher, WordModel, sentiment
from veer.functions.registry import Kind
from veer.ir import ops
from veer.ir.digests import json_digest
from veer.read.inputs import Input
from veer.read.json_text import read_json

LIBRARY = ("DictionaryMatcher", "Classifier", "SentimentAnalyzer")
VERSION = 1  # of what library operators compute: another number, other results
MODEL_BYTES = 64_000_000


@final
@dataclass(frozen=True)
class Body:
    """A function that can run, and a digest of what its values depend on, if that is known."""

    function: Callable[..., Any]
    digest: str | None


@final
@dataclass(frozen=True)
class Bodies:
    """Where bodies are found: model files, a Python file of the user's, code that is trusted."""

    models: Path = Path("models")  # where model files are
    own: Mapping[str, Callable[..., Any]] = field(default_factory=dict)  # by name or identity
    code: Mapping[str, str] = field(default_factory=dict)  # of a workflow, by identity
    trust_code: bool = False
    revision: str = ""  # of git, at which models are read

    def of(self, operator: ops.AnyUdf) -> Body:
        """The body of an opaque operator, or an error saying how to give one."""
        name, _, settings = operator.identity.partition(" ")
        function = self.own.get(operator.identity) or self.own.get(name)
        if function is not None:
            return Body(function, _own_digest(function))
        if operator.kind in LIBRARY and isinstance(operator, ops.RowUdf):
            return self._library(operator.kind, json.loads(settings))
        source = self.code.get(operator.identity)
        if source is None:
            raise UnsupportedError(
                f"the function {operator.identity!r} has no definition; "
                f"give a Python file that defines it: --functions FILE"
            )
        if not self.trust_code:
            raise UnsupportedError(
                f"the function {name!r} has its code in the workflow file; "
                "Veer runs code from files only with --trust-code"
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
        file = Input(str(path), str(path), self.revision)
        if not inside or not file.exists or file.is_folder:
            raise InputError(f"there is no model {name!r} at {path} (see --models)")
        data = file.read_bytes()
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
        raise InputError(f"--functions {path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"--functions {path}: {type(error).__name__}: {error}") from None
    return {n: f for n, f in vars(module).items() if callable(f) and not n.startswith("_")}


def _own_digest(function: Callable[..., Any], *more: str) -> str | None:
    """A digest of a function of its arguments alone; none if it is not known to be one."""
    from veer.read.python.identity import identify

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
