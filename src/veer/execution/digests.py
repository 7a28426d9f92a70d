"""Short names for what was said."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def digest(said: Any) -> str:
    """A short name for something that can be written as JSON."""
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:32]
