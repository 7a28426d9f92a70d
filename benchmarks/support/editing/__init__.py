"""Edits of workflows, made at places found by looking: those that keep results, change, undo."""
