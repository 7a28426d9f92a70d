"""`make site`: the pages and the API reference are there, load nothing from elsewhere, and no link is broken."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPHINX = ROOT / ".venv-site" / "bin" / "python"
INCLUDED = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "benchmarks/README.md")
pytestmark = pytest.mark.slow


class Page(HTMLParser):
    """The text of a page, where its links lead, and what a browser loads to show it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.links.append(values.get("href", ""))
        elif tag == "link":
            self.loaded.append(values.get("href", ""))
        self.loaded += [
            values[name] for name in ("src", "srcset", "data", "poster") if name in values
        ]

    def handle_data(self, data: str) -> None:
        self.text += data


def make_site(root: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """`make site` of a repository, into a folder."""
    assert SPHINX.exists(), "make .venv-site/.ready"
    # As from a terminal, though the tests were started by make themselves.
    own = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "site", f"SITE={folder}"]
    return subprocess.run(command, cwd=root, env=own, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site that `make site` built."""
    folder = tmp_path_factory.mktemp("built") / "site"
    done = make_site(ROOT, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == f"{folder}/index.html"
    return folder


def test_every_page_is_in_the_site(site: Path) -> None:
    written = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    built = {path.relative_to(site).with_suffix(".md") for path in site.rglob("*.html")}
    assert {Path("index.md"), Path("tour.md"), Path("api.md"), Path("reference.md")} <= written
    assert written <= built


def test_links_between_pages_and_files_lead_to_pages(site: Path) -> None:
    links = {link.partition("#")[0] for link in Page(site / "index.html").links}
    assert {"tour.html", "contributing.html", "changelog.html", "benchmarks.html"} <= links
    assert "search-for-proofs.html" in Page(site / "tour.html").links
    assert "contributing.html" in Page(site / "architecture.html").links
    for path in site.rglob("*.html"):
        for link in Page(path).links:
            target = link.partition("#")[0]
            if not target.startswith("https://"):
                assert (path.parent / target).exists(), f"{path.name}: {link}"


def test_the_search_page_of_the_site_is_not_the_one_about_proofs(site: Path) -> None:
    assert "How Veer looks for a proof" in Page(site / "search-for-proofs.html").text
    assert "searchtools.js" in (site / "search.html").read_text(encoding="utf-8")


def test_the_api_reference_has_signatures_and_docstrings(site: Path) -> None:
    text = " ".join(Page(site / "reference.html").text.split())
    assert "veer.verify( p: Version | str | Any, q: Version | str | Any, comparison:" in text
    assert "Whether both versions produce the same results, sink by sink." in text
    assert "class veer.verdict.SinkReport(" in text
    assert "without: tuple[Optimization, ...] = ()¶ optimizations switched off" in text


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        loaded = Page(path).loaded
        assert any("furo.css" in place for place in loaded)
        assert not [place for place in loaded if "//" in place], path.name
    for path in site.rglob("*.css"):
        style = path.read_text(encoding="utf-8")
        assert not re.findall(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", style), path.name


def test_a_broken_link_fails(tmp_path: Path) -> None:
    """Of a page, and of a file that a page includes."""
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    (tmp_path / "benchmarks").mkdir()
    for name in INCLUDED:
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("Makefile", "requirements-site.lock", ".venv-site", "src"):
        (tmp_path / name).symlink_to(ROOT / name)
    replace(tmp_path / "docs" / "architecture.md", "](tour.md)", "](tours.md)")
    replace(tmp_path / "CONTRIBUTING.md", "](docs/glossary.md)", "](docs/glossaries.md)")
    done = make_site(tmp_path, tmp_path / "site")
    assert done.returncode != 0
    warnings = [line for line in done.stderr.splitlines() if "WARNING" in line]
    assert len(warnings) == 2, done.stderr
    assert all(any(name in w for w in warnings) for name in ("tours.md", "glossaries.md"))


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
