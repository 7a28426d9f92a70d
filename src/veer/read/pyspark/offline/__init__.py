"""A session without a server: PySpark's Connect client builds plans, Veer answers for the server.

`session` makes the session and `client` is what it asks; `capture` has the rules of jobs for it.
`loader` starts the process that loads jobs, `process` is what runs there. No port is opened.
"""
