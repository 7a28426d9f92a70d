"""A repository of sixty jobs with a history made of edits whose kinds are known."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

WORKLOADS = Path(__file__).parents[1] / "workloads" / "project"
DOMAINS = ("retail", "fleet")
FUNCTIONS = {"retail": "build", "fleet": "run"}
IMPORTS = re.compile(
    r"^from (retail|fleet)\.([\w.]+) import|^import (retail|fleet)\.([\w.]+)", re.M
)


@dataclass(frozen=True)
class Edit:
    """An edit of one file: one text for another; `sinks` are what a real change alters directly."""

    id: str
    kind: str
    file: str
    find: str
    replace: str
    sinks: tuple[str, ...]
    note: str = ""

    def applied(self, text: str) -> str | None:
        """The text of the file with the edit; None if its place is not there just once."""
        return text.replace(self.find, self.replace) if text.count(self.find) == 1 else None

    @property
    def reverted(self) -> Edit:
        """The edit the other way round."""
        return Edit(self.id, self.kind, self.file, self.replace, self.find, self.sinks)


@dataclass(frozen=True)
class Commit:
    """A commit of the history, and the edits in it."""

    revision: str
    parent: str
    edits: tuple[Edit, ...]

    @property
    def changed_sinks(self) -> frozenset[str]:
        """What its real changes alter directly."""
        return frozenset(s for e in self.edits if e.kind == "change" for s in e.sinks)


def edits() -> list[Edit]:
    """All edits of both companies."""
    listed = []
    for domain in DOMAINS:
        for line in (WORKLOADS / domain / "edits.jsonl").read_text().splitlines():
            told = json.loads(line)
            listed.append(Edit(**{**told, "sinks": tuple(told["sinks"])}))
    return listed


def make_repository(folder: Path) -> None:
    """The jobs at their first commit."""
    folder.mkdir(parents=True)
    for domain in DOMAINS:
        shutil.copytree(WORKLOADS / domain / domain, folder / domain)
    ddl = "\n".join((WORKLOADS / domain / "schema.ddl").read_text() for domain in DOMAINS)
    (folder / "schema.ddl").write_text(ddl)
    (folder / "veer.toml").write_text('schema = ["schema.ddl"]\n')
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.email", "bench@example.com")
    git(folder, "config", "user.name", "bench")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "all jobs")


def git(folder: Path, *words: str) -> str:
    """What a git command prints."""
    done = subprocess.run(
        ["git", "-C", str(folder), *words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def make_history(folder: Path, commits: int, seed: int) -> Iterator[Commit]:
    """Commits one after the other, each checked out when it is given: one to three edits of a file's
    neighbourhood, edits made before now and then taken back."""
    rng = random.Random(seed)
    waiting = edits()
    rng.shuffle(waiting)
    done: list[Edit] = []
    parent = git(folder, "rev-parse", "HEAD")
    for number in range(commits):
        made: list[Edit] = []
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
            back = done and (not waiting or rng.random() < 0.25)
            edit = done.pop(rng.randrange(len(done))).reverted if back else waiting.pop()
            file = folder / edit.file
            text = edit.applied(file.read_text())
            if text is None or any(e.id == edit.id for e in made):
                continue  # another edit stands in the way, or it was just made
            file.write_text(text)
            made.append(edit)
            if back:
                waiting.insert(0, edit.reverted)
            else:
                done.append(edit)
        if not made:
            continue
        git(folder, "commit", "-q", "-a", "--allow-empty", "-m", f"commit {number}")
        revision = git(folder, "rev-parse", "HEAD")
        yield Commit(revision, parent, tuple(made))
        parent = revision


# -- what a tool that goes by texts knows ----------------------------------------------------------


def job_label(job: str) -> str:
    """What a job is called by the table it writes, or would write."""
    path = job.partition(":")[0]
    return f"{path.partition('/')[0]}_{Path(path).stem}"


def job_files(root: Path) -> dict[str, str]:
    """The files of jobs by what the jobs are called."""
    files = [
        path.relative_to(root).as_posix()
        for domain in DOMAINS
        for folder in ("jobs", "pipelines", "sql")
        for path in sorted((root / domain / folder).glob("*.*"))
        if path.suffix in (".py", ".sql") and path.name != "__init__.py"
    ]
    return {job_label(file): file for file in files}


def feeding(root: Path) -> dict[str, set[str]]:
    """For each job those whose tables its text names."""
    files = job_files(root)
    return {
        label: set(re.findall(r"\w+", (root / file).read_text())) & files.keys() - {label}
        for label, file in files.items()
    }


def jobs_in_order(root: Path) -> list[str]:
    """The jobs as they are run, each after those it reads from."""
    files = job_files(root)
    order = TopologicalSorter(feeding(root)).static_order()
    return [
        f"{files[label]}:{FUNCTIONS[files[label].partition('/')[0]]}"
        if files[label].endswith(".py")
        else files[label]
        for label in order
    ]


def stale_by_text(root: Path, commit: Commit) -> set[str]:
    """Jobs whose file, or a module it imports, differs; and all jobs after them."""
    changed = set(git(root, "diff", "--name-only", commit.parent, commit.revision).splitlines())
    files, reads = job_files(root), feeding(root)
    stale = {label for label, file in files.items() if _all_files(root, file) & changed}
    for label in TopologicalSorter(reads).static_order():
        if reads[label] & stale:
            stale.add(label)
    return stale


def _all_files(root: Path, file: str) -> set[str]:
    """A file and the modules of the project that it imports, directly or not."""
    found: set[str] = set()
    waiting = [file]
    while waiting:
        each = waiting.pop()
        if each not in found and (root / each).is_file():
            found.add(each)
            for domain, module, other, inner in IMPORTS.findall((root / each).read_text()):
                name = f"{domain or other}/{(module or inner).replace('.', '/')}"
                waiting += [f"{name}.py", f"{name}/__init__.py"]
    return found
