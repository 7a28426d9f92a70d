"""Calling the function of a job: its module imported, its arguments found, its results taken."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import sys
import traceback
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Protocol, final

from veer.errors import InputError, UnsupportedError, UsageError, VeerError
from veer.ir.dag import Dataflow
from veer.ir.json import to_json
from veer.read.inputs import Declarations, declaring
from veer.read.pyspark.capture.capture import Capture
from veer.read.pyspark.capture.platform_utilities import platform_utilities
from veer.read.pyspark.capture.reversed_sets import restore, walk_backwards
from veer.read.pyspark.capture.second_load import refuse_present, why_again
from veer.read.pyspark.capture.stopping import NeedsJvm, Stopped, StoppedForJvm
from veer.read.pyspark.capture.world import World
from veer.read.python.codes import unlike_so_far

TRUTH_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Tables(Protocol):
    """What gives a job its session and its tables."""

    spark: Any
    tables: dict[str, Any]

    def table(self, name: str) -> Any:
        """The DataFrame of a declared table."""
        ...


@final
@dataclass(frozen=True)
class Loaded:
    """The dataflow of a job, and as Spark's optimizer leaves it; what it was told of the world."""

    dataflow: Dataflow
    optimized: Dataflow | None
    world: World


def answer(load: Callable[[], Loaded]) -> dict[str, Any]:
    """What loading gives, or why it gives nothing, as JSON data."""
    try:
        loaded = load()
        optimized = loaded.optimized
        flows = {
            "dataflow": to_json(loaded.dataflow),
            "optimized": None if optimized is None else to_json(optimized),
        }
        text = json.dumps(flows)
        _check_place(text, loaded.world)
        refuse_present(loaded.world)
    except VeerError as error:
        undeclared = error.undeclared_table if isinstance(error, InputError) else ""
        return {"error": str(error), "kind": _kind(error), "undeclared_table": undeclared}
    again = why_again(text, loaded.world)
    return {**flows, "used": loaded.world.used, "unlike": unlike_so_far(), "again": again}


def _check_place(text: str, world: World) -> None:
    """Refuse a dataflow that says where the files of the version are: two of them are two places."""
    python = {sys.prefix, sys.base_prefix, sys.executable}
    for place in {str(world.capture.root), world.asker.root, *python} - {"/", "/usr", ""}:
        if json.dumps(place)[1:-1] in text:
            raise UnsupportedError(
                f"what the job computes depends on the folder it is in, {place}, or that of Python, "
                "which differs from run to run; a path of the project would be relative"
            )


def _kind(error: VeerError) -> str:
    match error:
        case NeedsJvm():
            return "jvm"
        case UnsupportedError():
            return "unsupported"
        case UsageError():
            return "usage"
        case _:
            return "input"


def load_captured(capture: Capture, request: Mapping[str, Any], *, has_jvm: bool = False) -> Loaded:
    """The dataflow of what a function returns and writes, in a process of its own."""
    root, file, top = Path(request["root"]), Path(request["file"]), request.get("top", "")
    capture.keep = bool(request.get("keep"))
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    declared = Declarations(
        *(frozenset(request.get(key, ())) for key in ("row_wise", "trusted_packages"))
    )
    utilities_of_job = platform_utilities(request["args"], text, capture.stop)
    world = World(
        capture, request.get("env", {}), is_other=bool(request.get("world")), has_jvm=has_jvm
    )
    with declaring(declared), capture, utilities_of_job as utilities:
        if capture.keep:
            world.guard()
        if request.get("backwards"):
            walk_backwards()
        try:
            function = function_of(
                root, file, request["function"], top, _dataset_of(capture, request)
            )
        except InputError as error:
            _check_reason(capture, error.__cause__)
            raise
        capture.imported()
        try:
            arguments = arguments_for(function, request["args"], capture, utilities)
        except StoppedForJvm as stopped:
            raise stopped.error() from None
        except Stopped as stopped:
            raise InputError(str(stopped)) from None
        _call_function(capture, root, function, arguments)
        check_used(function, request["args"], utilities.widgets.asked)
        _check_modules(root, top)
        restore()
        return Loaded(*capture.dataflows(), world)


