"""Bodies of Python functions as expressions: `reader` follows them in continuation-passing style.

`values` are what Python values are while a function is read, `branches` the paths through it.
`statements`, `parameters`, `arithmetic`, `comparisons`, `subscripts`, `calls`, `builtin_functions`,
`texts` and `f_strings` hold what is understood of Python, `constants` what is computed while
reading, `returned` what Spark makes of the result.
"""

from veer.read.python.reading.reader import read_function, read_source, source_digest
from veer.read.python.reading.values import NotRead

__all__ = ["NotRead", "read_function", "read_source", "source_digest"]
