"""Python functions in dataflows: what they are (`identity`), what they compute (`reading`)."""

from veer.frontends.python.identity import Identity, identify
from veer.frontends.python.reading import read_function, read_source, source_digest
from veer.frontends.python.values import NotRead

__all__ = ["Identity", "NotRead", "identify", "read_function", "read_source", "source_digest"]
