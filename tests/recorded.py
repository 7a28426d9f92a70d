"""What Spark agreed with before: `tests/recorded/*.txt`, so that it is asked only what is new.

A line is a digest of a question and of Veer's answer: query, rows of the tables, settings, the
version of Spark, what the interpreter makes of it, and the code that compares. It stands there
because Spark once gave that answer. A question or an answer that changed is not there, and then a
live Spark is asked; a run says how many were. VEER_SPARK=live asks all of them again, and
VEER_SPARK=record writes down what was asked and agreed with.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from veer.settings import current

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDER = Path(__file__).with_name("recorded")
MODE = os.environ.get("VEER_SPARK", "")
# What decides whether Spark agrees.
COMPARING = (
    "spark/batches.py",
    "spark/compare.py",
    "spark/flows.py",
    "spark/session.py",
    "../benchmarks/support/beside_spark.py",
)
DIGITS = 20  # of a digest
ASKED = "asked Spark"  # the property of a test that did


class RecordedSpark:
    """A Spark that is started when it is asked something new; one for each test."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self.conf = Settings()
        self._request = request
        self._file = FOLDER / f"{request.module.__name__}.txt"
        self._tables: list[tuple[str, Callable[[SparkSession], None]]] = []

    def tables(self, content: object, register: Callable[[SparkSession], None]) -> None:
        """Have tables of this content; `register` makes them views of a session."""
        self._tables = [(_digest(content), register)]

    def session(self) -> SparkSession:
        """The session itself, with the settings and tables."""
        session: SparkSession = self._request.getfixturevalue("spark")
        for _, register in self._tables:
            register(session)
        self.conf.give(session)
        return session

    def differences(
        self, question: object, compare: Callable[[SparkSession], list[str]]
    ) -> list[str]:
        """What `compare` finds on a session; nothing if it found nothing before."""
        tables = [digest for digest, _ in self._tables]
        key = _digest((version("pyspark"), _code(), current(), tables, question))
        if not MODE and key in recorded(self._file):
            return []
        if not MODE:
            self._request.node.user_properties.append((ASKED, 1))
        found = compare(self.session())
        if MODE == "record" and not found:
            with self._file.open("a", encoding="ascii") as file:
                file.write(f"{key}\n")
        return found


class Settings:
    """Settings that a session gets when it is needed."""

    def __init__(self) -> None:
        self._waiting: dict[str, str | None] = {}
        self._session: Any = None

    def set(self, name: str, value: str) -> None:
        """Set one."""
        self._change(name, value)

    def unset(self, name: str) -> None:
        """Take Spark's default."""
        self._change(name, None)

    def give(self, session: SparkSession) -> None:
        """Make the changes so far, and those to come at once."""
        waiting, self._waiting, self._session = self._waiting, {}, session
        for name, value in waiting.items():
            self._change(name, value)

    def _change(self, name: str, value: str | None) -> None:
        if self._session is None:
            self._waiting[name] = value
        elif value is None:
            self._session.conf.unset(name)
        else:
            self._session.conf.set(name, value)


@cache
def recorded(file: Path) -> frozenset[str]:
    """What Spark agreed with in the tests of a module."""
    return frozenset(file.read_text(encoding="ascii").split()) if file.exists() else frozenset()


@cache
def _code() -> str:
    """A digest of what compares; where it imports from does not matter."""
    trees = [ast.parse((FOLDER.parent / name).read_text(encoding="utf-8")) for name in COMPARING]
    imports = (ast.Import, ast.ImportFrom)
    return _digest([[ast.dump(n) for n in t.body if not isinstance(n, imports)] for t in trees])


def _digest(value: object) -> str:
    return sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
