"""Parts of dataflows as texts, to order them and to tell them apart."""

from __future__ import annotations

import json
from collections.abc import Hashable
from functools import lru_cache

from veer.ir.json import encode


@lru_cache(maxsize=10_000)
def text_of(part: Hashable) -> str:
    """What a part of a dataflow says; equal texts mean the same, 0.0 and -0.0 being told apart."""
    return json.dumps(encode(part), sort_keys=True)
