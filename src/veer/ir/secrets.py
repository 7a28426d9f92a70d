"""What of paths, URLs and reader options may be shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from veer.ir.digests import text_digest

# In a URL: who reads it, and what a server is asked for. Both may hold secrets.
# A password may hold an @ itself: all up to the last one before the path.
USER = re.compile(r"\b([a-z][a-z0-9+.-]*):/{1,3}([^/\s\"]+)@", re.IGNORECASE)
QUERY = re.compile(r"(?<=://)([^\s\"?]*)\?([^\s\"]*=[^\s\"]*)")
# Before a host that is no URL: jdbc:oracle:thin:scott/tiger@//host
LOGIN = re.compile(r"\b(jdbc:[a-z0-9:]+:)([^/@:\s\"]+/[^@\s\"]+)@", re.IGNORECASE)
# Properties without a URL: AccountName=a;AccountKey=b
CONNECTION = re.compile(r"[\w .]+=[^;/]*;")
# Schemes in which what stands before @ is a container, not somebody's name and password.
CONTAINERS = ("abfs", "abfss", "wasb", "wasbs")


def without_secrets(text: str, hide: Callable[[str, str], str] = lambda *_: "***") -> str:
    """A path or URL without the names, passwords and tokens in it; `hide` takes a kind and a value."""
    if not any(sign in text for sign in "@?#;"):
        return text
    if "://" in text or CONNECTION.match(text):
        text = PROPERTY.sub(lambda p: f"{p[1]}={hide(p[1], p[2])}", text)
    text = LOGIN.sub(lambda m: f"{m[1]}{hide('user', m[2])}@", text)

    def user(match: re.Match[str]) -> str:
        if match[1].lower() in CONTAINERS and ":" not in match[2]:
            return match[0]
        return f"{match[0][: -len(match[2]) - 1]}{hide('user', match[2])}@"

    return USER.sub(user, QUERY.sub(lambda q: f"{q[1]}?{hide('query', q[2])}", text))


# Parts of names that speak of a secret: of an option, or before "=" in a URL or connection string.
SECRET_WORDS = ("pass", "pwd", "token", "secret", "key", "sig", "user", "cred", "auth", "sas")
SECRET_ASSIGNMENT = re.compile(rf"(?:{'|'.join(SECRET_WORDS)})\w*=([^&;,\s]+)", re.IGNORECASE)
# The same among properties: jdbc:sqlserver://host;user=a;password=b, https://host/#token=a
PROPERTY = re.compile(
    rf"(?<=[;#&])([\w.]*(?:{'|'.join(SECRET_WORDS)})[\w.]*)=([^&;,\s]+)", re.IGNORECASE
)
# Options that hold nothing but a credential: two writes that differ in one write the same.
CREDENTIALS = frozenset({"password", "user", "token", "secret", "key"})


def hidden_value(_: str, value: str) -> str:
    """A digest in place of a secret: another secret is another text."""
    return f"hidden-{text_digest(value)}"


def is_secret_option(name: str) -> bool:
    """Whether the value of an option of this name may be a secret."""
    return any(word in name.lower() for word in SECRET_WORDS)


def without_secret_values(options: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Options with a digest in place of each secret.

    Another secret is still another option: others may see other rows.
    """
    return tuple(
        (k, hidden_value(k, v) if is_secret_option(k) else without_secrets(v, hidden_value))
        for k, v in options
    )


def without_credentials(options: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The same of a writer, less who writes: that does not change what is written."""
    return without_secret_values((k, v) for k, v in options if k.lower() not in CREDENTIALS)
