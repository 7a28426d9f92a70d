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
    ("ir/pprint.py", "brief"): "a text that is too long is cut",
    ("facts/congruence.py", "operators"): "the rest goes to `_others`, which is closed",
    ("facts/facts.py", "_facts"): "the rest is decided by traits",
    ("facts/needs.py", "semantics_needed"): "the rest is decided by traits",
    ("facts/facts.py", "rows_kept"): "of others nothing is known",
    ("facts/origins.py", "_origins"): "the rest goes to `column_sources`, which is closed",
    ("refute/fitting.py", "_read"): "the rest goes to `column_sources`, which is closed",
    ("rewrite/dataflows/count_collected.py", "_passed"): "who is not named may see the column",
    ("rewrite/dataflows/known_predicates.py", "_holds"): "the rest is decided by traits",
    (
        "rewrite/dataflows/push_predicates.py",
        "_computed_from",
    ): "asked of those that extend an input",
    ("rewrite/dataflows/push_predicates.py", "_is_empty"): "of others nothing is concluded",
    ("rewrite/dataflows/push_predicates.py", "_push"): "a condition passes only what is named",
    (
        "rewrite/dataflows/remove_inner_distincts.py",
        "_sees_a_set",
    ): "others are taken to count rows",
    ("rewrite/dataflows/subqueries_to_joins.py", "_exprs"): "subqueries of others stay",
    ("rewrite/dataflows/subqueries_to_joins.py", "write"): "asked of the two that `_exprs` names",
    (
        "rewrite/operators/inline_into_readers.py",
        "inline_into_reader",
    ): "others are left as they are",
    ("rewrite/operators/project_results.py", "project_result"): "others are left as they are",
    ("rewrite/operators/self_join_to_lag.py", "_are_the_same"): "others are taken to choose",
    ("read/pyspark/connect/schema_nulls.py", "_output"): "of others nothing is known",
    ("gui/declared.py", "_passed_on"): "others have marks of their own",
    ("gui/orange/tables.py", "_variable"): "others make variables of their own",
}


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Every module that knows operators: those of `ops`, or of names imported from there."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "ops" in text:
            yield path.relative_to(SOURCE).as_posix(), ast.parse(text)


def matches(tree: ast.Module) -> Iterator[tuple[str, ast.Match]]:
    """Every match statement with the innermost function around it."""
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Match):
            around = [f for f in functions if f.lineno <= node.lineno <= (f.end_lineno or 0)]
            yield max(around, key=lambda f: f.lineno).name, node


def named(node: ast.AST) -> str:
    """The operator that an expression names: `ops.Filter`, `Filter`; else nothing."""
    match node:
        case ast.Attribute(value=ast.Name(id="ops"), attr=name) | ast.Name(id=name):
            return name if name in NAMES else ""
        case _:
            return ""


def matched(node: ast.AST) -> set[str]:
    """The operators of a pattern."""
    patterns = (n.cls for n in ast.walk(node) if isinstance(n, ast.MatchClass))
    return {name for cls in patterns if (name := named(cls))}


def is_closed(match: ast.Match) -> bool:
    calls = (n for n in ast.walk(match.cases[-1]) if isinstance(n, ast.Call))
    return any(isinstance(c.func, ast.Name) and c.func.id == "assert_never" for c in calls)


def test_every_match_on_operators_is_closed() -> None:
    dispatching = {
        (file, function): match
        for file, tree in modules()
        for function, match in matches(tree)
        if sum(bool(matched(case.pattern)) for case in match.cases) >= 2
    }
    assert len(dispatching) > 15
    left_open = {place for place, match in dispatching.items() if not is_closed(match)}
    assert left_open == OPEN_FOR_A_REASON.keys()


def test_no_module_lists_operator_classes_of_its_own() -> None:
    """But restrictions of verifiers: what they do not name they do not accept."""
    lists = [
        (file, node.lineno)
        for file, tree in modules()
        if not file.startswith("prove/verifiers/")
        for statement in tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for node in ast.walk(statement)
        if isinstance(node, ast.Tuple | ast.Set | ast.List)
        if len({named(e) for e in node.elts} - {""}) > 1
    ]
    assert lists == []
