"""A pytest plugin: tests that two versions of a pipeline give the same results.

    def test_report_is_unchanged(unchanged):
        unchanged("jobs/report.py:build")

compares a job with itself at the revision given by `--veer-base` (main by default);
`equivalent(p, q)` compares two versions or two DataFrames. The assertion shows the report.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from veer.options import JvmUse, UnknownOutcome, values

if TYPE_CHECKING:  # pytest loads plugins early; what is heavy waits for the first test
    from veer.api import Comparison
    from veer.verdict import Report


def pytest_addoption(parser: pytest.Parser) -> None:
    """What pytest is told about the options of the fixtures below."""
    group = parser.getgroup("veer", "equivalence of dataflow versions")
    group.addoption(
        "--veer-base",
        metavar="REV",
        default="main",
        help="the git revision `unchanged` compares with (default: main)",
    )
    group.addoption(
        "--veer-unknown",
        choices=values(UnknownOutcome),
        default=UnknownOutcome.FAIL.value,
        help="what an unknown verdict makes of a test (default: fail)",
    )
    group.addoption(
        "--veer-jvm",
        choices=values(JvmUse),
        default=JvmUse.AUTO.value,
        help="whether `unchanged` reads PySpark functions with a JVM (default: auto)",
    )


@pytest.fixture
def equivalent(request: pytest.FixtureRequest) -> Callable[..., Report]:
    """Asserts that two versions, SPECs or DataFrames give the same results."""

    def compare(
        p: Any, q: Any, comparison: Comparison | None = None, *, schema: str = ""
    ) -> Report:
        __tracebackhide__ = True
        from veer.api import load_pair, verify
        from veer.cli.project_file import current_project

        if isinstance(p, str) and isinstance(q, str):
            project = current_project()
            p, q = load_pair(
                project.spec(p),
                project.spec(q),
                schema=schema or project.ddl(),
                conf=project.conf,
                spark=project.spark,
                declared=project.declarations,
                env=[f"{n}={v}" for n, v in project.env.items()],
            )
        return _judged(request, verify(p, q, comparison, schema=schema))

    return compare


@pytest.fixture
def unchanged(request: pytest.FixtureRequest) -> Callable[..., Report]:
    """Asserts that a SPEC gives what it gave at the revision of `--veer-base`."""

    def compare(
        spec: str,
        comparison: Comparison | None = None,
        *,
        schema: str = "",
        args: tuple[str, ...] = (),
        base: str = "",
    ) -> Report:
        __tracebackhide__ = True
        from veer.api import load_pair, verify
        from veer.cli.project_file import current_project

        project = current_project()
        revision = base or str(request.config.getoption("--veer-base"))
        job = project.spec(spec)
        old, new = load_pair(
            job,
            job,
            schema=schema or project.ddl(),
            revision=revision,
            args=args,
            jvm=str(request.config.getoption("--veer-jvm")),
            conf=project.conf,
            spark=project.spark,
            declared=project.declarations,
            env=[f"{n}={v}" for n, v in project.env.items()],
        )
        return _judged(request, verify(old, new, comparison))

    return compare


def _judged(request: pytest.FixtureRequest, report: Report) -> Report:
    __tracebackhide__ = True
    from veer.show.as_json import report_json
    from veer.show.as_text import plain_text
    from veer.show.wording import reason_text
    from veer.verdict import Verdict

    if report.verdict is Verdict.EQUIVALENT:
        return report
    outcome = UnknownOutcome(request.config.getoption("--veer-unknown"))
    if report.verdict is Verdict.UNKNOWN and outcome is UnknownOutcome.SKIP:
        pytest.skip(f"unknown: {reason_text(report.sinks[0].reason)}")
    pytest.fail(plain_text(report_json(report)), pytrace=False)
