"""The routes of `veer ui`: pages, what they ask for, and what changes meanwhile.

Nothing here changes a store. Whoever asks has passed the `guard`.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from veer.errors import VeerError
from veer.execution.store import Store
from veer.execution.web.comparisons import Comparisons
from veer.execution.web.guard import Guard
from veer.execution.web.preview import preview
from veer.execution.web.store_data import plot_file, store_json, version_details
from veer.show.page import built
from veer.visible import visible, visible_data

LOOK = 1.0  # seconds between two looks at whether something changed
LARGEST_BODY = 10_000  # bytes of a request
TYPES = {"view.js": "text/javascript", "elk.js": "text/javascript", "view.css": "text/css"}
# A plot is a page of its own, from names and values of data: it may draw, and nothing else.
PLOT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)
PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Veer</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<link rel="icon" href="data:,"><link rel="stylesheet" href="/built/view.css"></head>'
    '<body><div id="veer"></div><script src="/built/view.js"></script></body></html>'
)


@final
class Pages:
    """What the routes answer, on one store and the reports of checks."""

    def __init__(self, store: Store, location: str, checks: Mapping[str, Path]) -> None:
        self.store, self.checks = store, checks
        self.comparisons = Comparisons(location)

    def routes(self) -> list[Route]:
        """Every address there is."""
        return [
            Route("/", self.page),
            Route("/built/{name}", self.part),
            Route("/api/store", self.everything),
            Route("/api/version/{name:path}/{number:int}", self.version),
            Route("/api/result/{id}", self.result),
            Route("/api/plot/{path:path}", self.plot),
            Route("/api/comparisons", self.compare, methods=["POST"]),
            Route("/api/checks", self.check_reports),
            Route("/api/events", self.events),
        ]

    async def page(self, _: Request) -> Response:
        """The page that all of the application is."""
        return HTMLResponse(PAGE)

    async def part(self, request: Request) -> Response:
        """A part of the built view."""
        name = request.path_params["name"]
        if name not in TYPES:
            raise HTTPException(404)
        headers = {"cache-control": "no-cache"}
        return Response(built(name), media_type=TYPES[name], headers=headers)

    async def everything(self, _: Request) -> Response:
        """All versions and runs."""
        return _shown(await run_in_threadpool(store_json, self.store))

    async def version(self, request: Request) -> Response:
        """More of one version."""
        name, number = request.path_params["name"], request.path_params["number"]
        version = await run_in_threadpool(self.store.version, name, number)
        if version is None:
            raise HTTPException(404, f"there is no version {name}@{number}")
        return _shown(await run_in_threadpool(version_details, self.store, version))

    async def result(self, request: Request) -> Response:
        """The first rows of a result."""
        result = await run_in_threadpool(self.store.result, request.path_params["id"])
        if result is None:
            raise HTTPException(404, "the result is not stored any more")
        return _shown(await run_in_threadpool(preview, self.store, result))

    async def plot(self, request: Request) -> Response:
        """A picture of a sink."""
        file = plot_file(self.store, request.path_params["path"])
        if file is None:
            raise HTTPException(404, "there is no such plot")
        return FileResponse(file, headers={"content-security-policy": PLOT_POLICY})

    async def compare(self, request: Request) -> Response:
        """A comparison of two versions: begun, or how far it is."""
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            raise HTTPException(415, "JSON is expected")
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > LARGEST_BODY:
                raise HTTPException(413, "too much")
        try:
            asked = json.loads(body)
            p, q, again = str(asked["p"]), str(asked["q"]), asked.get("again") is True
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise HTTPException(400, 'expected {"p": "name@1", "q": "name@2"}') from None
        return JSONResponse(self.comparisons.ask(p, q, again=again).as_json())

    async def check_reports(self, _: Request) -> Response:
        """The reports of `veer check` that the server was started with, as they are now."""
        reports = self.checks.items()
        return _shown(await run_in_threadpool(lambda: [_check_report(*each) for each in reports]))

    async def events(self, request: Request) -> Response:
        """A line for each change, until the client disconnects."""

        async def lines() -> AsyncIterator[str]:
            before: Any = None
            while not await request.is_disconnected():
                now = await run_in_threadpool(self._mark)
                yield f"data: {json.dumps(str(hash(now)))}\n\n" if now != before else ": \n\n"
                before = now
                await asyncio.sleep(LOOK)

        return StreamingResponse(lines(), media_type="text/event-stream")

    def _mark(self) -> tuple[Any, ...]:
        """What is another as soon as there is something new to show."""
        try:
            files = tuple(f.stat().st_mtime_ns if f.exists() else 0 for f in self.checks.values())
            return (*self.store.mark(), *files)
        except (VeerError, OSError):
            return ()  # asked again in a moment


def _check_report(name: str, file: Path) -> dict[str, Any]:
    """A report of `veer check`, or why it cannot be shown."""
    try:
        report = json.loads(file.read_text(encoding="utf-8"), parse_constant=lambda _: None)
        if not isinstance(report, dict) or report.get("veer_check") != 1:
            raise ValueError("no report of `veer check --format json`")
        json.dumps(report, allow_nan=False)
    except (OSError, ValueError, RecursionError) as error:
        return {"file": name, "problem": str(error)}
    return {"file": name, "report": report}


def _shown(data: Any) -> Response:
    return JSONResponse(visible_data(data, lines=True))


async def _told(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 422
    detail = error.detail if isinstance(error, HTTPException) else "this cannot be shown"
    if isinstance(error, VeerError):
        detail = visible(str(error))
    return JSONResponse({"error": detail}, status_code=status)


def application(
    store: Store, location: str, checks: Mapping[str, Path], token: str, port: int
) -> Starlette:
    """The application, on an open store."""
    pages = Pages(store, location, checks)

    @asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        yield
        pages.comparisons.stop()

    return Starlette(
        routes=pages.routes(),
        middleware=[Middleware(Guard, token=token, port=port)],
        exception_handlers={
            HTTPException: _told,
            VeerError: _told,
            ValueError: _told,
            OSError: _told,
        },
        lifespan=life,
    )


def new_token() -> str:
    """A secret for one start of the server."""
    return secrets.token_urlsafe(24)
