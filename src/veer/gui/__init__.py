"""Workflows of other systems: their operators, read with the meaning they have there."""
