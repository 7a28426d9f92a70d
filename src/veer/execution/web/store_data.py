"""The data of a store that the pages show, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from veer.execution.store import Store, StoredResult, StoredVersion
from veer.execution.targets import safe_name
from veer.ir.pprint import show_dataflow

PLOTS = "plots"
PICTURES = (".png", ".html")


def store_json(store: Store) -> dict[str, Any]:
    """All versions with their sinks, what every run did, and how much is stored."""
    sizes = _sizes(store)
    versions = [v for name in store.names() for v in store.versions(name)]
    return {
        "location": store.location,
        "versions": [version_json(store, v, sizes) for v in versions],
        "runs": [asdict(run) for run in store.runs.all()],
        "results": {"count": len(sizes), "bytes": sum(r.bytes for r in sizes.values())},
    }


def version_json(
    store: Store, version: StoredVersion, sizes: Mapping[str, StoredResult]
) -> dict[str, Any]:
    """A version: when it ran, its edits, what became of its sinks."""
    return {
        "name": version.name,
        "number": version.number,
        "spec": version.spec,
        "started": version.started,
        "seconds": version.seconds,
        "operators": len(version.dataflow.operators),
        "edits": [dict(edit) for edit in version.edits],
        "sinks": [
            {
                "sink": sink.sink,
                "how": sink.how,
                "rows": sink.rows,
                "why": sink.note,
                "result": sink.result,
                "bytes": sizes[sink.result].bytes if sink.result in sizes else None,
                "seconds": sizes[sink.result].seconds if sink.result in sizes else None,
            }
            for sink in version.sinks
        ],
        "plots": plots(store, version),
    }


def version_details(store: Store, version: StoredVersion) -> dict[str, Any]:
    """More of one version: its operators as text, and what it read."""
    return {
        **version_json(store, version, _sizes(store)),
        "dataflow": show_dataflow(version.dataflow),
        "sources": [
            {"table": str(json.loads(source)[0]), "fingerprint": str(fingerprint)}
            for source, fingerprint in sorted(version.sources.items())
        ],
        "environment": {
            name: str(version.environment[name])
            for name in ("veer", "spark", "java", "python", "timezone")
            if name in version.environment
        },
    }


def _sizes(store: Store) -> dict[str, StoredResult]:
    return {result.id: result for result in store.live_results()}


# -- plots -------------------------------------------------------------------------------------


def plots_folder(store: Store) -> Path | None:
    """Where plots are, of a store that is a folder."""
    return Path(store.location) / PLOTS if store.is_folder else None


def plots(store: Store, version: StoredVersion) -> list[str]:
    """The pictures of a version, as paths below the folder of plots."""
    folder = plots_folder(store)
    ours = folder and folder / safe_name(version.label)
    if folder is None or ours is None or not ours.is_dir():
        return []
    files = sorted(f for f in ours.iterdir() if f.suffix in PICTURES and f.is_file())
    return [f.relative_to(folder).as_posix() for f in files]


def plot_file(store: Store, path: str) -> Path | None:
    """A picture by its path, if it is one below the folder of plots."""
    folder = plots_folder(store)
    if folder is None:
        return None
    root, file = folder.resolve(), (folder / path).resolve()
    inside = file.is_relative_to(root) and file.suffix in PICTURES and file.is_file()
    return file if inside else None
