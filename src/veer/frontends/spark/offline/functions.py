"""Python functions inside of plans stand there as tokens: nothing is pickled."""

from __future__ import annotations

from typing import Any

PREFIX = b"veer function "


class Functions:
    """The functions of the plans of one process, by the token that stands for each."""

    def __init__(self) -> None:
        self._kept: list[Any] = []
        self._numbers: dict[int, int] = {}  # by id, of objects that are kept

    def token(self, function: Any) -> bytes:
        """What stands for a function in a plan; the same for the same function."""
        if id(function) not in self._numbers:
            self._numbers[id(function)] = len(self._kept)
            self._kept.append(function)
        return PREFIX + str(self._numbers[id(function)]).encode()

    def get(self, command: bytes) -> Any | None:
        """The function that a token stands for."""
        if not command.startswith(PREFIX):
            return None
        return self._kept[int(command.removeprefix(PREFIX))]

    def replacements(self) -> list[tuple[Any, dict[str, Any]]]:
        """What PySpark would pickle functions with, replaced."""
        from pyspark.sql.connect import expressions, plan

        here = self

        class Tokens:
            """Stands for `CloudPickleSerializer`."""

            def dumps(self, given: Any) -> bytes:
                """The token of a function, given alone or with the type of its results."""
                return here.token(given[0] if isinstance(given, tuple) else given)

        return [(module, {"CloudPickleSerializer": Tokens}) for module in (expressions, plan)]
