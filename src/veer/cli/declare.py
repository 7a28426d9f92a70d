"""Commands as functions: what a command takes is the signature of the function that does it.

A parameter is annotated with its type and with an `Option` or `Argument`, and its default is that
of the option:

    def log(name: Annotated[str, Argument(metavar="NAME", help="...")] = "") -> None: ...
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, get_args, get_origin, get_type_hints

import click

HELP_NAMES = {"help_option_names": ["-h", "--help"]}


@dataclass(frozen=True, kw_only=True)
class Argument:
    """What a command takes by its place."""

    metavar: str
    help: str
    callback: Callable[[Any], Any] | None = None  # from what was given to what the function gets


@dataclass(frozen=True)
class Option:
    """What a command takes by a name, by default that of the parameter."""

    flag: str = ""
    metavar: str | None = None
    help: str = ""
    callback: Callable[[Any], Any] | None = None
    parser: Callable[[str], Any] | None = None  # of what is given, never of the default
    min: float | None = None
    max: float | None = None


def command(name: str, function: Callable[..., Any]) -> click.Command:
    """The command that calls a function; its help is the function's docstring."""
    types = get_type_hints(function, include_extras=True)
    parameters = [
        _parameter(p.name, types[p.name], p.default)
        for p in inspect.signature(function).parameters.values()
    ]
    return _Command(
        name,
        callback=function,
        params=parameters,
        help=inspect.getdoc(function),
        context_settings=HELP_NAMES,
    )


class _Command(click.Command):
    """A command whose arguments are described in its help, before the options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        arguments = [
            (str(p.metavar), p.description) for p in self.params if isinstance(p, _Argument)
        ]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        super().format_options(ctx, formatter)


class _Argument(click.Argument):
    """An argument with a description."""

    def __init__(self, declared: Argument, names: list[str], **settings: Any) -> None:
        super().__init__(names, metavar=declared.metavar, **settings)
        self.description = declared.help + "  [required]" * self.required

    def make_metavar(self, ctx: click.Context) -> str:
        """How the usage line shows it."""
        shown = self.metavar if self.required else f"[{self.metavar}]"
        return f"{str(shown).removesuffix('...')}..." if self.nargs < 0 else str(shown)


def _parameter(name: str, annotation: Any, default: Any) -> click.Parameter:
    hint, declared = get_args(annotation)
    several = list in (get_origin(hint), *map(get_origin, get_args(hint)))
    required = default is inspect.Parameter.empty
    default = None if required else default.value if isinstance(default, Enum) else default
    common = {"default": default, "callback": _callback(declared.callback, several)}
    if isinstance(declared, Argument):
        return _Argument(declared, [name], nargs=-1 if several else 1, required=required, **common)
    return click.Option(
        [name, declared.flag or f"--{name.strip('_').replace('_', '-')}"],
        metavar=declared.metavar,
        help=declared.help,
        type=_type(hint, declared),
        multiple=several,
        is_flag=hint is bool,
        show_default=bool(default),
        **common,
    )


def _callback(
    wanted: Callable[[Any], Any] | None, several: bool
) -> Callable[[click.Context, click.Parameter, Any], Any]:
    def call(ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
        if isinstance(value, tuple):
            value = list(value) or None if several else list(value)
        return value if wanted is None else wanted(value)

    return call


def _type(hint: Any, declared: Option) -> Any:
    """What click makes of the text: a number in its range, what a function gives, or the text."""
    if declared.parser is not None:
        return declared.parser
    ranges: dict[type, Any] = {int: click.IntRange, float: click.FloatRange}
    for number in {hint, *get_args(hint)} & ranges.keys():
        return ranges[number](declared.min, declared.max)
    return None
