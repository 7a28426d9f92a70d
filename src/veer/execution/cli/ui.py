"""`veer ui`: look at a store in a browser."""

from __future__ import annotations

import socket
import webbrowser
from pathlib import Path
from typing import Annotated

from veer.cli import options
from veer.cli.declare import Option
from veer.cli.terminal import complain
from veer.errors import InputError, UsageError

HOST = "127.0.0.1"


def ui(
    store: options.StoreLocation = "",
    port: Annotated[
        int, Option(metavar="N", min=0, max=65535, help="The port; 0 for any free port.")
    ] = 0,
    check: Annotated[
        list[str] | None,
        Option(metavar="FILE", help="Also show this report of `veer check --format json`."),
    ] = None,
    open_: Annotated[bool, Option("--open/--no-open", help="Open the page in a browser.")] = True,
) -> None:
    """Look at a store in a browser: versions, runs, results, reuse, and comparisons of versions.

    Examples:

      veer ui

      veer ui --store /data/veer --port 8765 --no-open

      veer check --format json --out check.json; veer ui --check check.json

    The server listens only on this machine, answers only requests with the token of the address that it
    prints, and changes nothing. It runs until you interrupt it (Ctrl-C).
    """
    try:
        import uvicorn

        from veer.execution.web.server import application, new_token
    except ModuleNotFoundError as error:
        if error.name not in ("uvicorn", "starlette"):
            raise
        raise InputError(
            f"{error.name} is not installed; use: pip install 'veer-spark[ui]'"
        ) from None
    from veer.execution.session import Session
    from veer.execution.stored import existing_store, store_location

    reports = {file: Path(file).absolute() for file in check or []}
    for name, report in reports.items():
        if not report.is_file():
            raise UsageError(f"--check {name}: no such file")
    location = store_location(store)
    with existing_store(store, Session()) as opened, _listening(port) as listener:
        taken = listener.getsockname()[1]
        token = new_token()
        app = application(opened, location, reports, token, taken)
        address = f"http://{HOST}:{taken}/?token={token}"
        complain(f"{address}\nCtrl-C ends it")
        if open_:
            webbrowser.open(address)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, timeout_graceful_shutdown=1
        )
        uvicorn.Server(config).run(sockets=[listener])


def _listening(port: int) -> socket.socket:
    """A socket on this machine alone."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        raise UsageError(f"--port {port}: {error.strerror}") from None
    return listener
