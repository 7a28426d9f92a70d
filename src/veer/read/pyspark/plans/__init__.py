"""Catalyst's logical plans as dataflows, without running them.

`tree` gives nodes, `operators` reads plans (with `grouping`, `generators`, `joins`, and
`opaque_tables` for what is known by identity alone), `expressions` what is in their nodes, `types`
types and constants, `sources` where rows come from, `kinds` which expression classes are pure.
"""
