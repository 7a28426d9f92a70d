"""The report on a project as Markdown: a comment on a pull request, small enough for any forge.

Names and values from a dataflow stand in code, or have their special characters written as
entities: they cannot format, link or mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from veer.projects.show.as_json import cause_text, looked_at, summary
from veer.show.as_json import has_rows
from veer.show.as_text import witness_text
from veer.visible import visible

MOST_BYTES = 60_000
MOST_ROWS = 200  # of the table
MARKS = {
    "unchanged": "⚪",
    "equivalent": "✅",
    "changed": "❌",
    "unknown": "❔",
    "new": "🆕",
    "removed": "🗑️",
}
# What Markdown and forges act on: marks, tags, mentions, numbers of issues, addresses.
ACTIVE = re.compile(r"[\\`*_\[\]#|<>@&~$]|:(?=//)|(?<=\bwww)\.", re.IGNORECASE)


def markdown(report: dict[str, Any]) -> str:
    """A summary line, a table, foldable witnesses and windows, what must run again."""
    head = [*_head(report), *_table(report)]
    parts = [*_evidence(report), *_follows(report), *_notes(report), *FOOT]
    left = MOST_BYTES - _size(head)
    kept, cut = [], 0
    foot = _size(FOOT) + 200
    for part in parts:
        size = len(part.encode()) + 1
        if size > left - foot and part not in FOOT:
            cut += 1
            continue
        left -= size
        kept.append(part)
    if cut:
        kept.insert(
            0, f"_{cut} parts did not fit here; `veer check --format html` has all of them._\n"
        )
    return "\n".join([*head, *kept, ""])


FOOT = [
    "",
    "<sub>Checked by `veer check` without running a job. The rows of witnesses are generated: "
    "Veer read none of your data.</sub>",
]


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def code(text: str) -> str:
    """A text in a code span, inside of a table too."""
    shown = visible(text).replace("|", "\\|") or " "
    longest = max(map(len, re.findall(r"`+", shown)), default=0)
    fence = "`" * (longest + 1)
    blank = " " if longest else ""
    return f"{fence}{blank}{shown}{blank}{fence}"


def plain(text: str) -> str:
    """A text in which a forge finds no Markdown and no mention."""
    return ACTIVE.sub(lambda m: f"&#{ord(m[0])};", visible(text))


def block(text: str) -> str:
    """A text of several lines in a code block."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _head(report: dict[str, Any]) -> Iterator[str]:
    mark = MARKS[report["verdict"]]
    yield f"### {mark} Veer: {plain(summary(report))}"
    yield ""
    dirty = ", with uncommitted changes" if report["head"]["dirty"] else ""
    base = report["base"]
    commit = f" ({code(base['commit'][:10])})" if base["commit"] else ""
    yield f"Compared with {code(base['name'])}{commit}{dirty}, in {report['seconds']:.0f} s."
    yield ""


def _table(report: dict[str, Any]) -> Iterator[str]:
    jobs = looked_at(report)
    if not jobs:
        yield "No job changed."
        return
    yield "| job | sink | verdict | why |"
    yield "|---|---|---|---|"
    rows = [row for job in jobs for row in _rows(job)]
    yield from rows[:MOST_ROWS]
    if len(rows) > MOST_ROWS:
        yield f"| | | | {len(rows) - MOST_ROWS} more |"
    rest = len(report["jobs"]) - len(jobs)
    yield ""
    if rest:
        yield f"{rest} other job{'' if rest == 1 else 's'} unchanged."


def _rows(job: dict[str, Any]) -> Iterator[str]:
    for i, sink in enumerate(job["sinks"] or [None]):
        verdict = sink["verdict"] if sink else job["verdict"]
        name = code(job["job"]) if i == 0 else ""
        target = code(sink["target"] or sink["sink"]) if sink else ""
        why = "<br>".join(plain(_short(text)) for text in _why(job, sink))
        yield f"| {name} | {target} | {MARKS[verdict]} {verdict} | {why} |"


def _why(job: dict[str, Any], sink: dict[str, Any] | None) -> Iterator[str]:
    if job["why"]:
        yield job["why"]
    if sink is None:
        return
    if sink["reason"]:
        yield sink["reason"]
    if sink["with_jobs"]:
        yield f"compared together with {', '.join(sink['with_jobs'])}"
    if sink["spared"]:
        yield f"unaffected by {', '.join(sink['spared'])}, which it reads"
    yield from (f"assuming {a}" for a in sink["assumptions"])
    yield from (f"note: {c}" for c in sink["caveats"])


def _short(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:290]} ..."


def _evidence(report: dict[str, Any]) -> Iterator[str]:
    """Witnesses, what would settle an unknown, the windows of proofs: each to be unfolded."""
    for job in report["jobs"]:
        witnesses: list[Any] = []  # one is often that of several sinks
        for sink in job["sinks"]:
            name = code_html(f"{job['job']} {sink['target'] or sink['sink']}")
            if sink["verdict"] == "changed" and has_rows(sink):
                if sink["witness"] not in witnesses:
                    shown = witness_text({**sink, "p": sink["sink"], "q": ""})
                    yield _folded(f"A difference in {name}", block(shown))
                witnesses.append(sink["witness"])
            elif sink["verdict"] == "unknown" and (sink["hints"] or sink["resisted"]):
                yield _folded(f"What would settle {name}", _open_question(sink))
            elif sink["verdict"] == "equivalent" and (proof := _proof(sink)):
                yield _folded(f"Proof for {name}", block(proof))


def code_html(text: str) -> str:
    """A text in code, inside of HTML."""
    return f"<code>{plain(text)}</code>"


def _folded(title: str, inside: str) -> str:
    return f"\n<details><summary>{title}</summary>\n\n{inside}\n\n</details>"


def _open_question(sink: dict[str, Any]) -> str:
    lines = [f"- {plain(hint['text'])}" for hint in sink["hints"]]
    if sink["resisted"]:
        sides = [
            f"-- {label}\n{sink['resisted'][f'{s}_sql']}"
            for s, label in (("p", "before"), ("q", "after"))
        ]
        lines.append(block(visible("\n".join(sides), lines=True)))
    return "\n".join(lines)


def _proof(sink: dict[str, Any]) -> str:
    """The windows that a proof rests on."""
    lines = []
    for window in sink["windows"]:
        if window["used"]:
            lines.append(visible(f"{window['claim']}, by {window['ev']}"))
            for side, label in (("p", "before"), ("q", "after")):
                shown = window["shown"][side] or ["(nothing between)"]
                lines += [visible(f"  {label}  {text}") for text in shown]
    return "\n".join(lines)


def _follows(report: dict[str, Any]) -> Iterator[str]:
    again = report["recompute"]
    if again:
        yield "\n#### Must be computed again\n"
        for each in again:
            name = code(each["target"] or f"{each['job']} {each['sink']}")
            yield f"- {name}: {plain(cause_text(each))}"
    spared = [each for each in report["keep"] if each["spared"]]
    if spared:
        yield "\n#### Proven not to change, though they read data that changed\n"
        for each in spared:
            yield f"- {code(each['target'] or each['job'])}"


def _notes(report: dict[str, Any]) -> Iterator[str]:
    if report["command"]:
        yield f"\n{block(visible(report['command']))}"
    for note in report["notes"]:
        yield f"\n> {plain(note)}"
