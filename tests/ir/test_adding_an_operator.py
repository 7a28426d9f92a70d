"""docs/adding-an-operator.md lists what the type check asks for when an operator is added."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "veer"
OPS = SOURCE / "ir" / "ops.py"
DOCUMENT = ROOT / "docs" / "adding-an-operator.md"
ROW = re.compile(r"^\| `(?P<file>[\w/]+\.py)` \| `(?P<function>[\w.]+)` \|", re.MULTILINE)
ERROR = re.compile(
    r"^src/veer/(?P<file>[\w/]+\.py):(?P<line>\d+): error: "
    r"(?P<message>Argument 1 to \"assert_never\" .*|.* has abstract attributes .*)$"
)
CONFIG = """
[mypy]
mypy_path = src
warn_unreachable = False
ignore_missing_imports = True
[mypy-sqlglot.*,pyspark.*,pandas.*,numpy.*,pyarrow.*,sqlalchemy.*,z3.*,click.*,rich.*,yaml.*]
follow_imports = skip
"""

TRAITS = """
    traits = OperatorTraits(
        order=RowOrder.UNKNOWN,
        sees_order=True,
        keeps_sets=False,
        extends_input=False,
        keeps_keys=False,
        relies_on_keys=True,
        reduces_rows=False,
        is_costly=False,
    )
"""
CLASS = '''
@final
@dataclass(frozen=True, slots=True)
class {name}(Operator):
    """An operator nobody knows yet."""
{traits}
    def output(self, inputs: Sequence[Schema]) -> Schema:
        return inputs[0]

'''


def with_scratch_operators() -> str:
    """The module of operators with one more in the union, and one without traits beside it."""
    text = OPS.read_text(encoding="utf-8")
    added = CLASS.format(name="Scratch", traits=TRAITS) + CLASS.format(name="Bare", traits="")
    head, union, tail = text.partition("AnyOperator: TypeAlias = (\n")
    assert union
    return f"{head}{union}    Scratch | {tail.lstrip()}".replace(
        "# Closed: a function over operators", f"{added}\n# Closed: a function over operators", 1
    )


def type_errors(text: str, folder: Path) -> list[tuple[str, int, str]]:
    """What mypy says of dispatch over operators, with this module in place of theirs.

    To be quick, it looks at modules that close a dispatch, and not into other packages.
    """
    shadow, config = folder / "ops.py", folder / "mypy.ini"
    shadow.write_text(text, encoding="utf-8")
    config.write_text(CONFIG, encoding="utf-8")
    closing = (p for p in SOURCE.rglob("*.py") if "assert_never(" in p.read_text(encoding="utf-8"))
    command = [sys.executable, "-m", "mypy", "--config-file", str(config)]
    command += ["--cache-dir", str(folder / "cache"), "--shadow-file", str(OPS), str(shadow)]
    command += sorted(str(path.relative_to(ROOT)) for path in {OPS, *closing})
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    matches = filter(None, map(ERROR.match, done.stdout.splitlines()))
    return [(m["file"], int(m["line"]), m["message"]) for m in matches]


def function_at(file: str, line: int) -> str:
    """The function of a module around a line, with the class it is a method of."""
    node: ast.AST = ast.parse((SOURCE / file).read_text(encoding="utf-8"))
    names: list[str] = []
    while True:
        inner = next(
            (
                child
                for child in ast.walk(node)
                if child is not node
                and isinstance(child, ast.FunctionDef | ast.ClassDef)
                and child.lineno <= line <= (child.end_lineno or 0)
            ),
            None,
        )
        if inner is None:
            return ".".join(names)
        names.append(inner.name)
        node = inner


@pytest.mark.slow
def test_the_document_lists_exactly_what_the_type_check_asks_for(tmp_path: Path) -> None:
    errors = type_errors(with_scratch_operators(), tmp_path)
    own = [message for file, _, message in errors if file == "ir/ops.py"]
    assert len(own) == 1 and "Bare has abstract attributes" in own[0]
    others = [error for error in errors if error[0] != "ir/ops.py"]
    assert all("Scratch" in message for _, _, message in others)
    asked = {(file, function_at(file, line)) for file, line, _ in others}
    listed = [(m["file"], m["function"]) for m in ROW.finditer(DOCUMENT.read_text("utf-8"))]
    assert sorted(asked) == sorted(listed)
