"""Settings of a session: which change nothing, which change what is written, which are refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from veer.errors import UnsupportedError
from veer.frontends.spark.harmless_settings import is_harmless
from veer.frontends.spark.setting_effects import is_known

SQL = "spark.sql."


def settings_set(session: Any) -> dict[str, str]:
    """What is set in a session; PySpark 3.5 has no call for it."""
    has_jvm = hasattr(session, "_jsparkSession")
    if hasattr(session.conf, "getAll"):
        if not has_jvm:
            return dict(session.conf.getAll)
        # One answer of the JVM instead of five for each setting.
        mapper = session._jvm.com.fasterxml.jackson.databind.ObjectMapper()
        return dict(json.loads(mapper.writeValueAsString(session.conf._jconf.getAllAsJava())))
    if not has_jvm:
        return {row[0]: row[1] for row in session.sql("SET").collect()}
    pairs, found = session._jsparkSession.conf().getAll().iterator(), {}
    while pairs.hasNext():
        pair = pairs.next()
        found[str(pair._1())] = str(pair._2())
    return found


def unusual_settings(
    session: Any,
    default: Callable[[str], str] | None = None,
    told: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """What the session sets away from Spark's defaults and is not known to be harmless.

    `default` tells Spark's defaults, `told` what is set; the JVM of the session does by itself.
    """
    told = settings_set(session) if told is None else told
    default = default or _defaults(session)
    unusual = {}
    for name, value in sorted(told.items()):
        if not name.startswith(SQL) or is_known(name) or is_harmless(name):
            continue
        if default(name).lower() != value.lower():
            unusual[name] = value
    return unusual


def _defaults(session: Any) -> Callable[[str], str]:
    defaults = session._jvm.org.apache.spark.sql.internal.SQLConf()

    def default(name: str) -> str:
        try:
            return str(defaults.getConfString(name))
        except Exception:  # a setting Spark does not know
            return ""

    return default


def check_settings(
    session: Any,
    allowed: frozenset[str] = frozenset(),
    default: Callable[[str], str] | None = None,
    told: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Refuse a session whose settings change results; gives those that are allowed.

    Whether it is one of ANSI is told by the expressions of a plan.
    """
    unusual = unusual_settings(session, default, told)
    for name, value in unusual.items():
        if name not in allowed:
            raise UnsupportedError(f"the session sets {name} to {value}, which is not modelled")
    return unusual
