"""``studio resume`` of a finished run."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.cli.entry import main
from tests.small_runs import finished_run, new_run, small_table  # noqa: F401

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("options", "explains"),
    [
        ((), False),
        (("--workers", "1"), False),
        (("--seconds", "900"), True),
        (("--budget", "2"), True),
    ],
)
def test_resume_explains_why_no_trial_was_added(
    finished_run: Callable[..., tuple[Path, int]],  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    explains: bool,
) -> None:
    path, _ = finished_run(method="RS", budget=2)
    assert main(["resume", str(path), "--quiet", *options]) == 0
    assert ("--budget" in capsys.readouterr().err) == explains
