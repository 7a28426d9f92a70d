"""Conditions placed as far down as they go: the second half of the normal form.

`subqueries` makes joins of subqueries in conditions, `conditions` tells what follows from conditions
that are true, `push` puts every condition, and what follows, where it first can be checked.
"""
