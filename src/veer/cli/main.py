"""`veer`: the commands, and how each ends. Heavy imports wait until a command needs them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn

import click

from veer import __version__, plugins
from veer.cli.declare import HELP_NAMES, command
from veer.cli.terminal import complain
from veer.errors import UsageError, VeerError

# Where each command of the core is, in the order in which the help shows them.
COMMANDS = {
    "verify": "veer.cli.verify:verify",
    "batch": "veer.cli.batch:batch",
    "diff": "veer.cli.inspect:diff",
    "show": "veer.cli.inspect:show",
    "schema": "veer.cli.inspect:schema",
    "schema-of": "veer.cli.inspect:schema_of",
    "doctor": "veer.cli.inspect:doctor",
}
HELP = (
    "Verify whether two versions of a dataflow produce the same results, without running them.\n\n"
    "A version (SPEC) is a workflow file (.json, .yaml), a .sql file, a PySpark function "
    "(jobs/report.py:build), one of these at a git revision (main:jobs/report.sql), or a stored "
    "version (store:report@3).\n\n"
    "Exit status of verify: 0 equivalent, 1 inequivalent, 2 unknown, 64 wrong usage, "
    "65 input that cannot be read, 70 internal error, 130 interrupted."
)


class _Commands(click.Group):
    """The commands by name; a module is imported when its command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *plugins.commands()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = COMMANDS.get(cmd_name) or plugins.commands().get(cmd_name)
        if place is None:
            return None
        module, _, function = place.partition(":")
        return command(cmd_name, getattr(import_module(module), function))


def application() -> click.Group:
    """The command line."""
    version = click.version_option(
        __version__, message="veer %(version)s", help="Show the version."
    )
    return version(_Commands("veer", help=HELP, no_args_is_help=True, context_settings=HELP_NAMES))


def run(work: Callable[[], Any] | None = None) -> NoReturn:
    """Run the command and end with its documented exit status; one line for every error."""
    try:
        ended = (work or (lambda: application().main(standalone_mode=False)))()
        status = ended if isinstance(ended, int) else 0
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted")
        status = 130
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
    return VeerError.exit_status
