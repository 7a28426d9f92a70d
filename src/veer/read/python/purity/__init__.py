"""Whether a Python function is a function of its arguments: an abstract interpreter.

`analysis` interprets a function over `traits`, what matters of a value, and keeps what it has
`learned`; `calls` follows calls and attributes. `allow_list` has the names of Python and its
libraries that are known to be pure, `results` what those give. `shared_state` finds what other code
of the project changes, by a `module_scan`. Whatever is not known to be pure is not.
"""

from veer.read.python.purity.analysis import kind_and_packages, kind_of
from veer.read.python.purity.arguments import Arguments, argument
from veer.read.python.purity.traits import DATA, NUMBER, TABLES

__all__ = ["DATA", "NUMBER", "TABLES", "Arguments", "argument", "kind_and_packages", "kind_of"]
