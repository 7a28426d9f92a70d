"""A digest of Veer's own code: what was kept under another one is not believed."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path


@cache
def own_code_digest() -> str:
    """A digest of every module of the package: another version of Veer computes and proves anew.

    All of it, not the modules an answer seems to depend on: a list of those would be wrong as
    soon as a module moves.
    """
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
