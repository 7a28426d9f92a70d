"""What the library operators of the example do, as plain functions of a row."""

from __future__ import annotations

COMMERCIAL = ("shop", "store", "sale", "vape")


def commerce(description: str | None) -> str:
    """The dictionary matcher: commercial if a word of the dictionary occurs."""
    words = (description or "").lower()
    return "commercial" if any(word in words for word in COMMERCIAL) else "non-commercial"


def topic(text: str | None) -> str | None:
    """The classifier: a stand-in for a model, related if it is about health or taxes."""
    if text is None:
        return None
    return (
        "related" if any(w in text.lower() for w in ("quit", "taxes", "cheap")) else "non-related"
    )
