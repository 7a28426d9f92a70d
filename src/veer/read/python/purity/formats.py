"""Formats of Python that neither the locale nor the local zone decides."""

from __future__ import annotations

import string

from veer.read.python.purity.allow_list import DATE_DIRECTIVES


def is_plain_format(spec: str) -> bool:
    """Whether a format means the same in every locale and zone."""
    if spec.rstrip().endswith("n"):
        return False
    at = 0
    while (at := spec.find("%", at)) >= 0:
        directive = spec[at + 1 : at + 2]
        if directive and directive not in DATE_DIRECTIVES:
            return False
        at += 2
    return True


def is_plain_template(template: str) -> bool:
    """Whether a text to be formatted reads no attributes, and no formats of a locale."""
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError:
        return True  # it fails
    return all(
        "." not in (field or "") and "{" not in (spec or "") and is_plain_format(spec or "")
        for _, field, spec, _ in parts
    )
