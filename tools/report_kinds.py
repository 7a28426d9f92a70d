"""`docs/report-kinds.md`: the kinds of assumptions, caveats, reasons and hints of a report."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType

from veer import assumptions, caveats, hints, reasons
from veer.show.wording import reason_text

INTRODUCTION = """# Kinds of assumptions, caveats, reasons and hints

Made by `python -m tools pages` from the source; not to be edited. The JSON report ([report-format.md](report-format.md)) has a
kind beside each text: programs decide by the kind, which does not change; the text is for people and may change. A program should treat
a kind that it does not know as a problem.
"""
SECTIONS = (
    ("Assumptions: what an `equivalent` rests on", assumptions),
    ("Caveats: what to know although the verdict stands", caveats),
    ("Reasons of a verdict, or of an answer", reasons),
    ("Hints: what would settle an `unknown`; and declarations", hints),
)


def page() -> str:
    """The whole page."""
    sections = [INTRODUCTION]
    for title, module in SECTIONS:
        rows = [f"| `{kind}` | {text} |" for kind, text in sorted(kinds(module))]
        sections.append(
            "\n".join([f"## {title}\n", "| kind | what it says |", "| --- | --- |", *rows, ""])
        )
    return "\n".join(sections)


def kinds(module: ModuleType) -> Iterator[tuple[str, str]]:
    """The kinds that a module defines, each with a sentence on it."""
    for class_ in vars(module).values():
        if inspect.isclass(class_) and class_.__module__ == module.__name__:
            kind = vars(class_).get("kind")
            if isinstance(kind, str):
                first = (inspect.getdoc(class_) or "").partition("\n\n")[0]
                yield kind, first.replace("\n", " ").replace("|", "\\|")
    if module is reasons:
        for cause in reasons.Cause:
            text = reason_text(cause)
            yield cause.kind, f"{text[:1].upper()}{text[1:]}."
