"""Registers the commands about whole projects."""

COMMANDS = {
    "check": "veer.projects.cli.check:check",
    "render": "veer.projects.cli.render:render",
}
