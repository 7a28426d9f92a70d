"""Python functions inside of plans stand there as tokens, for copies of what they were when called.

A classic session pickles a function when a column is first made with it; what the function refers
to may change afterwards. The copy is made in the same way, at the same time.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

PREFIX = b"veer function "
COPY = "_veer_copy"


def copied(function: Any) -> Any:
    """A function as Spark would be given it now."""
    cloudpickle: Any = import_module("pyspark.cloudpickle")
    return cloudpickle.loads(cloudpickle.dumps(function))


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
        """What PySpark would pickle functions with, and where it takes them from, replaced."""
        from pyspark.sql.connect import expressions, plan
        from pyspark.sql.connect.udf import UserDefinedFunction

        here = self
        original: Any = UserDefinedFunction._build_common_inline_user_defined_function

        def build(function: Any, *args: Any, **named: Any) -> Any:
            call = original(function, *args, **named)
            if not hasattr(function, COPY):
                setattr(function, COPY, copied(function.func))
            call._function._func = getattr(function, COPY)
            return call

        class Tokens:
            """Stands for `CloudPickleSerializer`."""

            def dumps(self, given: Any) -> bytes:
                """The token of a function, given alone or with the type of its results."""
                return here.token(given[0] if isinstance(given, tuple) else given)

        serializers = [(m, {"CloudPickleSerializer": Tokens}) for m in (expressions, plan)]
        return [
            *serializers,
            (UserDefinedFunction, {"_build_common_inline_user_defined_function": build}),
        ]
