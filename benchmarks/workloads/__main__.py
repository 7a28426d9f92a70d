"""`python -m benchmarks.workloads`: write the workflow files anew."""

from __future__ import annotations

from benchmarks.workloads import HERE
from benchmarks.workloads.definitions import files


def main() -> None:
    """Write every file."""
    for path, text in files().items():
        target = HERE / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")
    print(f"{len(files())} files")


if __name__ == "__main__":
    main()