def _in_checkout(path: str, top: str, root: Path) -> str:
    """A place below the working tree as one of the checkout; installed packages stay."""
    installed = ("site-packages", "dist-packages")
    if not top or any(part in path for part in installed) or path.startswith(sys.prefix):
        return path
    return str(root / Path(path).relative_to(top)) if Path(path).is_relative_to(top) else path


def _check_modules(root: Path, top: str) -> None:
    """Nothing was imported from the working tree in place of the revision."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if name.partition(".")[0] != "veer" and _in_checkout(file, top, root) != file:
            raise UnsupportedError(
                f"the module {name} comes from the working tree, not the revision"
            )


def _dataset_of(capture: Capture, request: Mapping[str, Any]) -> Callable[[], Any] | None:
    """What imports the dataset of a pipeline; None for a function that is named by itself."""
    dataset = request.get("dataset", "")
    if not dataset:
        return None
    return lambda: dataset_function(Path(request["file"]), dataset, capture.spark)


def function_of(
    root: Path, file: Path, name: str, top: str, dataset: Callable[[], Any] | None = None
) -> Callable[..., Any]:
    """The function of that name, its file imported as a module of the project.

    Or what `dataset` gives, once modules of the project can be imported.
    """
    shown = file.relative_to(root)
    base = file.parent
    while (base / "__init__.py").exists() and base != root:
        base = base.parent
    sys.path[:] = [_in_checkout(p, top, root) for p in sys.path]
    folders = [base, root, root / "src", file.parent]
    sys.path[:0] = [str(p) for p in dict.fromkeys(folders) if p.is_dir()]
    parts = file.relative_to(base).with_suffix("").parts
    try:
        if dataset is not None:
            function: Callable[..., Any] = dataset()
            return function
        if all(p.isidentifier() for p in parts):
            module = importlib.import_module(".".join(parts))
            if Path(module.__file__ or "").resolve() != file.resolve():
                module = _import_by_path(file)
        else:
            module = _import_by_path(file)
    except Stopped as stopped:
        raise stopped.error() from None
    except VeerError:
        raise
    except BaseException as error:
        raise InputError(f"{shown} does not import: {describe_error(error, root)}") from error
    attribute: Any = module
    for part in name.split("."):
        attribute = getattr(attribute, part, None)
    if not callable(attribute):
        own = [
            n
            for n, v in vars(module).items()
            if inspect.isfunction(v) and v.__module__ == module.__name__
        ]
        there = f"; there are {', '.join(own)}" if own else ""
        raise InputError(f"{shown} has no function {name!r}{there}")
    return attribute  # type: ignore[no-any-return]


def _import_by_path(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


def arguments_for(
    function: Callable[..., Any], args: Mapping[str, str], tables: Tables, utilities: Any = None
) -> dict[str, Any]:
    """What the function is called with: the session, tables, what the user gave."""
    try:
        parameters = inspect.signature(function, eval_str=False).parameters
    except (TypeError, ValueError):
        raise InputError("the parameters of the function cannot be read") from None
    name = getattr(function, "__name__", "the function")
    if utilities is None:
        check_used(function, args)
    unknown = sorted(set(args) - set(parameters))
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    arguments: dict[str, Any] = {n: args[n] for n in unknown} if takes_any else {}
    for key, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        annotation = getattr(parameter.annotation, "__name__", str(parameter.annotation))
        annotation = annotation.rpartition(".")[2].strip("'\"")
        if key in args:
            arguments[key] = _convert_argument(args[key], key, annotation, parameter.default)
        elif annotation == "SparkSession" or (
            key in ("spark", "session", "spark_session")
            and parameter.default in (None, parameter.empty)
        ):
            arguments[key] = tables.spark
        elif key == "dbutils" and utilities is not None:
            arguments[key] = utilities
        elif parameter.default is not parameter.empty:
            continue
        elif key in tables.tables or annotation == "DataFrame":
            arguments[key] = tables.table(key)
        else:
            raise InputError(f"{name} needs the argument {key!r}; give --arg {key}=VALUE")
    positional = [k for k, p in parameters.items() if p.kind is p.POSITIONAL_ONLY]
    if positional:
        raise InputError(f"{name} takes {positional[0]!r} by position only")
    return arguments


def check_used(
    function: Callable[..., Any], args: Mapping[str, str], widgets: Container[str] = ()
) -> None:
    """Refuse an argument that is neither a parameter nor, once the function has run, a widget."""
    parameters = inspect.signature(function, eval_str=False).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return
    name = getattr(function, "__name__", "the function")
    for given in sorted(set(args) - set(parameters)):
        if given not in widgets:
            raise UsageError(f"{name} has no parameter {given!r}, and no widget of that name")


def _convert_argument(text: str, name: str, annotation: str, default: Any) -> Any:
    """An argument of the command line as its parameter wants it."""
    kind = annotation if annotation in ("int", "float", "bool", "date", "str") else ""
    if not kind and isinstance(default, bool | int | float | date):
        kind = type(default).__name__
    try:
        match kind:
            case "int":
                return int(text)
            case "float":
                return float(text)
            case "bool":
                return TRUTH_WORDS[text.lower()]
            case "date":
                return date.fromisoformat(text)
            case _:
                return text
    except (ValueError, KeyError):
        raise UsageError(f"--arg {name}={text}: no {kind}") from None


def _call_function(
    capture: Capture, root: Path, function: Callable[..., Any], arguments: Mapping[str, Any]
) -> None:
    name = getattr(function, "__name__", "the function")
    try:
        result = function(**arguments)
    except Stopped as stopped:
        raise stopped.error() from None
    except SystemExit as ended:
        if ended.code not in (None, 0):
            raise InputError(f"{name} ended with sys.exit({ended.code!r})") from None
        result = None
    except VeerError:
        raise
    except BaseException as error:
        if capture.stopped is not None:  # what was raised is only what followed
            raise capture.stopped.error() from None
        _check_reason(capture, error)
        hint = capture.hint(error)
        raise InputError(f"{name} raised {describe_error(error, root)}{hint}") from None
    if capture.stopped is not None:
        raise capture.stopped.error()
    try:
        capture.returned(result, name)
    except Stopped as stopped:
        raise stopped.error() from None


def _check_reason(capture: Capture, error: BaseException | None) -> None:
    """Say so where an exception is not the program's: the session lacks what it asks for."""
    reason = "" if error is None else capture.lacks(error)
    if reason:
        raise NeedsJvm(reason) from None


