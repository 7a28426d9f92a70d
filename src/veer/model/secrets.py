"""What of paths, URLs and reader options may be shown."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable

# In a URL: who reads it, and what a server is asked for. Both may hold secrets.
USER = re.compile(r"\b([a-z][a-z0-9+.-]*):/{1,3}([^/@\s\"]+)@", re.IGNORECASE)
QUERY = re.compile(r"(?<=://)([^\s\"?]*)\?([^\s\"]*=[^\s\"]*)")
# Schemes in which what stands before @ is a container, not somebody's name and password.
CONTAINERS = ("abfs", "abfss", "wasb", "wasbs")


def without_secrets(text: str, hide: Callable[[str, str], str] = lambda *_: "***") -> str:
    """A path or URL without the names, passwords and tokens in it; `hide` takes a kind and a value."""
    if "@" not in text and "?" not in text:
        return text

    def user(found: re.Match[str]) -> str:
        if found[1].lower() in CONTAINERS and ":" not in found[2]:
            return found[0]
        return f"{found[0][: -len(found[2]) - 1]}{hide('user', found[2])}@"

    return USER.sub(user, QUERY.sub(lambda q: f"{q[1]}?{hide('query', q[2])}", text))


SECRET_OPTIONS = frozenset({"password", "user", "token", "secret", "key"})


def without_secret_values(options: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Options of a reader; another secret is still another option: others may see other rows."""
    return tuple((k, _hidden(v) if k.lower() in SECRET_OPTIONS else v) for k, v in options)


def _hidden(value: str) -> str:
    """What tells a secret from another without telling it."""
    return f"hidden-{hashlib.sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
