"""Random Python functions of a row (x: bigint, y: int, s: string, d: double, b: boolean)."""

from __future__ import annotations

import random

NUMBERS = ("x", "y", "0", "1", "-3", "7", "len(s or '')", "abs(y or 0)", "int(b or False)")
TEXTS = ("s", "'a'", "''", "'B c'", "str(y)", "(s or '').upper()", "f'{y}-{s}'", "(s or 'zz')[1:]")
FLOATS = ("d", "0.5", "-0.0", "2.0", "float(y or 1)")
COLLECTIONS = (
    "(1, 2, None)",
    "[0, 7, 1.5]",
    "{'a', ''}",
    "('a', None, 3)",
    "'abc'",
    "{1: 'u', 'a': 2}",
)

CLAUSES = (
    "ValueError",
    "(TypeError, KeyError)",
    "IndexError as e",
    "Exception",
    "LookupError",
    "ZeroDivisionError",
)
PATTERNS = ("'a'", "1 | 'B c'", "None", "True", "0.5", "str()", "int() if x", "-3")
USES_OF_PARTS = ("'|'.join(parts)", "len(parts)", "parts[0]", "bool(parts)", "'a' in parts")


class Functions:
    """Makes functions, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def make(self) -> str:
        """The text of a function; the kind of what it returns varies from path to path."""
        helper = f"def helper(x, s=None, *, b=True):\n{self._body(1, 1, calls=False)}"
        return f"LIMIT = {self.rng.choice((0, 2, 5))}\n\n{helper}\n\ndef f(x, y, s, d, b):\n{self._body(1, 3)}"

    def _body(self, depth: int, statements: int, *, calls: bool = True) -> str:
        pad = "    " * depth
        lines = []
        for _ in range(self.rng.randrange(statements + 1)):
            match self.rng.randrange(10):
                case 0 if depth < 4:
                    lines.append(f"{pad}if {self._condition(2)}:")
                    lines.append(self._body(depth + 1, 1, calls=calls))
                    if self.rng.random() < 0.6:
                        lines.append(f"{pad}else:\n{self._body(depth + 1, 1, calls=calls)}")
                case 1:
                    lines.append(f"{pad}t = {self._value(2)}")
                case 2 if depth < 3:
                    lines.append(f"{pad}for t in ({self.rng.choice(('1, 2', '0,', 'None, 3'))}):")
                    lines.append(f"{pad}    if {self._condition(1)}:\n{pad}        break")
                case 3 if calls:
                    lines.append(f"{pad}t = helper({self._number(1)}, b={self._condition(1)})")
                case 4 if depth < 4:
                    lines.append(f"{pad}try:\n{pad}    t = {self._failing()}")
                    if self.rng.random() < 0.3:
                        lines.append(self._body(depth + 1, 1, calls=calls))
                    for clause in self.rng.sample(CLAUSES, self.rng.randrange(1, 3)):
                        lines.append(f"{pad}except {clause}:\n{pad}    x = {self._number(1)}")
                        if self.rng.random() < 0.3:
                            lines.append(f"{pad}    {self.rng.choice(('raise', 'return t'))}")
                    if self.rng.random() < 0.3:
                        lines.append(f"{pad}else:\n{pad}    t = {self._value(1)}")
                case 5 if depth < 4:
                    lines.append(f"{pad}match {self._value(1)}:")
                    for pattern in (*self.rng.sample(PATTERNS, 2), "_")[: self.rng.randrange(2, 4)]:
                        lines.append(f"{pad}    case {pattern}:")
                        lines.append(self._body(depth + 2, 0, calls=calls))
                case 6:
                    lines.append(f"{pad}t = {self._gathered()}")
                case 7:
                    items = f"{self._text(0)}, {self._text(1)}"
                    lines.append(f"{pad}parts = []\n{pad}for p in ({items}, {self._number(0)}):")
                    lines.append(f"{pad}    if p{self.rng.choice(('', ' is not None'))}:")
                    lines.append(f"{pad}        parts.append({self.rng.choice(('str(p)', 'p'))})")
                    lines.append(f"{pad}t = {self.rng.choice(USES_OF_PARTS)}")
                case 8:
                    lines.append(f"{pad}def inner(p, q={self.rng.choice(('1', 'None'))}):")
                    lines.append(f"{pad}    return {self._value(1)}")
                    lines.append(f"{pad}t = inner({self._value(0)})")
                case _:
                    lines.append(f"{pad}x = {self._number(2)}")
        lines.append(f"{pad}return {self._value(2)}")
        return "\n".join(lines)

    def _failing(self) -> str:
        """Something that fails on some rows, each in its way."""
        one = self._text(0)
        return self.rng.choice(
            (
                f"int({one})",
                f"float({one})",
                f"{self._number(0)} // {self._number(0)}",
                f"{one}[{self.rng.choice(('0', '1', '-2'))}]",
                f"{{'a': 1, 'B c': 'u'}}[{one}]",
                f"{one}.split(' ')[1]",
                f"{one}.index('a')",
                "round(d)",
                "helper(x, s)",
            )
        )

    def _gathered(self) -> str:
        """Something made of the items of a comprehension, or of a format."""
        test = self.rng.choice(("", " if p", " if p is not None", f" if {self._condition(1)}"))
        items = f"({self._text(0)}, {self._text(0)}, {self.rng.choice(('s', 'None', '5'))})"
        return self.rng.choice(
            (
                f"'-'.join(str(p) for p in {items}{test})",
                f"','.join([p for p in {items}{test}])",
                f"sum(len(p) for p in {items}{test})",
                f"len([p for p in {items}{test}])",
                f"any([p for p in {items}{test}])",
                f"all(p for p in {items}{test})",
                f"max(len(str(p)) for p in {items}{test})",
                f"''.join(c for c in {self._text(0)} if not c.isspace())",
                f"'-'.join([w.strip() for w in ({self._text(0)} or '').split(' ') if w])",
                f"len([c.upper() for c in {self._text(0)} if c in 'aB'])",
                f"'{{}}/{{:>3}}'.format({self._value(0)}, {self._text(0)})",
                f"'{{0}}{{n}}{{0}}'.format({self._number(0)}, n={self._text(0)})",
                f"'%s-%s%%' % ({self._value(0)}, {self._text(0)})",
                f"'%03d' % {self._number(0)}",
            )
        )

    def _value(self, depth: int) -> str:
        made = (self._number, self._text, self._float, self._condition)
        if depth and self.rng.random() < 0.25:
            return f"({self._value(depth - 1)} if {self._condition(depth - 1)} else {self._value(depth - 1)})"
        if depth and self.rng.random() < 0.15:
            return f"({self._value(depth - 1)} {self.rng.choice(('and', 'or'))} {self._value(depth - 1)})"
        return self.rng.choice(
            ("None", "t") if self.rng.random() < 0.1 else (self.rng.choice(made)(depth),)
        )

    def _number(self, depth: int) -> str:
        if not depth:
            return self.rng.choice((*NUMBERS, "LIMIT"))
        op = self.rng.choice(("+", "-", "*", "//", "%"))
        made = f"({self._number(depth - 1)} {op} {self._number(depth - 1)})"
        return self.rng.choice(
            (made, self._number(0), f"min({self._number(0)}, {self._number(0)})")
        )

    def _text(self, depth: int) -> str:
        if not depth:
            return self.rng.choice(TEXTS)
        method = self.rng.choice(
            ("strip()", "lower()", "replace('a', 'bb')", "title()", "zfill(3)")
        )
        return self.rng.choice(
            (
                f"({self._text(depth - 1)} + {self._text(0)})",
                f"({self._text(0)} or '').{method}",
                self._text(0),
            )
        )

    def _float(self, depth: int) -> str:
        if not depth:
            return self.rng.choice(FLOATS)
        op = self.rng.choice(("+", "-", "*", "/"))
        return self.rng.choice(
            (f"({self._float(0)} {op} {self._float(0)})", "(y / 4)", self._float(0))
        )

    def _condition(self, depth: int) -> str:
        sides = self.rng.choice((self._number, self._text, self._float, self._value))
        if depth and self.rng.random() < 0.4:
            word = self.rng.choice(("and", "or"))
            return f"({self._condition(depth - 1)} {word} {self._condition(depth - 1)})"
        kind = self.rng.randrange(7)
        one, two = sides(0), sides(0)
        return (
            f"({one} {self.rng.choice(('==', '!='))} {two})",
            f"({one} {self.rng.choice(('<', '<=', '>', '>='))} {two})",
            f"({self.rng.choice('xysdb')} is {self.rng.choice(('None', 'not None'))})",
            f"({one} {self.rng.choice(('in', 'not in'))} {self.rng.choice(COLLECTIONS)})",
            f"(not {one})",
            f"({one} < {two} <= {sides(0)})",
            "b",
        )[kind]
