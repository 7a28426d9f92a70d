"""What one tree says of pairs: run with its packages on the path, by `benchmarks against --oracle`.

It reads a line of JSON for each pair from standard input (`p` and `q`, files or texts of SQL,
`schema`, and the words of a comparison) and writes a line of JSON for each. The trees may be
arranged otherwise inside: what is not in the API is looked for in the places it has had.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

# Where a function is now, and where it was: modules below `veer`.
NORMALIZED = ("rewrite.normalize:normalized", "normalize.normalize:normalized")
SHOW = ("ir.pprint:show_dataflow", "model.pprint:show_dataflow")
REPORT = ("show.as_json:report_json", "report.as_json:report_json")
# Kinds, not texts: a sentence may be reworded.
SAID = ("p", "q", "verdict", "reason_kind", "assumption_kinds", "caveat_kinds")


def first_of(places: tuple[str, ...]) -> Callable[..., Any]:
    """The function at the first of some places that there is."""
    for place in places:
        module, _, name = place.partition(":")
        try:
            found: Callable[..., Any] = getattr(import_module(f"veer.{module}"), name)
        except ModuleNotFoundError:
            continue
        return found
    raise SystemExit(f"this tree has none of {', '.join(places)}")


def observed(pair: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Verdict, verifiers, assumptions, caveats, and digests of both normal forms."""
    from veer.api import Comparison, load_pair, verify
    from veer.errors import VeerError

    try:
        p, q = load_pair(
            *(_file(pair[side], folder / f"{side}.sql") for side in ("p", "q")),
            schema=pair["schema"],
            conf=pair["conf"],
            jvm="never",
        )
        comparison = Comparison(hints=False, **pair["comparison"])
        report = first_of(REPORT)(verify(p, q, comparison))
    except VeerError as error:
        return {"id": pair["id"], "verdict": "error", "reason": str(error)}
    return {
        "id": pair["id"],
        "verdict": report["verdict"],
        "sinks": [
            {
                **{name: sink[name] for name in SAID},
                "evs": sorted({w["ev"] for w in sink["windows"] if w["used"]}),
            }
            for sink in report["sinks"]
        ],
        "normal forms": [_digest(side.dataflow) for side in (p, q)],
    }


def _file(given: str, file: Path) -> str:
    """The path of a version: a file as it is, or a text written to one."""
    if not given.startswith("file:"):
        file.write_text(given, encoding="utf-8")
        return str(file)
    return given.removeprefix("file:")


def _digest(dataflow: Any) -> str:
    shown = first_of(SHOW)(first_of(NORMALIZED)(dataflow))
    return hashlib.sha256(shown.encode()).hexdigest()[:16]


def main() -> None:
    """Observe the pairs of standard input."""
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            print(json.dumps(observed(json.loads(line), Path(folder))), flush=True)


if __name__ == "__main__":
    main()
