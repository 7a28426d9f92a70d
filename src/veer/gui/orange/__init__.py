"""Workflows of Orange, files `.ows`."""
