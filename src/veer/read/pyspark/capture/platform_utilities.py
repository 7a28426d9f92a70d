"""What a platform gives its jobs beside Spark: `dbutils`, with the widgets that are a job's parameters.

A widget has the value of `--arg NAME=VALUE`, else its default. Everything else of `dbutils` reaches out of the
job and is refused by name.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

NOTEBOOK = "user_ns"  # in the text of a job that looks for what a notebook holds
Stop = Callable[..., NoReturn]


class Widgets:
    """`dbutils.widgets`: parameters with defaults."""

    def __init__(self, given: Mapping[str, str], stop: Stop) -> None:
        self._given, self._stop = dict(given), stop
        self._defaults: dict[str, str] = {}
        self.asked: set[str] = set()  # names that are parameters of the job by being widgets

    def text(self, name: str, defaultValue: str = "", label: Any = None) -> None:
        """Make a widget, with its default."""
        self._defaults[name] = str(defaultValue)
        self.asked.add(name)

    def dropdown(
        self, name: str, defaultValue: str, choices: Any = None, label: Any = None
    ) -> None:
        """Make a widget of several choices; its default is one of them."""
        self.text(name, defaultValue)

    combobox = multiselect = dropdown

    def get(self, name: str) -> str:
        """The value of a widget."""
        self.asked.add(name)
        if name not in self._given and name not in self._defaults:
            self._stop(
                f"the widget {name!r} is asked, which has no default; give --arg {name}=VALUE",
                says_what_to_do=True,
            )
        return self._given.get(name, self._defaults.get(name, ""))

    def getAll(self) -> dict[str, str]:
        """The values of all widgets made so far."""
        return {name: self.get(name) for name in self._defaults}

    def getArgument(self, name: str, defaultValue: str | None = None) -> str:
        """The value of a widget, or what the job gives for one that is not there."""
        if defaultValue is not None:
            self._defaults.setdefault(name, str(defaultValue))
        return self.get(name)

    def remove(self, name: str) -> None:
        """Drop a widget."""
        self._defaults.pop(name, None)

    def removeAll(self) -> None:
        """Drop all widgets."""
        self._defaults.clear()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._stop(f"dbutils.widgets.{name} is used")


class Utilities:
    """Stands for `dbutils`."""

    def __init__(self, widgets: Widgets, stop: Stop) -> None:
        self.widgets, self._stop = widgets, stop

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._stop(f"dbutils.{name} is used")


@contextmanager
def platform_utilities(given: Mapping[str, str], text: str, stop: Stop) -> Iterator[Utilities]:
    """`dbutils` as jobs find it: by its name, by `pyspark.dbutils`, and in what a notebook holds.

    `text` is the job: only one that looks into a notebook is told that it runs in one.
    """
    utilities = Utilities(Widgets(given, stop), stop)
    module = ModuleType("pyspark.dbutils")
    module.DBUtils = lambda *_: utilities  # type: ignore[attr-defined]
    modules: dict[str, Any] = {"pyspark.dbutils": module}
    names: dict[str, Any] = {"dbutils": utilities}
    if NOTEBOOK in text:
        shell = SimpleNamespace(user_ns={"dbutils": utilities})
        names["get_ipython"] = lambda: shell
        notebook = ModuleType("IPython")
        notebook.get_ipython = names["get_ipython"]  # type: ignore[attr-defined]
        modules["IPython"] = notebook
    with _put(sys.modules, modules), _put(vars(builtins), names):
        yield utilities


@contextmanager
def _put(table: dict[str, Any], items: Mapping[str, Any]) -> Iterator[None]:
    """Put items into a table for a while; what else comes into it stays."""
    before = {name: table[name] for name in items if name in table}
    table.update(items)
    try:
        yield
    finally:
        for name in items:
            del table[name]
        table.update(before)
