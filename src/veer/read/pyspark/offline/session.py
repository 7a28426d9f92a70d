"""Sessions of PySpark's Connect client with a client that does not contact a server."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veer.read.pyspark.offline.capture import OfflineCapture
    from veer.read.pyspark.offline.client import Client


def connect_session(client: Client) -> Any:
    """The session of this process; functions of PySpark build plans for it from now on."""
    # `pyspark.sql.functions` asks the environment which kind of column to build; names of columns
    # are looked up when they are given, as in a classic session.
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
    os.environ["PYSPARK_VALIDATE_COLUMN_NAME_LEGACY"] = "1"
    from pyspark.sql import SparkSession as Parent
    from pyspark.sql.connect.session import SparkSession

    class OfflineSession(SparkSession, Parent):  # type: ignore[misc]
        """Both kinds of session, for programs that look at its class."""

        def __init__(self, client: Any) -> None:
            self._client = client
            self._session_id = client._session_id
            self.release_session_on_close = False

    session = OfflineSession(client)
    SparkSession._default_session = session
    SparkSession._active_session.session = session
    return session


def replaced_builder(capture: OfflineCapture) -> dict[str, Any]:
    """What `SparkSession.builder` gives: always the session there is."""

    def get_or_create(builder: Any) -> Any:
        capture.client.settings.configure(dict(builder._options))
        return capture.spark

    return {
        "getOrCreate": get_or_create,
        "create": lambda _: capture.stop("another session is made"),
    }
