"""DataFrames of Spark Connect to dataflows: the client's plans, resolved as Spark would."""

from __future__ import annotations

from veer.frontends.connect.reading import read_relations, schema_of
from veer.frontends.connect.surroundings import RegisteredFunction, Surroundings

__all__ = ["RegisteredFunction", "Surroundings", "read_relations", "schema_of"]
