"""Processes that are killed at every step of writing a target, and several that write one.

Run in a process of its own, which has no threads: it forks one process per step.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from pathlib import Path

from veer.execution import targets
from veer.execution.targets import Rules, Target

FILES = 3


def fill(folder: Path, word: str) -> None:
    folder.mkdir()
    for n in range(FILES):
        (folder / f"part-{n}").write_text(f"{word} {n}")
    (folder / "_SUCCESS").write_text("")


def content(folder: Path) -> str:
    """The word all files of a folder say; empty if it is not whole."""
    try:
        texts = {(folder / f"part-{n}").read_text().split()[0] for n in range(FILES)}
    except OSError:
        return ""
    return texts.pop() if len(texts) == 1 else ""


def write(path: Path, word: str, *, overwrite: bool) -> None:
    target = Target(path, path.name, is_asked=True)
    targets.write(target, Rules(overwrite=overwrite), lambda new: fill(new, word))


def killed_at(step: int, path: Path, *, overwrite: bool) -> bool:
    """Whether a process that replaces the old by the new was killed at a step; else it was done."""
    child = os.fork()
    if child:
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])
    steps = 0

    def hook(event: str, _: object) -> None:
        nonlocal steps
        if event.startswith(("os.", "shutil.", "ctypes.", "fcntl.")) or event == "open":
            steps += 1
            if steps == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    try:
        write(path, "new", overwrite=overwrite)
    finally:
        os._exit(0)


def main(folder: Path) -> None:
    for atomic in (True, False):
        if not atomic:
            targets._exchange = lambda *_: False
        for ours in (True, False):
            step, seen = 1, set()
            while True:
                place = folder / f"{atomic}-{ours}-{step}"
                place.mkdir()
                path = place / "out"
                write(path, "old", overwrite=False)
                if not ours:
                    (path / targets.MARK).unlink()
                was_killed = killed_at(step, path, overwrite=not ours)
                left = content(path)
                assert left or not atomic, f"nothing is there at step {step}"
                targets.recover(path)
                left = content(path)
                assert left in ("old", "new"), f"{left!r} at step {step}"
                seen.add(left)
                write(path, "newer", overwrite=not ours)
                assert content(path) == "newer"
                assert [p.name for p in place.iterdir()] == ["out"], list(place.iterdir())
                if not was_killed:
                    break
                step += 1
            assert seen == {"old", "new"} and step > 20, (step, seen)
            print(f"killed at {step - 1} steps, atomic {atomic}, ours {ours}")


def together(folder: Path, processes: int = 4, times: int = 15) -> None:
    """Several processes replace one target; it is there and whole all the time, if it can be."""
    for atomic in (True, False):
        if not atomic:
            targets._exchange = lambda *_: False
        path = folder / f"together-{atomic}" / "out"
        write(path, "first", overwrite=False)
        children = []
        for n in range(processes):
            child = os.fork()
            if not child:
                status = 1
                try:
                    for i in range(times):
                        write(path, f"{n}.{i}", overwrite=False)
                    status = 0
                except BaseException:
                    traceback.print_exc()
                finally:
                    os._exit(status)
            children.append(child)
        while children:
            assert not atomic or path.is_dir()
            done, status = os.waitpid(-1, os.WNOHANG)
            if done:
                assert status == 0, status
                children.remove(done)
        assert content(path).endswith(f".{times - 1}")
        assert [p.name for p in path.parent.iterdir()] == ["out"]
        assert not targets.not_ours(path)


if __name__ == "__main__":
    real_exchange = targets._exchange
    main(Path(sys.argv[1]))
    targets._exchange = real_exchange
    together(Path(sys.argv[1]))
