"""Answers of verifiers, remembered by what was asked and not by where: in memory and in a file.

The form of a query pair has tables and operators by number and columns by position, so a window
that comes again elsewhere, in another version or under other names, is the same question. The key
holds the code of the verifiers and of the solver: another version asks anew.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import warnings
from collections import OrderedDict
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from veer import reasons
from veer.assumptions import LeafKeyHolds
from veer.errors import InputError
from veer.facts.fingerprint import identity
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.query_pair import QueryPair
from veer.ir.walk import subqueries
from veer.own_code import own_code_digest
from veer.prove.verifiers.base import EV
from veer.verdict import Answer, Verdict
from veer.verification.search.answer_json import answer_json, answer_of

if TYPE_CHECKING:
    import sqlite3

MOST = 20_000  # answers in memory
Json: TypeAlias = Any


class AnswerCache:
    """Answers by key; with a file they outlive the process."""

    def __init__(self, path: str = "") -> None:
        self._in_memory: OrderedDict[str, Answer] = OrderedDict()
        self._file = _open(path) if path else None
        self.remembered = 0

    def ask(self, ev: EV, pair: QueryPair) -> Answer:
        """What the verifier says, or said of a pair of the same form."""
        violation = next(ev.violations(pair), None)
        if violation is not None:
            return Answer(Verdict.UNKNOWN, reasons.Restricted(violation))
        # An answer that rests on declared keys names tables: it counts for those tables only.
        keys = [_key(ev, pair, named=named) for named in (False, True)]
        for key in keys:
            earlier = self._get(key)
            if earlier is not None:
                self.remembered += 1
                return earlier
        answer = ev.verify(pair)
        # One that rests on no declared key, or on those of leaves, counts for any tables alike.
        named = any(not isinstance(a, LeafKeyHolds) for a in answer.assumptions)
        self._put(keys[named], answer)
        return answer

    def _get(self, key: str) -> Answer | None:
        """An earlier answer: from memory, else from the file."""
        answer = self._in_memory.get(key)
        if answer is not None:
            self._in_memory.move_to_end(key)
            return answer
        if self._file is None:
            return None
        row = self._execute("SELECT answer FROM answers WHERE key = ?", (key,))
        answer = None if row is None else _read(row[0])
        if answer is not None:
            self._keep(key, answer)
        return answer

    def _put(self, key: str, answer: Answer) -> None:
        """Keep an answer; a reason that names operators of this pair would be wrong of the next."""
        if answer.verdict is Verdict.UNKNOWN and not _is_about_any_pair(answer.reason):
            answer = Answer(Verdict.UNKNOWN, reasons.Cause.NO_PROOF_FOUND)
        self._keep(key, answer)
        if self._file is not None:
            text = json.dumps(answer_json(answer))
            self._execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, text))

    def _execute(self, statement: str, values: tuple[str, ...]) -> tuple[Any, ...] | None:
        """The first row of a statement; a file that gives trouble is left alone from then on."""
        assert self._file is not None
        try:
            with self._file:
                row: tuple[Any, ...] | None = self._file.execute(statement, values).fetchone()
                return row
        except (self._file.Error, OSError) as error:
            warnings.warn(f"answers are no longer kept: {error}", stacklevel=2)
            self._file = None
            return None

    def _keep(self, key: str, answer: Answer) -> None:
        self._in_memory[key] = answer
        if len(self._in_memory) > MOST:
            self._in_memory.popitem(last=False)


@cache
def answer_cache(path: str = "") -> AnswerCache:
    """The answers of this process, kept in a file if there is a path."""
    return AnswerCache(path)


def _open(path: str) -> sqlite3.Connection:
    """The file of answers, made if it is not there."""
    import sqlite3

    try:
        file = sqlite3.connect(path, timeout=30)
        with file:
            file.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT)")
    except sqlite3.Error as error:
        raise InputError(f"{path}: no file of answers: {error}") from None
    return file


def _is_about_any_pair(reason: reasons.Reason | None) -> bool:
    """Whether a reason says nothing of operators, which have other names in the next pair.

    A message in somebody's own words may name some.
    """
    match reason:
        case reasons.Unsupported(operator=named) | reasons.TooLarge(operator=named):
            return not named
        case _:
            return reason is None or isinstance(reason, reasons.Cause)


def _read(text: object) -> Answer | None:
    """An answer from the file; None where something else stands there."""
    try:
        return answer_of(json.loads(str(text)))
    except ValueError:
        return None


def _key(ev: EV, pair: QueryPair, *, named: bool) -> str:
    """The key of a question: who is asked, by which code, and what."""
    asked = [
        ev.name,
        ev.relaxed,
        _code_of(type(ev)),
        pair.semantics.value,
        pair.columns,
        form(pair, named=named),
    ]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


def form(pair: QueryPair, *, named: bool = False) -> Json:
    """What a query pair says, tables by number; by their names where that might matter."""
    sides = (pair.p, pair.q)
    named = named or any(_names_matter(side) for side in sides)
    tables: dict[ops.Source, Json] = {}
    return [[_form(side, tables, named) for side in sides], list(tables.values())]


def _form(side: Dataflow, tables: dict[ops.Source, Json], named: bool) -> Json:
    """The operators of one side from the sink down, each with the numbers of its inputs."""
    numbers: dict[str, int] = {}
    operators: list[Json] = []
    stack = [(side.inputs[side.sinks[0]][0], False)]
    while stack:
        id_, ready = stack.pop()
        if id_ in numbers:
            continue
        operator, below = side.operators[id_], side.inputs[id_]
        if not ready:
            stack.append((id_, True))
            stack += [(i, False) for i in reversed(below)]
            continue
        if isinstance(operator, ops.Source):
            text: Json = list(tables).index(operator) if operator in tables else len(tables)
            tables.setdefault(operator, _table(operator, named))
        else:
            text = [identity(operator, [side.schemas[i] for i in below]), _inside(operator)]
        numbers[id_] = len(operators)
        nullable = [f.nullable for f in side.schemas[id_]]
        operators.append([text, nullable, [numbers[i] for i in below]])
    return operators


def _inside(operator: ops.AnyOperator) -> Json:
    """What its subqueries declare beyond their text: constraints of tables, what is never null."""
    return [
        [
            _table(inner, True) if isinstance(inner, ops.Source) else _inside(inner),
            [f.nullable for f in query.schemas[id_]],
        ]
        for query in subqueries(operator)
        for id_ in query.order
        for inner in (query.operators[id_],)
    ]


def _table(source: ops.Source, named: bool) -> Json:
    """What a verifier may know of a table: all that its answer can depend on.

    CHECKs and lengths of texts are left out, since no verifier reads them; one that does must add
    them here, or an answer that rests on them would be given for a table without.
    """
    names = [f.name for f in source.fields]
    columns = [[str(f.type), f.nullable] for f in source.fields]
    keys = [
        [sorted(map(names.index, key)) for key in some] for some in (source.keys, source.unique)
    ]
    if not named:
        # What an answer assumes of the keys of a leaf it does not assume of a table.
        return [columns, keys, source.leaf and bool(source.keys)]
    parents = [[f.columns, f.parent, f.parent_columns] for f in source.foreign_keys]
    own = [source.table, source.format, source.location, source.options, source.metadata]
    return [columns, keys, names, parents, own]


def _names_matter(side: Dataflow) -> bool:
    """Whether tables are named elsewhere too: by foreign keys, or inside of subqueries."""
    if any(source.foreign_keys for source in side.sources.values()):
        return True
    return any(next(subqueries(operator), None) is not None for operator in side.operators.values())


@cache
def _code_of(kind: type[EV]) -> str:
    """The version of a verifier: its code, and the solver's."""
    code = hashlib.sha256(own_code_digest().encode())
    module = inspect.getsourcefile(kind)
    if module is not None:
        code.update(Path(module).read_bytes())
    for package in ("z3-solver", kind.__module__.partition(".")[0]):
        try:
            code.update(version(package).encode())
        except PackageNotFoundError:
            continue
    return code.hexdigest()[:16]
