"""How Sphinx makes a site of these pages: `make site`.

The pages stay ordinary Markdown that a git host shows; `index.md` lists them. The README and some files
beside it are part of the site too: a page of this folder includes each of them, and links to the file
become links to that page.
"""

import os
import re
import sys
from importlib import import_module
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT / "src"))

import veer  # noqa: E402

project = "Veer"
version = release = veer.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]

# A link to a heading, `page.md#heading`, leads there as it does on a git host.
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"Veer {version}"
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False

# Docstrings put code between single backticks, to which Sphinx gives no meaning by itself.
default_role = "code"
autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 80

# Files that are shown by a page that includes them.
PAGE_OF = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks.md",
    "docs/search.md": "search-for-proofs.md",  # search.html is Sphinx's page with search results
}
exclude_patterns = ["search.md"]
LINK_TARGET = re.compile(r"(?<=\]\()(?!\w+:)[^)#\s]+")  # of relative links, without #heading
BEFORE_INDENTED = re.compile(r"^(\S.*\n)\n(?=    \S)", re.MULTILINE)

# The modules of `reference.md` that say behind a field, in a comment, what it holds.
COMMENTED = (
    "veer.assumptions",
    "veer.caveats",
    "veer.hints",
    "veer.options",
    "veer.projects.outcomes",
    "veer.reasons",
    "veer.verdict",
    "veer.verification.comparison",
    "veer.verification.versions.version",
)


def with_links_from(page_folder: Path, text: str, written_in: Path) -> str:
    """The text with its relative links, valid in one folder, rewritten for a page in another."""

    def rewritten(link: re.Match[str]) -> str:
        target = os.path.relpath(written_in / link[0], ROOT)
        target = f"docs/{PAGE_OF[target]}" if target in PAGE_OF else target
        return os.path.relpath(ROOT / target, page_folder)

    return LINK_TARGET.sub(rewritten, text)


def relink_page(app: Sphinx, name: str, source: list[str]) -> None:
    """Make links of a page lead to pages, not to the files these include."""
    folder = Path(app.env.doc2path(name)).parent
    source[0] = with_links_from(folder, source[0], written_in=folder)


def relink_included(app: Sphinx, path: Path, page: str, source: list[str]) -> None:
    """Make links of an included file valid on the page that includes it."""
    source[0] = with_links_from(DOCS, source[0], written_in=(DOCS / path).resolve().parent)


def document_fields(module: str) -> None:
    """Give autodoc the comments behind fields as their documentation; it only reads `#:` by itself."""
    code = Path(import_module(module).__file__ or "").read_text(encoding="utf-8")
    analyzer = ModuleAnalyzer.for_string(code.replace("  # ", "  #: "), module)
    ModuleAnalyzer.cache["module", module] = analyzer


def indented_as_code(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Show the indented blocks of a docstring as they are written, as Markdown does."""
    lines[:] = BEFORE_INDENTED.sub(r"\1\n::\n\n", "\n".join(lines)).split("\n")


def setup(app: Sphinx) -> None:
    """Connect the functions above; Sphinx calls this."""
    app.connect("source-read", relink_page)
    app.connect("include-read", relink_included)
    app.connect("autodoc-process-docstring", indented_as_code)
    for module in COMMENTED:
        document_fields(module)