def describe_error(error: BaseException, root: Path) -> str:
    """An exception in one line, with the place in the project it comes from."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    text = f"{type(error).__name__}: {lines[0] if lines else ''}".rstrip(": ")
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.is_relative_to(root) and "site-packages" not in frame.filename:
            return f"{text} ({path.relative_to(root)}:{frame.lineno})"
    return text


# -- functions that `pyspark.pipelines` decorates: the decorators keep them, and a session is a global


def dataset_function(file: Path, dataset: str, spark: Any) -> Callable[..., Any]:
    """The function of a batch dataset, its file imported as a pipeline does it."""
    from pyspark.pipelines.graph_element_registry import (
        GraphElementRegistry,
        graph_element_registration_context,
    )
    from pyspark.pipelines.output import MaterializedView, TemporaryView

    outputs: dict[str, Any] = {}
    flows: dict[str, list[Any]] = {}

    class Registry(GraphElementRegistry):
        """Keeps what is registered."""

        def register_output(self, output: Any) -> None:
            outputs[output.name] = output

        def register_flow(self, flow: Any) -> None:
            flows.setdefault(flow.target, []).append(flow)

        def register_auto_cdc_flow(self, flow: Any) -> None:
            flows.setdefault(flow.target, []).append(flow)

        def register_sql(self, sql_text: str, file_path: Path) -> None:
            raise UnsupportedError("SQL that is registered by Python")

    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    module.__dict__["spark"] = spark
    with graph_element_registration_context(Registry()):
        spec.loader.exec_module(module)
    found = flows.get(dataset, [])
    if len(found) != 1:
        raise InputError(f"{file.name} defines {dataset!r} {len(found)} times")
    if not isinstance(outputs.get(dataset), MaterializedView | TemporaryView):
        raise UnsupportedError(f"{dataset}: only materialized and temporary views are compared")
    if found[0].spark_conf:
        raise UnsupportedError(f"{dataset} has settings of its own (spark_conf)")
    function: Callable[..., Any] = found[0].func
    return function
