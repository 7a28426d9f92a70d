"""Settings of a Spark session given as text (`--conf K=V`): what they decide, or why they are refused."""

from __future__ import annotations

from collections.abc import Mapping

from veer.errors import UnsupportedError
from veer.frontends.connect.server_settings import ANSI, ZONE, is_ansi, unusual_settings
from veer.frontends.spark.plans.time_zones import is_utc
from veer.settings import SessionSettings


def session_settings(conf: Mapping[str, str]) -> SessionSettings:
    """What settings decide of the meaning of expressions; one that is not modelled is refused."""
    others = {name: value for name, value in conf.items() if name not in (ANSI, ZONE)}
    for name, value in unusual_settings(others).items():
        raise UnsupportedError(f"the setting {name}={value} is not modelled")
    zone = conf.get(ZONE, "UTC")
    if not is_utc(zone):
        raise UnsupportedError(f"the setting {ZONE}={zone} is not modelled; Veer reads in UTC")
    return SessionSettings(ansi=is_ansi(conf.get(ANSI)))
