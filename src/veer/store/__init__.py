"""Versions and their results: what was run, on what, and where the rows are."""

from veer.store.store import SinkResult, Store, StoredResult, StoredVersion

__all__ = ["SinkResult", "Store", "StoredResult", "StoredVersion"]
