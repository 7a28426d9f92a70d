"""Workflow files of graphical tools, read with the meaning that each operator has in its tool."""
