"""Where the commands about whole projects are."""

COMMANDS = {
    "check": "veer.projects.cli.check:check",
    "render": "veer.projects.cli.render:render",
}
