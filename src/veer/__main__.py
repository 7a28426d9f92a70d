"""`python -m veer`."""

from veer.cli.main import run

run()
