"""Pages with the built view (`ui/`): everything in one file, or parts that a server gives.

`built/` is made by `make ui` and checked in, so that nobody needs node to use Veer. What a page holds is
packed as text that no browser takes for markup, and its policy allows exactly the scripts and styles
it has, by their hashes: no network, no eval, no markup out of names or values.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

# Unpacks what the page holds, then runs it. Without scripts, or in a browser that cannot unpack,
# the static report stays.
LOADER = """(async () => {
  const packed = (id) => document.getElementById(id).textContent;
  const unpacked = async (id) => {
    const bytes = Uint8Array.from(atob(packed(id)), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  };
  const bounded = document.body.dataset.bounded === "true";
  window.veer = { data: JSON.parse(await unpacked("veer-data")), elk: () => unpacked("veer-elk"), bounded };
  const script = document.createElement("script");
  script.textContent = await unpacked("veer-view");
  document.body.append(script);
})();"""


def built(name: str) -> str:
    """A part of the built view."""
    return (files(__name__) / "built" / name).read_text(encoding="utf-8")


def one_file(title: str, data: Any, static: str, *, bounded: bool = False) -> str:
    """A page that holds a comparison, the view of it, and a static report for where no script runs.

    `static` is HTML without scripts and style attributes.
    """
    style = built("view.css")
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(map(_hashed, (LOADER, built('view.js'), built('elk.js'))))}",
            f"style-src {_hashed(style)}",
            "worker-src blob:",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    packed = {"veer-data": _packed(_json(data)), "veer-view": _packed_part("view.js")}
    packed["veer-elk"] = _packed_part("elk.js")
    parts = (
        f'<script type="text/plain" id="{name}">{text}</script>' for name, text in packed.items()
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{escape(title)}</title><style>{style}</style></head>"
        f'<body data-bounded="{"true" if bounded else "false"}"><div id="veer"></div>'
        f'<div id="veer-static">{static}</div>{"".join(parts)}<script>{LOADER}</script></body></html>\n'
    )


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=True, separators=(",", ":"), default=str)


def _packed(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


@cache
def _packed_part(name: str) -> str:
    return _packed(built(name))


@cache
def _hashed(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
