"""What the interactive view shows of a comparison, as JSON data (`docs/view-format.md`).

`compared` is what a verification leaves for it, `graph` both versions as one graph, `details` what is
told of one operator, `steps` the proof, `trace` the rows of a witness on their way to the sinks.
"""

from veer.verification.view.compared import Compared

__all__ = ["Compared"]
