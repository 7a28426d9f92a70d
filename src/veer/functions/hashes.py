"""Cryptographic hashes of byte strings, in hexadecimal digits."""

from __future__ import annotations

import hashlib

from veer.functions.registry import PURE, STRICT, TOTAL, Nulls, scalar
from veer.functions.typing import signature
from veer.model.types import BINARY, INT, STRING

scalar(
    "md5",
    signature(STRING, BINARY),
    lambda b: hashlib.md5(b, usedforsecurity=False).hexdigest(),
    PURE,
    STRICT,
    TOTAL,
    spark=("Md5",),
)
scalar(
    "sha1",
    signature(STRING, BINARY),
    lambda b: hashlib.sha1(b, usedforsecurity=False).hexdigest(),
    PURE,
    STRICT,
    TOTAL,
    aliases=("sha",),
    spark=("Sha1",),
)


def _sha2(data: bytes, bits: int) -> str | None:
    """0 bits mean 256; a length that SHA-2 does not have gives null."""
    return (
        hashlib.new(f"sha{bits or 256}", data).hexdigest()
        if bits in (0, 224, 256, 384, 512)
        else None
    )


scalar("sha2", signature(STRING, BINARY, INT), _sha2, PURE, Nulls.PROPAGATE, TOTAL, spark=("Sha2",))
