"""Questions as SMT-LIB 2 that any solver reads: the very assertions z3 was given.

Names are kept where they are plain ASCII, else spelled out; each symbol has one name, and none is
that of an operation. What occurs more than once is defined once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from typing import Any, assert_never

import z3

from veer.ir.pprint import show_expr
from veer.prove.solver import formula as solver_formula
from veer.prove.solver.encode import Encoder
from veer.prove.solver.questions import Question
from veer.prove.solver.solve import assertions

LONGEST = 2_000  # characters of a comment
LARGEST = 10_000  # parts of a term that is said in words; repeated ones count again
SHORT = 60  # characters of a term that is repeated rather than defined
HEAD = """\
; Does the goal follow from what is given, for all values of the columns?
; What is given is asserted, and that the goal does not hold: "unsat" means that it follows.
(set-info :smt-lib-version 2.6)
(set-logic ALL)
(set-info :status unsat)
"""
OPERATIONS = {
    z3.Z3_OP_TRUE: "true",
    z3.Z3_OP_FALSE: "false",
    z3.Z3_OP_EQ: "=",
    z3.Z3_OP_DISTINCT: "distinct",
    z3.Z3_OP_ITE: "ite",
    z3.Z3_OP_AND: "and",
    z3.Z3_OP_OR: "or",
    z3.Z3_OP_NOT: "not",
    z3.Z3_OP_IMPLIES: "=>",
    z3.Z3_OP_LE: "<=",
    z3.Z3_OP_LT: "<",
    z3.Z3_OP_GE: ">=",
    z3.Z3_OP_GT: ">",
    z3.Z3_OP_ADD: "+",
    z3.Z3_OP_SUB: "-",
    z3.Z3_OP_UMINUS: "-",
    z3.Z3_OP_MUL: "*",
    z3.Z3_OP_DIV: "/",
    z3.Z3_OP_IDIV: "div",
    z3.Z3_OP_MOD: "mod",
    z3.Z3_OP_TO_REAL: "to_real",
    z3.Z3_OP_TO_INT: "to_int",
    z3.Z3_OP_IS_INT: "is_int",
}


def as_smtlib(question: Question) -> str:
    """A question as SMT-LIB 2, with what it says in words; unsatisfiable if the goal follows."""
    encoder = Encoder(z3.Context())
    asserted = assertions(encoder, question.goal, question.given)
    worded = [*(("given", g) for g in question.given), ("goal", question.goal)]
    printer = _Printer(asserted)
    lines = []
    for place, term in enumerate(asserted):
        if place < len(worded):
            what, formula = worded[place]
            words = (
                show_formula(formula) if printer.size(term) <= LARGEST else "too large for words"
            )
            lines += ["", _comment(f"{what}: {words}")]
        elif place == len(worded):
            lines += ["", "; literals: their values, their order"]
        lines += printer.definitions(term)
        lines.append(f"(assert {printer.text(term)})")
    return "\n".join([HEAD, *printer.declared, *lines, "", "(check-sat)", ""])


def show_formula(formula: solver_formula.Formula) -> str:
    """A formula in words."""
    match formula:
        case solver_formula.Holds(condition):
            return show_expr(condition)
        case solver_formula.Same(left, right):
            return f"{show_expr(left)} is the same as {show_expr(right)}"
        case solver_formula.All(parts):
            return _joined(" and ", parts) or "true"
        case solver_formula.Some(parts):
            return _joined(" or ", parts) or "false"
        case solver_formula.No(part):
            return f"not ({show_formula(part)})"
        case solver_formula.SameCount(left, right):
            return f"as many hold of [{_joined('; ', left)}] as of [{_joined('; ', right)}]"
        case _:
            assert_never(formula)


def _joined(word: str, parts: Sequence[solver_formula.Formula]) -> str:
    return word.join(f"({show_formula(p)})" for p in parts)


def _comment(text: str) -> str:
    """A comment of one line, in ASCII."""
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."
    return "; " + shown.replace("\n", "\\n").encode("ascii", "backslashreplace").decode()


class _Printer:
    """Terms of one context as text; `declared` are the sorts and symbols met."""

    def __init__(self, terms: Sequence[Any]) -> None:
        self.declared: list[str] = []
        self._symbols: dict[int, str] = {}
        self._sorts: dict[int, str] = {}
        self._taken: set[str] = set()
        self._texts: dict[int, str] = {}
        self._sizes: dict[int, int] = {}
        uses = Counter[int]()
        for term in _walked(terms, self._texts):
            below = [child.get_id() for child in term.children()]
            self._sizes[term.get_id()] = 1 + sum(self._sizes[id_] for id_ in below)
            uses.update(below)
        self._shared = {id_ for id_, count in uses.items() if count > 1}

    def size(self, term: Any) -> int:
        """How many parts a term has."""
        return self._sizes[term.get_id()]

    def definitions(self, term: Any) -> Iterator[str]:
        """What must be defined before a term: its parts that occur elsewhere too."""
        for part in _walked([term], self._texts):
            text = self._spelled(part)
            if part.get_id() in self._shared and len(text) > SHORT:
                name = self._name(f"part {len(self._texts)}")
                yield f"(define-fun {name} () {self._sort(part.sort())} {text})"
                text = name
            self._texts[part.get_id()] = text

    def text(self, term: Any) -> str:
        """A term whose parts are defined."""
        return self._texts[term.get_id()]

    def _spelled(self, term: Any) -> str:
        if z3.is_int_value(term):
            return _signed(term.as_long(), "")
        if z3.is_rational_value(term):
            above, below = term.numerator_as_long(), term.denominator_as_long()
            return _signed(above, ".0") if below == 1 else f"(/ {_signed(above, '.0')} {below}.0)"
        head = self._head(term.decl())
        if not term.num_args():
            return head
        return f"({head} {' '.join(self._texts[c.get_id()] for c in term.children())})"

    def _head(self, declaration: Any) -> str:
        if declaration.kind() != z3.Z3_OP_UNINTERPRETED:
            return OPERATIONS[declaration.kind()]
        id_ = declaration.get_id()
        if id_ not in self._symbols:
            arity = declaration.arity()
            sorts = " ".join(self._sort(declaration.domain(i)) for i in range(arity))
            name = self._name(declaration.name())
            result = self._sort(declaration.range())
            self.declared.append(f"(declare-fun {name} ({sorts}) {result})")
            self._symbols[id_] = name
        return self._symbols[id_]

    def _sort(self, sort: Any) -> str:
        if sort.kind() != z3.Z3_UNINTERPRETED_SORT:
            return str(sort.name())
        if sort.get_id() not in self._sorts:
            name = self._name(sort.name())
            self.declared.append(f"(declare-sort {name} 0)")
            self._sorts[sort.get_id()] = name
        return self._sorts[sort.get_id()]

    def _name(self, given: str) -> str:
        """A quoted name nothing else has; with a space in it, so it is no operation's."""
        plain = "".join(
            c if " " <= c <= "~" and c not in "|\\" else f"{{{ord(c):x}}}" for c in given
        )
        name = plain = plain if " " in plain else f"{plain} value"
        number = 1
        while name in self._taken:
            number += 1
            name = f"{plain} {number}"
        self._taken.add(name)
        return f"|{name}|"


def _signed(number: int, suffix: str) -> str:
    return f"{number}{suffix}" if number >= 0 else f"(- {-number}{suffix})"


def _walked(terms: Sequence[Any], done: Container[int]) -> Iterator[Any]:
    """Every part of the terms that is not done, once, after its own parts."""
    seen: set[int] = set()
    stack = [(term, False) for term in reversed(terms)]
    while stack:
        term, ready = stack.pop()
        if term.get_id() in seen or term.get_id() in done:
            continue
        if ready:
            seen.add(term.get_id())
            yield term
        else:
            stack.append((term, True))
            stack += [(child, False) for child in reversed(term.children())]
