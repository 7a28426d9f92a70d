"""Registers the commands about runs and stores."""

COMMANDS = {
    "run": "veer.execution.cli.run:run",
    "log": "veer.execution.cli.store:log",
    "gc": "veer.execution.cli.store:gc",
    "ui": "veer.execution.cli.ui:ui",
}
