"""`docs/api.md`: the names of `veer.__all__` with their signatures and docstrings."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import Enum
from typing import Any

import veer
from veer import errors

ORDER = ("verify", "assert_equivalent", "diff", "load", "run", "Comparison", "Version")
INTRODUCTION = """# API reference

Made by `python -m tools pages` from docstrings; not to be edited. These names are imported when first used: `import veer`
itself is cheap. Everything else is internal and may change.

```python
import veer

report = veer.verify("old.sql", "new.sql", schema="CREATE TABLE t (a INT)")
if report.verdict is veer.Verdict.EQUIVALENT:
    ...
```

In notebooks and tests see [pyspark.md](pyspark.md); the JSON of a report is in [report-format.md](report-format.md).
"""


def page() -> str:
    """The whole page."""
    names = [*ORDER, *sorted(set(veer.__all__) - set(ORDER))]
    things = [(name, getattr(veer, name)) for name in names]
    sections = [INTRODUCTION]
    sections += ["## Functions\n", *(_function(n, t) for n, t in things if not isinstance(t, type))]
    sections += ["## Classes\n", *(_class(n, t) for n, t in things if isinstance(t, type))]
    sections += ["## Errors\n", _errors()]
    return "\n".join(sections)


def _function(name: str, function: Any, level: int = 3) -> str:
    heading = "#" * level
    return (
        f"{heading} `{name}`\n\n```python\n{_signature(name, function)}\n```\n\n{_text(function)}\n"
    )


def _signature(name: str, function: Any) -> str:
    """The signature, one parameter on each line where it would be long."""
    signature = inspect.signature(function)
    parts: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        parts.append(_parameter(parameter))
    line = f"{name}({', '.join(parts)}) -> {signature.return_annotation}"
    if len(line) <= 100:
        return line
    return (
        f"{name}(\n" + "".join(f"    {p},\n" for p in parts) + f") -> {signature.return_annotation}"
    )


def _parameter(parameter: inspect.Parameter) -> str:
    stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
    text = f"{stars}{parameter.name}: {parameter.annotation}"
    if parameter.default is parameter.empty:
        return text
    shown = "..." if callable(parameter.default) else repr(parameter.default)
    return f"{text} = {shown}"


def _class(name: str, class_: type) -> str:
    lines = [f"### `{name}`\n", _text(class_)]
    if issubclass(class_, Enum):
        lines += ["", *(f"- `{name}.{m.name}`: `{m.value!r}`" for m in class_)]
    elif is_dataclass(class_):
        lines += ["", "| field | type | default | |", "| --- | --- | --- | --- |", *_fields(class_)]
    lines += ["", *_methods(class_)]
    return "\n".join(lines).rstrip() + "\n"


def _fields(class_: type) -> Iterator[str]:
    """The fields of a dataclass, with the comment that stands behind each."""
    text = textwrap.dedent(inspect.getsource(class_))
    lines = text.splitlines()
    body = ast.parse(text).body[0]
    assert isinstance(body, ast.ClassDef)
    for node in body.body:
        if isinstance(node, ast.AnnAssign) and not ast.unparse(node.target).startswith("_"):
            default = f"`{ast.unparse(node.value)}`" if node.value is not None else ""
            comment = lines[(node.end_lineno or node.lineno) - 1].partition("  # ")[2]
            cells = (f"`{ast.unparse(node.target)}`", f"`{ast.unparse(node.annotation)}`", default)
            yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in (*cells, comment))} |"


def _methods(class_: type) -> Iterator[str]:
    for name, member in vars(class_).items():
        plain: Any = member.fget if isinstance(member, property) else member
        plain = getattr(plain, "__func__", plain)
        if name.startswith("_") or not inspect.isfunction(plain):
            continue
        text = inspect.getdoc(plain) or ""
        first = text.partition("\n\n")[0].replace("\n", " ")
        shown = name if isinstance(member, property) else f"{name}{_arguments(plain)}"
        yield f"- `{shown}`: {first}"


def _arguments(function: Any) -> str:
    names = [p.name for p in inspect.signature(function).parameters.values()]
    return f"({', '.join(n for n in names if n not in ('self', 'cls'))})"


def _text(thing: Any) -> str:
    return inspect.getdoc(thing) or ""


def _errors() -> str:
    """The tree of errors as a list, children indented."""
    return "\n".join(_error(errors.VeerError, 0)) + "\n"


def _error(class_: type[errors.VeerError], depth: int) -> Iterator[str]:
    first = (inspect.getdoc(class_) or "").partition("\n\n")[0].replace("\n", " ")
    yield f"{'  ' * depth}- `veer.errors.{class_.__name__}`: {first}"
    children = {c.__name__: c for c in class_.__subclasses__() if c.__module__ == class_.__module__}
    for _, child in sorted(children.items()):
        yield from _error(child, depth + 1)
