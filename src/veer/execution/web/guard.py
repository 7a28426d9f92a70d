"""Who may ask the server: a browser on this machine, on a page of this server, with its token.

A page of somebody else's in the same browser can send requests to localhost, and a name of somebody
else's can lead there. So the host that was asked for, the page that asks and a secret are looked at
before anything else.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any, final
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL = ("127.0.0.1", "localhost", "[::1]")
OPEN = "/built/"  # scripts and styles, the same for everybody
TOKEN_HEADER = "x-veer-token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "worker-src 'self'; img-src 'self' data:; frame-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@final
class Guard:
    """Lets through what may be asked, and adds to every answer what browsers should hold to."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token = app, token
        self._hosts = {f"{host}:{port}" for host in LOCAL}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        problem = self._problem(scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", []))
                names = {name.lower() for name, _ in headers}
                headers += [
                    (name.encode(), value.encode())
                    for name, value in HEADERS.items()
                    if name.encode() not in names
                ]
                message = {**message, "headers": headers}
            await send(message)

        if problem:
            await _refuse(problem, send_guarded)
        else:
            await self._app(scope, receive, send_guarded)

    def _problem(self, scope: Scope) -> str:
        """Why a request is refused; empty if it is not."""
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        host = headers.get("host", "")
        if host not in self._hosts:
            return "asked under another name"
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return "asked by another page"
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return "asked by another page"
        if scope["path"].startswith(OPEN):
            return ""
        given = headers.get(TOKEN_HEADER) or _query_token(scope)
        return "" if hmac.compare_digest(given.encode(), self._token.encode()) else "no token"


def _query_token(scope: Mapping[str, Any]) -> str:
    query: str = scope["query_string"].decode("latin-1")
    return parse_qs(query).get("token", [""])[0]


async def _refuse(problem: str, send: Send) -> None:
    text = f"403: {problem}. Use the address that `veer ui` printed.\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": text})


__all__ = ["TOKEN_HEADER", "Guard"]
