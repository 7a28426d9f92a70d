"""Python functions in dataflows.

`identity` says whether two functions are the same, `purity` whether a function depends on its
arguments alone, `reading` what it computes, as an expression. All three work on live functions:
`source` finds the text of one, `codes` digests its compiled code, `origins` tells the project's
own modules from installed packages.
"""
