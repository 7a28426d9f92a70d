"""Functions over operators are closed: a class added to the union cannot slip through one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from veer.ir.ops import OPERATOR_CLASSES

SOURCE = Path(__file__).parents[2] / "src" / "veer"
NAMES = {kind.__name__ for kind in OPERATOR_CLASSES}
# Ends that are right for whatever is added.
OPEN_FOR_A_REASON = {
    ("model/pprint.py", "brief"): "a text that is too long is cut",
    ("analysis/congruence.py", "operators"): "the rest goes to `_others`, which is closed",
    ("analysis/facts.py", "_facts"): "the rest is decided by traits",
    ("analysis/needs.py", "semantics_needed"): "the rest is decided by traits",
    ("normalize/placing/holding.py", "_holds"): "the rest is decided by traits",
    ("normalize/placing/inner_distincts.py", "_sees_a_set"): "others are taken to count rows",
    ("normalize/placing/push.py", "_push"): "a condition passes only what is named",
    ("normalize/placing/push.py", "_is_empty"): "of others nothing is concluded",
    ("normalize/placing/push.py", "_computed_from"): "asked of those with one input that extend it",
    ("normalize/placing/readers.py", "_passed"): "whoever is not named may see the column",
    ("normalize/placing/subqueries.py", "_exprs"): "subqueries of others stay",
    ("normalize/placing/subqueries.py", "write"): "asked of the two that `_exprs` names",
    ("normalize/neighbour_rows.py", "_are_the_same"): "others are taken to choose",
    ("normalize/present_columns.py", "_asked"): "of others nothing is concluded",
    ("normalize/place_results.py", "place_result"): "a rule leaves what it does not name",
    ("normalize/rewrite_readers.py", "rewrite_reader"): "a rule leaves what it does not name",
    ("frontends/gui/declared.py", "_passed_on"): "others have marks of their own",
    ("frontends/orange/tables.py", "_variable"): "others make variables of their own",
}


def modules() -> Iterator[tuple[str, ast.Module, set[str]]]:
    """Every module that knows operators, and the classes it imports."""
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "veer.ir.ops"
            for alias in node.names
        }
        if imported & NAMES:
            yield path.relative_to(SOURCE).as_posix(), tree, imported & NAMES


def matches(tree: ast.Module) -> Iterator[tuple[str, ast.Match]]:
    """Every match statement with the innermost function around it."""
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Match):
            around = [f for f in functions if f.lineno <= node.lineno <= (f.end_lineno or 0)]
            yield max(around, key=lambda f: f.lineno).name, node


def matched(node: ast.AST) -> set[str]:
    """The classes of a pattern."""
    patterns = (n.cls for n in ast.walk(node) if isinstance(n, ast.MatchClass))
    return {cls.id for cls in patterns if isinstance(cls, ast.Name)}


def is_closed(match: ast.Match) -> bool:
    calls = (n for n in ast.walk(match.cases[-1]) if isinstance(n, ast.Call))
    return any(isinstance(c.func, ast.Name) and c.func.id == "assert_never" for c in calls)


def test_every_match_on_operators_is_closed() -> None:
    dispatching = {
        (file, function): match
        for file, tree, known in modules()
        for function, match in matches(tree)
        if sum(bool(matched(case.pattern) & known) for case in match.cases) >= 2
    }
    assert len(dispatching) > 15
    left_open = {place for place, match in dispatching.items() if not is_closed(match)}
    assert left_open == OPEN_FOR_A_REASON.keys()


def test_no_module_lists_operator_classes_of_its_own() -> None:
    """But restrictions of verifiers: what they do not name they do not accept."""
    lists = [
        (file, node.lineno)
        for file, tree, known in modules()
        if not file.startswith("evs/")
        for statement in tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for node in ast.walk(statement)
        if isinstance(node, ast.Tuple | ast.Set | ast.List)
        if len({e.id for e in node.elts if isinstance(e, ast.Name)} & known) > 1
    ]
    assert lists == []
