"""Time zones as expressions of plans carry them."""

from __future__ import annotations

import json
import re

from veer.errors import UnsupportedError
from veer.functions.zone_rules import UTC_ZONE, canonical_zone
from veer.read.pyspark.plans.tree import Node

ZONE_FIELD = "timeZoneId"
SOME = re.compile(r"Some\((.*)\)")  # as the JVM prints it


def zone_of(node: Node) -> str:
    """The zone of an expression by its one name, UTC if it asks for none; refused if not known."""
    if ZONE_FIELD not in node.fields:
        return UTC_ZONE
    stated = node.fields[ZONE_FIELD]
    if stated is None:
        printed = SOME.fullmatch(node.dropped[ZONE_FIELD])
        name = printed[1] if printed else ""
    elif str(stated).startswith("["):
        some, *rest = json.loads(stated)
        name = str(rest[0]) if some == "Some" and rest else ""
    else:
        name = str(stated)
    if not name:
        raise UnsupportedError(f"{node.kind} without a time zone")
    return canonical_zone(name)
