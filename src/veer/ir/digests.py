"""Digests of texts and data: short names that equal things share.

All are prefixes of SHA-256 in hexadecimal digits. Some are kept in users' stores, so the same data
must give the same digest in every version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable
from functools import lru_cache

from veer.ir.json import encode

LENGTH = 32  # hexadecimal digits: 128 bits, so nobody meets two things of one digest


def text_digest(text: str, length: int = LENGTH) -> str:
    """A digest of a text, of so many hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def json_digest(data: object, length: int = LENGTH) -> str:
    """A digest of something that can be written as JSON, whatever the order of keys."""
    return text_digest(json.dumps(data, sort_keys=True), length)


def parts_digest(*parts: object) -> str:
    """A digest of the texts of several things; lengths keep ("ab", "c") and ("a", "bc") apart."""
    return text_digest("\x00".join(f"{len(str(p))}:{p}" for p in parts))


# -- parts of dataflows as texts, to order them and to tell them apart ---------------------------


@lru_cache(maxsize=10_000)
def text_of(part: Hashable) -> str:
    """What a part of a dataflow says; equal texts mean the same, 0.0 and -0.0 being told apart."""
    return json.dumps(encode(part), sort_keys=True)
