"""Rules that rewrite a term into one with fewer atoms, in the order they are tried.

A rule gives the term it makes, or None where it does not apply. Rules for bags keep how often every
row comes; inside an EXISTS only whether there is a row at all has to be kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from veer.prove.algebra.context import Context
from veer.prove.algebra.rules.eliminate_domain import eliminate_domain
from veer.prove.algebra.rules.join_existing import join_existing
from veer.prove.algebra.rules.join_unique import join_unique
from veer.prove.algebra.rules.merge_by_key import merge_by_key
from veer.prove.algebra.rules.move_to_exists import move_to_exists
from veer.prove.algebra.terms import Term

Rule: TypeAlias = Callable[[Context, Term], Term | None]

BAG_RULES: tuple[Rule, ...] = (eliminate_domain, merge_by_key, join_unique, move_to_exists)
EXISTS_RULES: tuple[Rule, ...] = (eliminate_domain, merge_by_key, join_existing)
