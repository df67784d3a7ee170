"""The command line that does a run again."""

import shlex
from pathlib import PurePath

from studio.data.splits import SplitPlan, protocol_of
from studio.runs.settings import RunSettings
from studio.setting import settings_of


def command(settings: RunSettings, file: str, space: str) -> str:
    """Return ``studio run …`` with all that decides the run's result.

    Args:
        settings: With nothing left open.
        file: The table's file name.
        space: What to pass as --space: a shipped space's key, or the name of an exported one.
    """
    source, plan = settings.source, settings.plan
    words = ["studio", "run", file, "-o", "again.studio", "--method", settings.method]
    words += ["--space", space]
    words += [*_given("--target", source.target), *_given("--task", source.task)]
    if source.test_path:
        words += ["--test", PurePath(source.test_path).name]
    protocol = protocol_of(plan)
    if protocol is not None and protocol.plan.equal_rows == plan.equal_rows:
        words += ["--split", protocol.key]
    else:
        words += ["--split", "/".join(f"{100 * share:.12g}" for share in plan.shares)]
        for each in settings_of(SplitPlan):
            words += each.spelled(getattr(plan, each.name))
    for flag, name in (("--sep", "separator"), ("--encoding", "encoding"),
                       ("--decimal", "decimal"), ("--sheet", "sheet"),
                       ("--header", "header_row"), ("--skip", "skip")):  # fmt: skip
        words += _given(flag, source.reading.get(name))
    if (header := source.reading.get("header")) is not None:
        words += ["--header", "yes" if header else "none"]
    if (mark := source.reading.get("thousands")) is not None:  # "" says that nothing groups digits
        words += ["--thousands", mark]
    words += _given("--missing", "|".join(source.reading.get("missing", ())))
    for flag, chosen in (
        ("--read", source.reading.get("columns", {})),
        ("--role", source.roles),
        ("--kind", source.kinds),
        ("--treat", source.treatments),
        ("--monotone", source.monotone),
    ):
        for name, value in chosen.items():
            words += _given(flag, f"{name}={value}")
    for each in settings_of(RunSettings):
        if each.decides:
            words += each.spelled(getattr(settings, each.name))
    for name, option in settings.overrides.items():
        words += ["--set", f"{name}={option}"]
    return shlex.join(words)


def exactness(settings: RunSettings) -> str:
    """Say whether the command gives the very same run again."""
    timed = (
        " How many trials fit into the time depends on the machine, too."
        if settings.seconds is not None
        else ""
    )
    if settings.workers == 1:
        return f"The same data, settings, seed and versions give the same trials.{timed}"
    return (
        "The same data, settings, seed and versions begin with the same trials. But "
        f"{settings.workers} of them were trained at the same time: they may finish in another "
        "order, and then what is tried next, who is in the ensemble and its error may differ. "
        f"Only runs with --workers 1 repeat each other exactly.{timed}"
    )


def _given(flag: str, value: object) -> list[str]:
    if value in {None, ""}:
        return []
    # A value that begins with a dash would be taken for an option.
    return [f"{flag}={value}"] if str(value).startswith("-") else [flag, str(value)]
