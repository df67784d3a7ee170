"""Run the cases of a group, monitor each, and count the verdicts."""

import faulthandler
import os
import random
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from unittest import mock

from torture.execution import LIMIT, end_left_processes
from torture.registry import GROUPS
from torture.verdict import Try, Verdict

_LAST_RESORT = 4 * LIMIT
"""Seconds after which an uninterruptible case ends the suite, with its location."""


class HangError(BaseException):
    """A case exceeds the time limit; not an ``Exception``, so that no handler stops it."""


@dataclass
class Figures:
    """A line of the table at the end.

    Attributes:
        cases: Number of cases tried; one may have several attempts.
        counts: Attempts by kind: reported, unharmed, fault.
        seconds: Wall time.
        faults: A line each.
    """

    group: str
    cases: int = 0
    counts: "Counter[str]" = field(default_factory=Counter)
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Return the line of the table."""
        reported, unharmed, fault = (
            self.counts[kind] for kind in ("reported", "unharmed", "fault")
        )
        tried = reported + unharmed + fault
        return (
            f"{self.group:12} {self.cases:7} {tried:8} {reported:8} {unharmed:9} {fault:7}"
            f" {self.seconds:8.0f}"
        )


HEAD = "group          cases attempts reported  unharmed  faults  seconds"


def run_cases(name: str, cases: int, seed: int, first: int = 0) -> Iterator[Figures]:
    """Try cases of a group; yield the figures after each.

    Args:
        name: Of the group.
        cases: How many.
        seed: Determines the cases.
        first: The number of the first case: a failed one can be repeated alone.
    """
    figures, begun = Figures(name), time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"torture-{name}-") as place:
        shared, folder, temporary = (Path(place, each) for each in ("shared", "case", "temporary"))
        shared.mkdir()
        attempt = GROUPS[name].begin(shared)
        for number in range(first, first + cases):
            for each in (folder, temporary):
                each.mkdir()
            rng = random.Random(f"{name} {seed} {number}")
            with (
                mock.patch.object(tempfile, "tempdir", str(temporary)),
                mock.patch.dict(os.environ, TMPDIR=str(temporary)),
            ):
                for verdict in (
                    *_run_watched(attempt, folder, rng, number),
                    *_find_left_behind(temporary),
                ):
                    figures.counts[verdict.kind] += 1
                    if verdict.kind == "fault":
                        figures.faults.append(f"case {number}, {verdict.what}: {verdict.why}")
            for each in (folder, temporary):
                shutil.rmtree(each)
            figures.cases += 1
            figures.seconds = time.monotonic() - begun
            yield figures


def _find_left_behind(temporary: Path) -> Iterator[Verdict]:
    """Yield a fault for each process or temporary folder left behind."""
    if processes := end_left_processes():
        yield Verdict("fault", "processes left behind", str(processes))
    if folders := sorted(each.name for each in temporary.iterdir()):
        yield Verdict("fault", "folders left behind", str(folders))


def _run_watched(attempt: Try, folder: Path, rng: random.Random, number: int) -> Iterator[Verdict]:
    """Yield the verdicts of a case, also of a hanging or failing one."""

    def hung(number: int, frame: FrameType | None) -> None:
        raise HangError("".join(traceback.format_stack(frame, 4)))

    signal.signal(signal.SIGALRM, hung)
    signal.alarm(int(3 * LIMIT))
    faulthandler.dump_traceback_later(_LAST_RESORT, exit=True)
    try:
        yield from attempt(folder, rng, number)
    except HangError as error:
        yield Verdict("fault", "it hung", str(error))
    except Exception as error:  # noqa: BLE001 - whatever is raised was not reported
        place = traceback.extract_tb(error.__traceback__)[-3:]
        where = " < ".join(f"{each.filename}:{each.lineno}" for each in reversed(place))
        yield Verdict("fault", type(error).__name__, f"{str(error)[:500]} ({where})")
    finally:
        signal.alarm(0)
        faulthandler.cancel_dump_traceback_later()
