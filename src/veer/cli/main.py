"""`veer`: the commands, and how each ends. Heavy imports wait until a command needs them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer

from veer import __version__
from veer.cli.terminal import complain, save_defect
from veer.errors import DefectError, UsageError, VeerError

# Where each command is, in the order in which the help shows them.
COMMANDS = {
    "verify": "veer.cli.verify:verify",
    "check": "veer.cli.check:check",
    "render": "veer.cli.render:render",
    "batch": "veer.cli.batch:batch",
    "diff": "veer.cli.inspect:diff",
    "show": "veer.cli.inspect:show",
    "schema": "veer.cli.inspect:schema",
    "schema-of": "veer.cli.inspect:schema_of",
    "doctor": "veer.cli.inspect:doctor",
    "run": "veer.cli.run:run",
    "log": "veer.cli.store:log",
    "gc": "veer.cli.store:gc",
    "ui": "veer.cli.ui:ui",
}
HELP = (
    "Verify whether two versions of a dataflow produce the same results, without running them.\n\n"
    "A version (SPEC) is a workflow file (.json, .yaml), a .sql file, a PySpark function "
    "(jobs/report.py:build), one of these at a git revision (main:jobs/report.sql), or a stored "
    "version (store:report@3).\n\n"
    "Exit status of verify: 0 equivalent, 1 inequivalent, 2 unknown, 64 wrong usage, "
    "65 input that cannot be read, 70 internal error, 130 interrupted."
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"veer {__version__}")
        raise typer.Exit


def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def application(words: Sequence[str]) -> typer.Typer:
    """The command line for these words: of the commands only the one they name is imported."""
    app = typer.Typer(
        name="veer",
        help=HELP,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_main)
    named = words[0] if words else ""
    for name in [named] if named in COMMANDS else COMMANDS:
        module, _, function = COMMANDS[name].partition(":")
        app.command(name)(getattr(import_module(module), function))
    return app


def run(command: Callable[[], Any] | None = None) -> NoReturn:
    """Run the command and end with its documented exit status; one line for every error."""
    try:
        ended = (command or (lambda: application(sys.argv[1:])(standalone_mode=False)))()
        status = ended if isinstance(ended, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        complain("interrupted")
        status = 130
    except DefectError as error:
        complain(str(error))
        if error.evidence is not None:
            pair = json.dumps(error.evidence, indent=1, default=str) + "\n"
            save_defect("the pair", pair, "json")
        status = error.exit_status
    except VeerError as error:
        complain(str(error))
        status = error.exit_status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except Exception as error:
        status = _other(error)
    sys.exit(status)


def _other(error: Exception) -> int:
    """Report wrong usage as the argument parser describes it, or a defect of Veer."""
    if hasattr(error, "format_message"):
        complain(error.format_message())
        return UsageError.exit_status
    if os.environ.get("VEER_TRACEBACK"):
        raise error
    complain(
        f"internal error: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}\n"
        "This is a defect of Veer. Please report it with both versions and the output of "
        "VEER_TRACEBACK=1 and `veer doctor`."
    )
    return DefectError.exit_status
