"""Versions and their results: what was run, on what, and where the rows are.

`store` is what others use. `records` are the values it keeps, `tables` their tables, `database` the
connection and its transactions, `leases` who uses a result, `runs` what runs did, `files` where rows are, `sealing` how
secrets stay out, `gc` how room is made.
"""

from veer.execution.store.records import SinkResult, StoredResult, StoredVersion
from veer.execution.store.store import Store

__all__ = ["SinkResult", "Store", "StoredResult", "StoredVersion"]
