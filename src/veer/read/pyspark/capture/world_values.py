"""Placeholders for values from outside (time, files, environment) in a job that is loaded."""

from __future__ import annotations

import datetime
import os
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

# What moments, spans of time and the like offer a program, which then has as little of the world.
_OFFERED = frozenset(
    name
    for kind in (datetime.datetime, datetime.timedelta, time.struct_time, uuid.UUID, str)
    for name in dir(kind)
    if not name.startswith("_")
)


_SHOWN = uuid.uuid4().hex[
    :6
]  # so that what is shown in one process is not what is shown in another


class WorldValue:
    """A value of the world, or one that was calculated of it.

    It may be printed and logged, where it shows as "?..."; whatever else is done with it stops the job.
    """

    def __init__(self, refuse: Callable[[], NoReturn], is_shown_here: Callable[[], bool]) -> None:
        self.__dict__["_refuse"], self.__dict__["_is_shown"] = refuse, is_shown_here

    def _calculated(self, *_: Any, **__: Any) -> Any:
        return WorldValue(self.__dict__["_refuse"], self.__dict__["_is_shown"])

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        refuse: Callable[[], NoReturn] = self.__dict__["_refuse"]
        refuse()

    def _if_shown(self, value: Any) -> Any:
        return value if self.__dict__["_is_shown"]() else self._refused()

    def __str__(self) -> str:
        return str(self._if_shown(f"?{_SHOWN}"))

    __repr__ = __str__

    def __format__(self, _: str) -> str:
        return str(self)

    def __float__(self) -> float:
        return float(self._if_shown(0.0))

    def __int__(self) -> int:
        return int(self._if_shown(0))

    @property
    def __class__(self) -> Any:
        return self._if_shown(WorldValue)

    @__class__.setter
    def __class__(self, _: Any) -> None:
        self._refused()

    def __getattr__(self, name: str) -> Any:
        if name in _OFFERED:
            return self._calculated()
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        self._refused()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _calculated
    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __neg__ = _calculated
    __pos__ = __abs__ = __round__ = __call__ = _calculated
    __bool__ = __iter__ = __len__ = __getitem__ = __hash__ = __contains__ = __index__ = _refused
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __next__ = __enter__ = _refused
    __setattr__ = __delattr__ = __fspath__ = __reduce_ex__ = __copy__ = __deepcopy__ = _refused


class Found:
    """What is known of a file of the version: its size and kind, not its time and place."""

    def __init__(self, found: os.stat_result, unknown: WorldValue) -> None:
        self.st_size, self.st_mode, self._unknown = found.st_size, found.st_mode, unknown

    def __getattr__(self, name: str) -> Any:
        if name.startswith("st_"):
            return self._unknown
        raise AttributeError(name)


class CommandLine(list[str]):
    """The command line: its items are not told."""

    def __init__(self, refuse: Callable[[], None], items: list[str]) -> None:
        super().__init__(items)
        self._refuse = refuse

    def __getitem__(self, item: Any) -> Any:
        if item != 0:
            self._refuse()
        return super().__getitem__(item)

    def __iter__(self) -> Iterator[str]:
        self._refuse()
        return super().__iter__()

    def __len__(self) -> int:
        self._refuse()
        return super().__len__()

    def __contains__(self, item: object) -> bool:
        self._refuse()
        return super().__contains__(item)


class Backwards:
    """The entries of a folder from the last to the first."""

    def __init__(self, entries: Any) -> None:
        with entries:
            self._entries = list(entries)

    def __iter__(self) -> Backwards:
        return self

    def __next__(self) -> Any:
        if not self._entries:
            raise StopIteration
        return self._entries.pop()

    def __enter__(self) -> Backwards:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget the rest."""
        self._entries.clear()


class Typed:
    """Standard input, which is empty."""

    def __init__(self, refuse: Callable[[], Any]) -> None:
        self._refuse = refuse

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._refuse()

    def __iter__(self) -> Iterator[str]:
        self._refuse()
        return iter(())


__all__ = ["Backwards", "CommandLine", "Found", "Typed", "WorldValue"]
